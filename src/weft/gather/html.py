"""Parse HTML: bytes to text, links with their surroundings, and metadata.

Pages on which the parser would take more than linear time are cut.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html.entities import html5

from resiliparse.parse.encoding import bytes_to_str, detect_encoding, map_encoding_to_html5
from resiliparse.parse.html import HTMLTree

from weft.gather.links import (
    PRIVATE_USE_CHARS,
    PageElements,
    clean_single_line,
    extract_marked_links,
    find_link_meta_elements,
    insert_link_markers,
)
from weft.gather.page import Page, Problems, RawPage
from weft.gather.text import MAX_SAMPLE_CHARS, detect_language_fast, extract_text, find_main_spans
from weft.gather.url import (
    MAX_URL_CHARS,
    URL_STRIP_CHARS,
    UrlPolicy,
    canonicalize_url,
    is_normalized_url,
    resolve_url,
)

# Limits beyond which the parser would take more than linear time.
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
PRIVATE_USE_BYTES = re.compile(rb"\xee[\x80-\xbf]{2}|\xef[\x80-\xa3][\x80-\xbf]")
PRIVATE_USE_REFERENCE = re.compile(
    rb"&#(?:0*(?:5734[4-9]|573[5-9]\d|57[4-9]\d\d|5[89]\d{3}|6[0-2]\d{3}|63[0-6]\d\d|637[0-3]\d"
    rb"|6374[0-3])(?!\d)|[xX]0*(?:[eE][0-9a-fA-F]{3}|[fF][0-8][0-9a-fA-F]{2})(?![0-9a-fA-F]));?"
)
TABLE_CELL_START = re.compile(rb"<(?=[tT][dDhH])")
# Character references that need no semicolon and are prefixes of longer ones. Inside an attribute,
# followed by a letter as in `?a=1&noting=2`, they are plain text; the parser gets this wrong.
AMBIGUOUS_REFERENCE = re.compile("&((?:cent|copy|divide|gt|lt|not|para|times)[a-zA-Z0-9]++;?+)")
META_REFRESH = re.compile(
    r"\s*+0*+[01]?+(?:\.\d*+)?+\s*+[;,]\s*+(?:url\s*+=\s*+)?+[\"']?+([^\"']++)",
    re.IGNORECASE | re.ASCII,
)
ATTRIBUTE_NAME_VALUE = re.compile(
    r"([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)"
    rf"""(?:{HTML_SPACE}*+={HTML_SPACE}*+(?:"([^"]*+)"?+|'([^']*+)'?+|([^ \t\n\f\r>]*+)))?+"""
)
META_CHARSET = re.compile(
    rf"charset{HTML_SPACE}*+={HTML_SPACE}*+"
    r"""(?:"([^"]*+)"|'([^']*+)'|([^ \t\n\f\r;"'][^ \t\n\f\r;]*+))""",
    re.IGNORECASE,
)
HEAD_BYTES = 2048
UTF16_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Limits on links and bytes per page, optional steps, and the URL rules."""

    max_links: int = 10_000
    max_bytes: int = 32 << 20
    main_content: bool = True
    detect_language: bool = True
    url_policy: UrlPolicy = field(default_factory=UrlPolicy)


def parse_page(raw: RawPage, options: ParseOptions, problems: Problems) -> Page:
    """Parse a captured page; any bytes give a page.

    A redirect gets the URL of its target. An error page keeps its text but not
    its links, which recommend nothing.
    """
    url = canonicalize_url(raw.url, options.url_policy)
    page = Page(
        url,
        time=raw.time,
        status=raw.status,
        mime=raw.mime,
        title=raw.title,
        robots=raw.robots,
        original=raw.url if raw.url != url else "",
        truncated=raw.truncated,
    )
    if raw.location:
        target = resolve_url(raw.url, raw.location)
        form = canonicalize_url(target, options.url_policy) if len(target) <= MAX_URL_CHARS else ""
        return replace(page, kind="redirect", redirect=form, reason=f"HTTP {raw.status}")
    if raw.is_plain_text:
        return detect_missing_language(replace(page, text=decode_text(raw)), options)
    page = _parse_html(page, raw, options, problems)
    return replace(page, kind="error", links=()) if raw.status >= 400 else page


def detect_missing_language(page: Page, options: ParseOptions) -> Page:
    """Detect the language of a page that has none, or leave it to the classifier."""
    if page.language or not options.detect_language:
        return page
    return replace(page, language=detect_language_fast(page.text))


def _parse_html(page: Page, raw: RawPage, options: ParseOptions, problems: Problems) -> Page:
    html, cut = cut_costly_html(decode_text(raw))
    body = _escape_ambiguous_references(html).encode()
    tree = HTMLTree.parse_from_bytes(_space_table_cells(body), "utf-8")
    elements = find_link_meta_elements(tree)
    base = _base_url(raw.url, _first_attribute(elements, "base", "href"))
    marked, over_limit, overlong = insert_link_markers(
        tree, elements, base, options.url_policy, options.max_links
    )
    marked_text = extract_text(tree, html)
    if _may_have_private_use_chars(body):
        marked_text = PRIVATE_USE_CHARS.sub("", marked_text)
    text, links = extract_marked_links(marked_text, marked)
    if over_limit:
        problems.add("links over the limit per page", page.url, damage=False, count=over_limit)
    if overlong:
        problems.add("links with overlong URLs", page.url, damage=False, count=overlong)
    main = find_main_spans(text, links) if options.main_content else ()
    declared = _head_declarations(elements, base, options.url_policy)
    language = ""
    if options.detect_language:
        declared_language = _first_attribute(elements, "html", "lang")
        language = detect_language_fast(main_content_start(text, main), declared_language)
    return replace(
        page,
        title=clean_single_line(tree.title or "") or page.title,
        text=text,
        main=main,
        language=language,
        robots=", ".join(filter(None, [page.robots, declared.get("robots", "")]))[:200],
        canonical=declared.get("canonical", ""),
        redirect=declared.get("refresh", ""),
        reason="meta refresh" if declared.get("refresh") else "",
        truncated=page.truncated or cut or over_limit > 0,
        links=links,
    )


def decode_text(raw: RawPage) -> str:
    """Decode a body: by byte order mark, HTTP charset, the charset of the page, or a guess."""
    body = raw.body
    http_charset = map_encoding_to_html5(raw.charset, fallback_utf8=False) if raw.charset else None
    encoding = UTF16_BYTE_ORDER_MARKS.get(body[:2]) or http_charset or _guess_encoding(body)
    text: str
    if body.startswith(b"\xef\xbb\xbf") or encoding == "utf-8":
        text = _decode_utf8(body)
    else:
        text = bytes_to_str(body, encoding, "replace", fallback_encodings=("utf-8", "cp1252"))
    return text.replace("\0", "") if "\0" in text else text


def _guess_encoding(body: bytes) -> str:
    """The encoding of a page whose HTTP header names none.

    Without a declaration, bytes that decode as UTF-8 are UTF-8. A page that
    declares UTF-16 in ASCII is UTF-8, by the rule of the WHATWG.
    """
    head = body[:HEAD_BYTES]
    if b"charset" in head.lower() and (declared := _declared_encoding(head.decode("latin-1"))):
        return "utf-8" if declared.startswith("utf-16") else declared
    # UTF-16 without a byte order mark: every other byte of the markup is zero.
    even_bytes, odd_bytes = head[:64:2].strip(b"\0"), head[1:64:2].strip(b"\0")
    if len(head) > 1 and bool(even_bytes) != bool(odd_bytes):
        return "utf-16-le" if even_bytes else "utf-16-be"
    if _is_utf8(body):
        return "utf-8"
    guess = detect_encoding(body, from_html_meta=False) or "utf-8"
    return "utf-8" if guess.startswith("utf-16") else str(guess)


def _declared_encoding(head: str) -> str:
    """The encoding of the first `meta` that declares a known one, or nothing."""
    for tag in TAG.finditer(head):
        if tag[2] or not tag[3] or tag[3].lower() != "meta":
            continue
        attributes: dict[str, str] = {}
        for name, *values in ATTRIBUTE_NAME_VALUE.findall(tag[4]):
            attributes.setdefault(name.lower(), "".join(values))
        label = attributes.get("charset")
        if label is None and attributes.get("http-equiv", "").lower() == "content-type":
            match = META_CHARSET.search(attributes.get("content", ""))
            label = "".join(filter(None, match.groups())) if match else ""
        if label and (encoding := map_encoding_to_html5(label, fallback_utf8=False)):
            return str(encoding)
    return ""


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _decode_utf8(body: bytes) -> str:
    """Decode as UTF-8, or as Windows-1252 if most of the bytes beyond ASCII are not UTF-8."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.count("\ufffd") <= len(body) - len(text):
        return text
    return body.decode("cp1252", "replace")


def _escape_ambiguous_references(html: str) -> str:
    """Write `&amp;` where the parser would wrongly see a character reference in an attribute."""
    if "&" not in html or not AMBIGUOUS_REFERENCE.search(html):
        return html
    return TAG.sub(_escape_references_in_tag, html)


def _escape_references_in_tag(tag: re.Match[str]) -> str:
    start = tag.start(4) - tag.start() if tag[4] else len(tag[0])
    return tag[0][:start] + AMBIGUOUS_REFERENCE.sub(_escape_reference, tag[0][start:])


def _escape_reference(match: re.Match[str]) -> str:
    name = match[1]
    return match[0] if name in html5 and name.endswith(";") else f"&amp;{name}"


def _may_have_private_use_chars(html: bytes) -> bool:
    """Whether a page may have private-use characters, which its fonts draw as icons."""
    if (b"\xee" in html or b"\xef" in html) and PRIVATE_USE_BYTES.search(html):
        return True
    return b"&#" in html and PRIVATE_USE_REFERENCE.search(html) is not None


def _space_table_cells(html: bytes) -> bytes:
    """Put a space before every table cell, so that words of adjacent cells stay apart."""
    return TABLE_CELL_START.sub(b" <", html)


def _first_attribute(elements: PageElements, tag: str, name: str) -> str:
    """The attribute of the first element with this tag that has it, or nothing."""
    for node in elements.by_tag.get(tag, ()):
        if value := node.getattr(name):
            return str(value).strip(URL_STRIP_CHARS)
    return ""


def _base_url(url: str, declared_base: str) -> str:
    """The URL that references on a page are resolved against; an overlong base is ignored."""
    if len(declared_base) > MAX_URL_CHARS or (not declared_base and is_normalized_url(url)):
        return url
    return resolve_url(url, declared_base) or url


def main_content_start(text: str, main_spans: Sequence[int]) -> str:
    """The start of the main content, or the text if there is none."""
    return text[main_spans[0] : main_spans[0] + 2 * MAX_SAMPLE_CHARS] if main_spans else text


def _head_declarations(elements: PageElements, base_url: str, policy: UrlPolicy) -> dict[str, str]:
    """What the head declares: canonical URL, robots rules, the target of a refresh within 2 s."""
    declared: dict[str, str] = {}
    for node in elements.by_tag.get("link", ()):
        rel = (node.getattr("rel") or "").lower().split()
        if "canonical" in rel and "canonical" not in declared:
            target = resolve_url(base_url, node.getattr("href") or "")
            declared["canonical"] = (
                canonicalize_url(target, policy) if len(target) <= MAX_URL_CHARS else ""
            )
    for node in elements.by_tag.get("meta", ()):
        content = node.getattr("content") or ""
        if (node.getattr("name") or "").lower() == "robots":
            declared.setdefault("robots", content.lower())
        elif (node.getattr("http-equiv") or "").lower() == "refresh":
            refresh = META_REFRESH.match(content)
            target = resolve_url(base_url, refresh[1]) if refresh else ""
            if target and len(target) <= MAX_URL_CHARS:
                declared.setdefault("refresh", canonicalize_url(target, policy))
    return declared


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
