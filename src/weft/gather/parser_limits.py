"""Cut pages on which the HTML parser would take more than linear time."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

MAX_DEPTH = 5_000
MAX_TAGS = 150_000
MAX_OPEN_FORMATS = 400
MAX_REOPENED_FORMATS = 1_000_000
MAX_ATTRIBUTES = 1_000_000
MAX_ROOT_TAGS = 100
MAX_HARMLESS_TAGS = 2_400
LONG_TAG_CHARS = 8_000
LARGE_PAGE_CHARS = 1 << 20
TAGS_PER_PIECE = 2_000

# Attributes as the parser reads them: white space is ASCII, only its own quote ends a quoted value.
HTML_SPACE = r"[ \t\n\f\r]"
ATTRIBUTE_PATTERN = (
    r"(?:[ \t\n\f\r/]++"
    r"|[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"
    rf"""(?:{HTML_SPACE}*+={HTML_SPACE}*+(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\f\r>]*+))?+)"""
)
ONE_ATTRIBUTE = re.compile(ATTRIBUTE_PATTERN)
KEPT_ATTRIBUTES = re.compile(rf"{ATTRIBUTE_PATTERN}{{500}}+")
TAG = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?:[!?]|/[^a-zA-Z>])[^>]*+"
    rf"|<(?P<raw>script|style|textarea|title|xmp)(?=[ \t\n\f\r/>]){ATTRIBUTE_PATTERN}*+"
    rf".*?(?:</(?P=raw)(?=[ \t\n\f\r/>]){ATTRIBUTE_PATTERN}*+|\Z)"
    rf"|<(/?)([a-zA-Z][^ \t\n\f\r/>]*+)({ATTRIBUTE_PATTERN}*+)",
    re.IGNORECASE | re.DOTALL,
)
FormatKey = tuple[str, int]
FORMATTING_TAG_PATTERN = "b|big|code|em|font|i|s|small|strike|strong|tt|u"
FORMATTING_TAGS = frozenset(FORMATTING_TAG_PATTERN.split("|"))
FORMATTING_TAG_WITH_ATTRIBUTES = re.compile(
    rf"<(?=[bcefistu])(?:{FORMATTING_TAG_PATTERN})[\s/]", re.IGNORECASE
)
# A formatting element of text and spans, as in `<code class="x"><span>y</span></code>`. Quotes may
# stand only around values, or a closing tag could be part of an attribute.
PLAIN_ATTRIBUTE = r"""(?:\s++[\w:.-]++(?:=(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>=`]++))?+)"""
CLOSED_FORMATTING_TAG = re.compile(
    rf"<({FORMATTING_TAG_PATTERN}){PLAIN_ATTRIBUTE}++\s*+>"
    rf"(?:[^<]++|<span{PLAIN_ATTRIBUTE}*+>[^<]*+</span>)*+</\1>",
    re.IGNORECASE,
)
ROOT_TAG = re.compile(r"<(?:html|body)\b", re.IGNORECASE)
# A formatting tag cannot be closed from inside one of these.
SCOPE_TAGS = frozenset(("applet", "marquee", "object", "table", "template"))
VOID_TAGS = (
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
IMPLICITLY_CLOSED_TAGS = (
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
NON_NESTING_TAGS = frozenset((*VOID_TAGS, *IMPLICITLY_CLOSED_TAGS))


@dataclass(slots=True)
class ParserLoad:
    """The state of the parser at a point of the page: open elements, formatting to reopen."""

    tags: int = 0
    attributes: int = 0
    depth: int = 0
    open_scopes: int = 0
    root_tags: int = 0
    open_formats: int = 0
    reopened_formats: int = 0
    open_counts: Counter[str] = field(default_factory=Counter)
    formats_by_tag: defaultdict[str, list[FormatKey]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def open_tag(self, name: str, attributes: str) -> None:
        """Count an opening tag as the parser would, which keeps three equal formats at most."""
        self.tags += 1
        self.attributes += len(ONE_ATTRIBUTE.findall(attributes)) // 2
        if name in FORMATTING_TAGS:
            key = attributes, self.open_scopes
            if self.formats_by_tag[name].count(key) < 3:
                self.formats_by_tag[name].append(key)
                self.open_formats += 1
            return
        self.reopened_formats += self.open_formats
        self.root_tags += name in ("html", "body")
        if name not in NON_NESTING_TAGS:
            self.open_counts[name] += 1
            self.depth += 1
            self.open_scopes += name in SCOPE_TAGS

    def close_tag(self, name: str) -> None:
        """Count a closing tag, if there is an element that it closes."""
        self.tags += 1
        if name in FORMATTING_TAGS:
            if self.formats_by_tag[name] and self.formats_by_tag[name][-1][1] >= self.open_scopes:
                self.formats_by_tag[name].pop()
                self.open_formats -= 1
        elif self.open_counts[name]:
            self.open_counts[name] -= 1
            self.depth -= 1
            self.open_scopes -= name in SCOPE_TAGS

    @property
    def exceeds_limits(self) -> bool:
        """Whether the page must be cut here."""
        return (
            self.depth > MAX_DEPTH
            or self.open_formats > MAX_OPEN_FORMATS
            or self.reopened_formats > MAX_REOPENED_FORMATS
            or self.tags > MAX_TAGS
            or self.attributes > MAX_ATTRIBUTES
            or self.root_tags > MAX_ROOT_TAGS
        )


def cut_costly_html(html: str) -> tuple[str, bool]:
    """Cut a page before the point where parsing it would take more than linear time.

    HTML parsers are slow on deep nesting, on formatting tags that are never
    closed (each following block reopens them), and on tags with thousands of
    attributes (those after the 250th are removed). Returns the page, and
    whether it was cut. Cheap counts spare ordinary pages the scan.
    """
    if len(html) < LARGE_PAGE_CHARS and not _may_have_long_tag(html) and not _may_be_costly(html):
        return html, False
    load, start = ParserLoad(), 0
    kept: list[str] = []
    for tag in TAG.finditer(html):
        if not tag[3]:
            continue
        if tag[2]:
            load.close_tag(tag[3].lower())
        else:
            load.open_tag(tag[3].lower(), tag[4])
        if load.exceeds_limits:
            return "".join([*kept, html[start : tag.start()]]), True
        if len(tag[4]) > LONG_TAG_CHARS and (first := KEPT_ATTRIBUTES.match(tag[4])):
            kept.append(html[start : tag.start(4) + first.end()])
            start = tag.end(4)
    return ("".join([*kept, html[start:]]), True) if kept else (html, False)


def _may_have_long_tag(html: str) -> bool:
    """Whether 8,000 characters have no `<` or no `>`, so that a tag may be that long."""
    for angle in "<>":
        start = 0
        while start + LONG_TAG_CHARS < len(html):
            last = html.rfind(angle, start, start + LONG_TAG_CHARS)
            if last < 0:
                return True
            start = last + 1
    return False


def _may_be_costly(html: str) -> bool:
    """Whether tags may be too many, too deeply nested, or left open and reopened."""
    tags = html.count("<")
    if tags <= MAX_HARMLESS_TAGS:
        return False
    if tags > MAX_TAGS or _may_nest_deeply(html) or _may_leave_formats_open(html):
        return True
    return len(ROOT_TAG.findall(html)) > MAX_ROOT_TAGS


def _may_leave_formats_open(html: str) -> bool:
    """Whether too many formatting tags may be open together; elements of text are closed."""
    opened = len(FORMATTING_TAG_WITH_ATTRIBUTES.findall(html))
    return (
        opened > MAX_OPEN_FORMATS
        and opened - len(CLOSED_FORMATTING_TAG.findall(html)) > MAX_OPEN_FORMATS
    )


def _may_nest_deeply(html: str) -> bool:
    """Whether tags may be nested too deeply, by counts of tags in pieces of the page."""
    step = len(html) * TAGS_PER_PIECE // html.count("<") + 1
    depth = 0
    for start in range(0, len(html), step):
        closed = html.count("</", start, start + step)
        opened = html.count("<", start, start + step) - closed
        if depth + opened > MAX_DEPTH:
            return True
        depth = max(0, depth + opened - closed)
    return False
