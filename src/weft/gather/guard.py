"""Bounds on what the HTML parser is given, for it is not linear on every input."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

DEEPEST = 5_000
MOST_TAGS = 150_000
MOST_OPEN = 400
MOST_REOPENED = 1_000_000
MOST_ATTRIBUTES = 1_000_000
MOST_ROOTS = 100
HARMLESS_TAGS = 2_400
WIDE = 8_000
LARGE = 1 << 20
PIECE = 2_000

# As the parser reads them: white space is ASCII, and a quoted value ends with its quote alone.
SPACE = r"[ \t\n\f\r]"
ATTRIBUTE = (
    r"(?:[ \t\n\f\r/]++"
    r"|[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"
    rf"""(?:{SPACE}*+={SPACE}*+(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\f\r>]*+))?+)"""
)
ONE_ATTRIBUTE = re.compile(ATTRIBUTE)
FIRST_ATTRIBUTES = re.compile(rf"{ATTRIBUTE}{{500}}+")
TAG = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?:[!?]|/[^a-zA-Z>])[^>]*+"
    rf"|<(?P<raw>script|style|textarea|title|xmp)(?=[ \t\n\f\r/>]){ATTRIBUTE}*+"
    rf".*?(?:</(?P=raw)(?=[ \t\n\f\r/>]){ATTRIBUTE}*+|\Z)"
    rf"|<(/?)([a-zA-Z][^ \t\n\f\r/>]*+)({ATTRIBUTE}*+)",
    re.IGNORECASE | re.DOTALL,
)
Format = tuple[str, int]
FORMATS = "b|big|code|em|font|i|s|small|strike|strong|tt|u"
FORMATTING = frozenset(FORMATS.split("|"))
DRESSED = re.compile(rf"<(?=[bcefistu])(?:{FORMATS})[\s/]", re.IGNORECASE)
# One that is closed where its text ends, as in `<code class="x"><span>text</span></code>`; quotes
# in their places only, lest a closing tag be part of an attribute.
PLAIN_ATTRIBUTE = r"""(?:\s++[\w:.-]++(?:=(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>=`]++))?+)"""
CLOSED = re.compile(
    rf"<({FORMATS}){PLAIN_ATTRIBUTE}++\s*+>"
    rf"(?:[^<]++|<span{PLAIN_ATTRIBUTE}*+>[^<]*+</span>)*+</\1>",
    re.IGNORECASE,
)
ROOT = re.compile(r"<(?:html|body)\b", re.IGNORECASE)
# A formatting tag cannot be closed from inside one of these.
WALLS = frozenset(("applet", "marquee", "object", "table", "template"))
VOID = (
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "param",
    "source",
    "track",
    "wbr",
)
CLOSED_BY_OTHERS = (
    "p",
    "li",
    "dd",
    "dt",
    "tr",
    "td",
    "th",
    "tbody",
    "thead",
    "tfoot",
    "option",
    "optgroup",
    "rt",
    "rp",
    "colgroup",
    "caption",
    "html",
    "head",
    "body",
    "script",
    "style",
    "title",
    "a",
    "nobr",
)
FLAT = frozenset((*VOID, *CLOSED_BY_OTHERS))


@dataclass(slots=True)
class Load:
    """What the parser carries at a point of the page: open tags, and formatting opened again."""

    tags: int = 0
    attributes: int = 0
    depth: int = 0
    walls: int = 0
    roots: int = 0
    formats: int = 0
    reopened: int = 0
    opened: Counter[str] = field(default_factory=Counter)
    alike: defaultdict[str, list[Format]] = field(default_factory=lambda: defaultdict(list))

    def open(self, name: str, attributes: str) -> None:
        """Take account of a tag as the parser would; it keeps three formats that are the same."""
        self.tags += 1
        self.attributes += len(ONE_ATTRIBUTE.findall(attributes)) // 2
        if name in FORMATTING:
            form = attributes, self.walls
            if self.alike[name].count(form) < 3:
                self.alike[name].append(form)
                self.formats += 1
            return
        self.reopened += self.formats
        self.roots += name in ("html", "body")
        if name not in FLAT:
            self.opened[name] += 1
            self.depth += 1
            self.walls += name in WALLS

    def close(self, name: str) -> None:
        """Take account of a closing tag, if there is something that it closes."""
        self.tags += 1
        if name in FORMATTING:
            if self.alike[name] and self.alike[name][-1][1] >= self.walls:
                self.alike[name].pop()
                self.formats -= 1
        elif self.opened[name]:
            self.opened[name] -= 1
            self.depth -= 1
            self.walls -= name in WALLS

    @property
    def heavy(self) -> bool:
        """Whether one more tag is too many."""
        return (
            self.depth > DEEPEST
            or self.formats > MOST_OPEN
            or self.reopened > MOST_REOPENED
            or self.tags > MOST_TAGS
            or self.attributes > MOST_ATTRIBUTES
            or self.roots > MOST_ROOTS
        )


def bounded(html: str) -> tuple[str, bool]:
    """Cut a page before the point where parsing it would take more than linear time.

    What makes HTML parsers slow: nesting; formatting tags that are never
    closed, which every following block must open again; tags with thousands of
    attributes, which lose those beyond the 250th. Returns the page, and whether
    it was cut. A few counts tell that an ordinary page needs no scan.
    """
    if len(html) < LARGE and not _has_wide_tag(html) and not _is_suspect(html):
        return html, False
    load, at = Load(), 0
    kept: list[str] = []
    for tag in TAG.finditer(html):
        if not tag[3]:
            continue
        if tag[2]:
            load.close(tag[3].lower())
        else:
            load.open(tag[3].lower(), tag[4])
        if load.heavy:
            return "".join([*kept, html[at : tag.start()]]), True
        if len(tag[4]) > WIDE and (first := FIRST_ATTRIBUTES.match(tag[4])):
            kept.append(html[at : tag.start(4) + first.end()])
            at = tag.end(4)
    return ("".join([*kept, html[at:]]), True) if kept else (html, False)


def _has_wide_tag(html: str) -> bool:
    """Whether some tag may be long enough for thousands of attributes: a stretch without angles."""
    for angle in "<>":
        at = 0
        while at + WIDE < len(html):
            last = html.rfind(angle, at, at + WIDE)
            if last < 0:
                return True
            at = last + 1
    return False


def _is_suspect(html: str) -> bool:
    """Whether tags may be too many, nested deep, or left open to be opened again."""
    tags = html.count("<")
    if tags <= HARMLESS_TAGS:
        return False
    if tags > MOST_TAGS or _may_be_deep(html) or _may_stay_open(html):
        return True
    return len(ROOT.findall(html)) > MOST_ROOTS


def _may_stay_open(html: str) -> bool:
    """Whether more formatting tags may be open at once than is good; most close at once."""
    dressed = len(DRESSED.findall(html))
    return dressed > MOST_OPEN and dressed - len(CLOSED.findall(html)) > MOST_OPEN


def _may_be_deep(html: str) -> bool:
    """Whether counting tags in pieces of the page leaves room for deep nesting."""
    step = len(html) * PIECE // html.count("<") + 1
    depth = 0
    for start in range(0, len(html), step):
        closed = html.count("</", start, start + step)
        opened = html.count("<", start, start + step) - closed
        if depth + opened > DEEPEST:
            return True
        depth = max(0, depth + opened - closed)
    return False
