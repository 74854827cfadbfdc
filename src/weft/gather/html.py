"""From bytes to a page: words, links with their surroundings, and what the page says of itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from operator import attrgetter

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding, map_encoding_to_html5
from resiliparse.parse.html import DOMNode, HTMLTree

from weft.gather.content import main_spans
from weft.gather.guard import bounded
from weft.gather.language import ENOUGH, detect
from weft.gather.page import Link, Page, Problems, Record
from weft.gather.url import LONGEST, Policy, canonical, folder_of, link_target, resolve

AROUND = 50
DEEPEST_PATH = 64
LONGEST_ANCHOR = 1_000
POSITION = attrgetter("position")

# Links are marked in the tree by private characters, so that one extraction of the text yields
# their anchors, positions and surroundings. OPEN + n % OPENINGS opens the n-th link.
CLOSING, OPEN, OPENINGS = "\ue000", 0xE100, 6000
MARKS = re.compile("([\ue000-\uf8ff])")
PRIVATE = re.compile("[\ue000-\uf8ff]")
PRIVATE_REFERENCE = re.compile(
    r"&#(?:0*(?:5734[4-9]|573[5-9]\d|57[4-9]\d\d|5[89]\d{3}|6[0-2]\d{3}|63[0-6]\d\d|637[0-3]\d"
    r"|6374[0-3])(?!\d)|[xX]0*(?:[eE][0-9a-fA-F]{3}|[fF][0-8][0-9a-fA-F]{2})(?![0-9a-fA-F]));?"
)
REFRESH = re.compile(r"\s*0*[01]?(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.IGNORECASE)
BYTE_ORDER = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
SOURCES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}


@dataclass(frozen=True, slots=True)
class Reading:
    """How pages are read: the cap on links, and what is worth its time."""

    max_links: int = 10_000
    max_bytes: int = 32 << 20
    main: bool = True
    language: bool = True
    policy: Policy = field(default_factory=Policy)


@dataclass(slots=True)
class Marked:
    """A link element on its way to becoming a `Link`; `title` is its name if no text is inside."""

    target: str
    rel: str
    element: str
    path: str
    title: str
    start: int = -1
    end: int = -1


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
        target = resolve(record.url, record.location.strip())
        form = canonical(target, reading.policy) if len(target) <= LONGEST else ""
        return replace(page, kind="redirect", redirect=form, reason=f"HTTP {record.status}")
    if record.plain:
        text = decode(record)
        return replace(page, text=text, language=detect(text) if reading.language else "")
    page = _parsed(page, record, reading, problems)
    return replace(page, kind="error", links=()) if record.status >= 400 else page


def _parsed(page: Page, record: Record, reading: Reading, problems: Problems) -> Page:
    html, cut = bounded(decode(record))
    tree = HTMLTree.parse(_spaced_cells(_without_private(html)))
    base = resolve(record.url, _attribute(tree, "base", "href")) or record.url
    marked, beyond, long = _mark(tree, base, reading)
    marked_text = extract_plain_text(tree, links=False, alt_texts=True, list_bullets=False)
    text, links = _unmark(marked_text, marked)
    if beyond:
        problems.tell("links beyond the cap on a page", page.url, damage=False, times=beyond)
    if long:
        problems.tell("links with over-long URLs", page.url, damage=False, times=long)
    main = main_spans(text, links) if reading.main else ()
    said = _said(tree, base, reading.policy)
    declared = _attribute(tree, "html", "lang")
    return replace(
        page,
        title=_squeeze(MARKS.sub("", tree.title or "")) or page.title,
        text=text,
        main=main,
        language=detect(_main_start(text, main), declared) if reading.language else "",
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
    head = body[:2048]
    if b"charset" not in head.lower():
        halves = head[:64:2].strip(b"\0"), head[1:64:2].strip(b"\0")
        if len(head) > 1 and any(halves) and not all(halves):
            return "utf-16-le" if halves[0] else "utf-16-be"
        if _is_utf8(body):
            return "utf-8"
    found = detect_encoding(body, from_html_meta=True) or "utf-8"
    return "utf-8" if found.startswith("utf-16") else str(found)


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


def _without_private(html: str) -> str:
    """Take out the characters that serve as marks here; on the web they draw icons."""
    if not html.isascii() and PRIVATE.search(html):
        html = PRIVATE.sub("", html)
    if "&#" in html and PRIVATE_REFERENCE.search(html):
        html = PRIVATE_REFERENCE.sub("", html)
        # What one was taken out of may be another now; a character in its place makes no more.
        html = PRIVATE_REFERENCE.sub("\ufffd", html)
    return html


def _spaced_cells(html: str) -> str:
    """Put a space before every table cell, or words of neighbouring cells would run together."""
    for cell in ("<td", "<TD", "<th", "<TH"):
        if cell in html:
            html = html.replace(cell, f" {cell}")
    return html


def _attribute(tree: HTMLTree, tag: str, name: str) -> str:
    """An attribute of the first such element that has it."""
    for node in tree.document.get_elements_by_tag_name(tag):
        if value := node.getattr(name):
            return str(value).strip()
    return ""


def _mark(tree: HTMLTree, base: str, reading: Reading) -> tuple[list[Marked], int, int]:
    """Put marks around every link, up to the cap; count those beyond it, and over-long ones."""
    marked: list[Marked] = []
    beyond = long = 0
    places = Places()
    folder, policy = folder_of(base), reading.policy
    for tag, node in _link_elements(tree):
        reference = (node.getattr(SOURCES[tag]) or "").strip()
        if not reference or reference[0] == "#":
            continue
        if len(marked) >= reading.max_links:
            beyond += 1
        elif len(reference) > LONGEST:
            long += 1
        else:
            from_page = base if reference[0] == "?" else folder
            if target := link_target(from_page, reference, policy):
                rel = (node.getattr("rel") or "").lower()[:100]
                path = places.path(node.parent)
                title = _wrap(tree, tag, node, chr(OPEN + len(marked) % OPENINGS))
                marked.append(Marked(target, rel, tag, path, title))
    return marked, beyond, long


def _link_elements(tree: HTMLTree) -> Iterator[tuple[str, DOMNode]]:
    for tag in SOURCES:
        for node in list(tree.document.get_elements_by_tag_name(tag)):
            yield tag, node


def _wrap(tree: HTMLTree, tag: str, node: DOMNode, opening: str) -> str:
    """Mark a link; what it is called where no text stands inside it."""
    first = node.first_child if tag == "a" else None
    if first is not None:
        node.insert_before(tree.create_text_node(opening), first)
        node.append_child(tree.create_text_node(CLOSING))
        return ""
    if tag == "a":
        node.append_child(tree.create_text_node(opening + CLOSING))
    else:
        node.parent.insert_before(tree.create_text_node(opening + CLOSING), node)
    return node.getattr("alt") or node.getattr("title") or ""


def _unmark(text: str, marked: list[Marked]) -> tuple[str, tuple[Link, ...]]:
    """Take the marks out of the text; where they stood gives each link its place and anchor."""
    pieces = MARKS.split(text)
    opened: list[Marked] = []
    done = expected = 0
    for k in range(1, len(pieces), 2):
        if not pieces[k - 1] and pieces[k] != CLOSING and pieces[k - 2] == CLOSING:
            pieces[k - 1] = " "
        done += len(pieces[k - 1])
        if pieces[k] == CLOSING:
            if opened:
                opened.pop().end = done
            continue
        expected += (ord(pieces[k]) - OPEN - expected) % OPENINGS
        if expected < len(marked):
            marked[expected].start = done
            opened.append(marked[expected])
            expected += 1
    plain = "".join(pieces[::2])
    flat = plain.replace("\n", " ")
    links = [_link(flat, link) for link in marked]
    links.sort(key=POSITION)
    return plain, tuple(links)


def _link(flat: str, link: Marked) -> Link:
    start, end = link.start, max(link.start, link.end)
    if start < 0:
        return Link(
            link.target, _squeeze(link.title), "", "", link.rel, link.element, -1, link.path
        )
    return Link(
        link.target,
        flat[start : min(end, start + LONGEST_ANCHOR)].strip() or _squeeze(link.title),
        flat[max(0, start - AROUND) : start].strip(),
        flat[end : end + AROUND].strip(),
        link.rel,
        link.element,
        start,
        link.path,
    )


def _squeeze(text: str) -> str:
    return " ".join(text[:LONGEST_ANCHOR].split())


def _main_start(text: str, main: tuple[int, ...]) -> str:
    """The beginning of the main content, or of the text where there is none."""
    return text[main[0] : main[0] + 2 * ENOUGH] if main else text


def _said(tree: HTMLTree, base: str, policy: Policy) -> dict[str, str]:
    """What the head declares: canonical URL, robots rules, an immediate refresh."""
    said: dict[str, str] = {}
    for node in tree.document.get_elements_by_tag_name("link"):
        if "canonical" in (node.getattr("rel") or "").lower().split() and "canonical" not in said:
            target = resolve(base, (node.getattr("href") or "").strip())
            said["canonical"] = canonical(target, policy) if len(target) <= LONGEST else ""
    for node in tree.document.get_elements_by_tag_name("meta"):
        content = node.getattr("content") or ""
        if (node.getattr("name") or "").lower() == "robots":
            said.setdefault("robots", content.lower())
        elif (node.getattr("http-equiv") or "").lower() == "refresh":
            found = REFRESH.match(content)
            target = resolve(base, found[1].strip()) if found else ""
            if target and len(target) <= LONGEST:
                said.setdefault("refresh", canonical(target, policy))
    return said


class Places:
    """Where blocks stand in a page: `body/div[2]/ul[1]/li[3]`, each the n-th child element."""

    def __init__(self) -> None:
        self._paths: dict[DOMNode, str] = {}
        self._last: dict[DOMNode, tuple[DOMNode, int]] = {}

    def path(self, node: DOMNode | None) -> str:
        """The path of a block; below sixty-four levels, that of the block around it."""
        chain = []
        while (
            node is not None and node not in self._paths and node.tag not in ("html", "#document")
        ):
            chain.append(node)
            node = node.parent
        path = self._paths.get(node, "") if node is not None else ""
        for block in reversed(chain):
            if path.count("/") < DEEPEST_PATH:
                step = block.tag if block.tag in ("body", "frameset") else self._step(block)
                path = f"{path}/{step}" if path else step
            self._paths[block] = path
        return path

    def _step(self, block: DOMNode) -> str:
        parent = block.parent
        last, ordinal = self._last.get(parent, (parent.first_element_child, 1))
        while last != block and last is not None:
            last, ordinal = last.next_element, ordinal + 1
        if last is None:
            return str(block.tag)
        self._last[parent] = last, ordinal
        return f"{block.tag}[{ordinal}]"
