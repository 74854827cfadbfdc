"""From bytes to a page: words, links with their surroundings, and what the page says of itself."""

import re
from dataclasses import dataclass, field, replace
from html.entities import html5

from resiliparse.parse.encoding import bytes_to_str, detect_encoding, map_encoding_to_html5
from resiliparse.parse.html import HTMLTree

from weft.gather.content import main_spans
from weft.gather.guard import SPACE, TAG, bounded
from weft.gather.language import ENOUGH, glance
from weft.gather.marks import PRIVATE, Elements, elements, mark, squeeze, unmark
from weft.gather.page import Page, Problems, Record
from weft.gather.plain_text import plain_text
from weft.gather.url import EDGES, LONGEST, Policy, canonical, is_plain, resolve

PRIVATE_BYTES = re.compile(rb"\xee[\x80-\xbf]{2}|\xef[\x80-\xa3][\x80-\xbf]")
PRIVATE_REFERENCE = re.compile(
    rb"&#(?:0*(?:5734[4-9]|573[5-9]\d|57[4-9]\d\d|5[89]\d{3}|6[0-2]\d{3}|63[0-6]\d\d|637[0-3]\d"
    rb"|6374[0-3])(?!\d)|[xX]0*(?:[eE][0-9a-fA-F]{3}|[fF][0-8][0-9a-fA-F]{2})(?![0-9a-fA-F]));?"
)
CELL = re.compile(rb"<(?=[tT][dDhH])")
# Names of characters that may stand without a semicolon and begin longer names. In an attribute
# with more letters behind, such as `?a=1&noting=2`, they are no names; the parser does not see it.
LONGER_NAME = re.compile("&((?:cent|copy|divide|gt|lt|not|para|times)[a-zA-Z0-9]++;?+)")
REFRESH = re.compile(
    r"\s*+0*+[01]?+(?:\.\d*+)?+\s*+[;,]\s*+(?:url\s*+=\s*+)?+[\"']?+([^\"']++)",
    re.IGNORECASE | re.ASCII,
)
NAME_AND_VALUE = re.compile(
    r"([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)"
    rf"""(?:{SPACE}*+={SPACE}*+(?:"([^"]*+)"?+|'([^']*+)'?+|([^ \t\n\f\r>]*+)))?+"""
)
CHARSET = re.compile(
    rf"""charset{SPACE}*+={SPACE}*+(?:"([^"]*+)"|'([^']*+)'|([^ \t\n\f\r;"'][^ \t\n\f\r;]*+))""",
    re.IGNORECASE,
)
HEAD = 2048
BYTE_ORDER = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Reading:
    """How pages are read: the cap on links, and what is worth its time."""

    max_links: int = 10_000
    max_bytes: int = 32 << 20
    main: bool = True
    language: bool = True
    policy: Policy = field(default_factory=Policy)


def read_page(record: Record, reading: Reading, problems: Problems) -> Page:
    """Parse a captured page; whatever its bytes are, this returns one.

    A redirect names the page it leads to; an error page keeps its words, but
    its links are nobody's recommendation.
    """
    url = canonical(record.url, reading.policy)
    page = Page(
        url,
        time=record.time,
        status=record.status,
        mime=record.mime,
        title=record.title,
        robots=record.robots,
        original=record.url if record.url != url else "",
        truncated=record.clipped,
    )
    if record.location:
        target = resolve(record.url, record.location)
        form = canonical(target, reading.policy) if len(target) <= LONGEST else ""
        return replace(page, kind="redirect", redirect=form, reason=f"HTTP {record.status}")
    if record.plain:
        return with_language(replace(page, text=decode(record)), reading)
    page = _parsed(page, record, reading, problems)
    return replace(page, kind="error", links=()) if record.status >= 400 else page


def with_language(page: Page, reading: Reading) -> Page:
    """The page with the language of its text, or what to study for it, where it names none."""
    if page.language or not reading.language:
        return page
    language, unsure = glance(page.text)
    return replace(page, language=language, unsure=unsure)


def _parsed(page: Page, record: Record, reading: Reading, problems: Problems) -> Page:
    html, cut = bounded(decode(record))
    body = _with_plain_references(html).encode()
    tree = HTMLTree.parse_from_bytes(_spaced_cells(body), "utf-8")
    found = elements(tree)
    base = _base(record.url, _attribute(found, "base", "href"))
    marked, beyond, long = mark(tree, found, base, reading.policy, reading.max_links)
    marked_text = plain_text(tree, html)
    if _has_private(body):
        marked_text = PRIVATE.sub("", marked_text)
    text, links = unmark(marked_text, marked)
    if beyond:
        problems.tell("links beyond the cap on a page", page.url, damage=False, times=beyond)
    if long:
        problems.tell("links with over-long URLs", page.url, damage=False, times=long)
    main = main_spans(text, links) if reading.main else ()
    said = _said(found, base, reading.policy)
    language = unsure = ""
    if reading.language:
        language, unsure = glance(_main_start(text, main), _attribute(found, "html", "lang"))
    return replace(
        page,
        title=squeeze(tree.title or "") or page.title,
        text=text,
        main=main,
        language=language,
        unsure=unsure,
        robots=", ".join(filter(None, [page.robots, said.get("robots", "")]))[:200],
        canonical=said.get("canonical", ""),
        redirect=said.get("refresh", ""),
        reason="meta refresh" if said.get("refresh") else "",
        truncated=page.truncated or cut or beyond > 0,
        links=links,
    )


def decode(record: Record) -> str:
    """Bytes to text: byte order mark, then the header's charset, the page's own, a guess."""
    body = record.body
    named = map_encoding_to_html5(record.charset, fallback_utf8=False) if record.charset else None
    encoding = BYTE_ORDER.get(body[:2]) or named or _guess(body)
    text: str
    if body.startswith(b"\xef\xbb\xbf") or encoding == "utf-8":
        text = _from_utf8(body)
    else:
        text = bytes_to_str(body, encoding, "replace", fallback_encodings=("utf-8", "cp1252"))
    return text.replace("\0", "") if "\0" in text else text


def _guess(body: bytes) -> str:
    """The encoding of a page whose header names none.

    UTF-8 proves itself where the page says nothing. A page that says in ASCII
    that it is UTF-16 is not, by the WHATWG's rule.
    """
    head = body[:HEAD]
    if b"charset" in head.lower() and (declared := _declared(head.decode("latin-1"))):
        return "utf-8" if declared.startswith("utf-16") else declared
    halves = head[:64:2].strip(b"\0"), head[1:64:2].strip(b"\0")
    if len(head) > 1 and any(halves) and not all(halves):
        return "utf-16-le" if halves[0] else "utf-16-be"
    if _is_utf8(body):
        return "utf-8"
    found = detect_encoding(body, from_html_meta=False) or "utf-8"
    return "utf-8" if found.startswith("utf-16") else str(found)


def _declared(head: str) -> str:
    """The encoding that the first `meta` with a known one declares, or nothing."""
    for tag in TAG.finditer(head):
        if tag[2] or not tag[3] or tag[3].lower() != "meta":
            continue
        given: dict[str, str] = {}
        for name, *values in NAME_AND_VALUE.findall(tag[4]):
            given.setdefault(name.lower(), "".join(values))
        label = given.get("charset")
        if label is None and given.get("http-equiv", "").lower() == "content-type":
            found = CHARSET.search(given.get("content", ""))
            label = "".join(filter(None, found.groups())) if found else ""
        if label and (encoding := map_encoding_to_html5(label, fallback_utf8=False)):
            return str(encoding)
    return ""


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _from_utf8(body: bytes) -> str:
    """What says it is UTF-8, unless more of it is broken than whole; then it is Western."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.count("\ufffd") <= len(body) - len(text):
        return text
    return body.decode("cp1252", "replace")


def _with_plain_references(html: str) -> str:
    """The page with an ampersand written out where the parser would take it for a character's."""
    if "&" not in html or not LONGER_NAME.search(html):
        return html
    return TAG.sub(_plain_references, html)


def _plain_references(tag: re.Match[str]) -> str:
    start = tag.start(4) - tag.start() if tag[4] else len(tag[0])
    return tag[0][:start] + LONGER_NAME.sub(_plain_reference, tag[0][start:])


def _plain_reference(found: re.Match[str]) -> str:
    name = found[1]
    return found[0] if name in html5 and name.endswith(";") else f"&amp;{name}"


def _has_private(html: bytes) -> bool:
    """Whether a page may have characters that mean something to its own fonts, such as icons."""
    if (b"\xee" in html or b"\xef" in html) and PRIVATE_BYTES.search(html):
        return True
    return b"&#" in html and PRIVATE_REFERENCE.search(html) is not None


def _spaced_cells(html: bytes) -> bytes:
    """Put a space before every table cell, or words of neighbouring cells would run together."""
    return CELL.sub(b" <", html)


def _attribute(found: Elements, tag: str, name: str) -> str:
    """An attribute of the first such element that has it."""
    for node in found.others.get(tag, ()):
        if value := node.getattr(name):
            return str(value).strip(EDGES)
    return ""


def _base(url: str, declared: str) -> str:
    """What references on a page are resolved against; a base that is over-long is none."""
    if len(declared) > LONGEST:
        return url
    return url if not declared and is_plain(url) else resolve(url, declared) or url


def _main_start(text: str, main: tuple[int, ...]) -> str:
    """The beginning of the main content, or of the text where there is none."""
    return text[main[0] : main[0] + 2 * ENOUGH] if main else text


def _said(found: Elements, base: str, policy: Policy) -> dict[str, str]:
    """What the head declares: canonical URL, robots rules, an immediate refresh."""
    said: dict[str, str] = {}
    for node in found.others.get("link", ()):
        if "canonical" in (node.getattr("rel") or "").lower().split() and "canonical" not in said:
            target = resolve(base, node.getattr("href") or "")
            said["canonical"] = canonical(target, policy) if len(target) <= LONGEST else ""
    for node in found.others.get("meta", ()):
        content = node.getattr("content") or ""
        if (node.getattr("name") or "").lower() == "robots":
            said.setdefault("robots", content.lower())
        elif (node.getattr("http-equiv") or "").lower() == "refresh":
            sent = REFRESH.match(content)
            target = resolve(base, sent[1]) if sent else ""
            if target and len(target) <= LONGEST:
                said.setdefault("refresh", canonical(target, policy))
    return said
