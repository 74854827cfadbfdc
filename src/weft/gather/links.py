"""Extract the links of a page with their anchors, positions and surroundings.

Each link is marked in the tree by text nodes, so that one text extraction gives
all of it. A mark begins with the NUL character, which no parsed page contains,
so that no page can forge one.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from resiliparse.parse.html import DOMNode, HTMLTree

from weft.gather.page import Link
from weft.gather.url import (
    MAX_CACHED_CHARS,
    MAX_URL_CHARS,
    URL_STRIP_CHARS,
    UrlPolicy,
    link_target_resolver,
    parent_folder,
)

CONTEXT_CHARS = 50
MAX_PATH_DEPTH = 64
MAX_ANCHOR_CHARS = 1_000
MAX_TAG_NAME_CHARS = 32
LINK_ATTRIBUTES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}

# NUL and the character FIRST_LINK_CODE + n open link n; NUL and a slash close the innermost link.
LINK_MARK, FIRST_LINK_CODE = "\0", 0x10000
LINK_END_MARK = f"{LINK_MARK}/"
# Private-use characters, which only the fonts of a page can draw, mostly as icons; with the space
# that follows one that stands alone.
PRIVATE_USE_CHARS = re.compile("(?<![^ \\n])[\ue000-\uf8ff]+ ?|[\ue000-\uf8ff]+")
ROOT_TAGS = ("body", "frameset")

# One query for all elements of interest; a link without address leads nowhere. No element is
# found twice.
LINK_AND_META_SELECTOR = "a[href],area[href],frame[src],iframe[src],base[href],html,link,meta"


class PageElements(NamedTuple):
    """The link elements of a page, and its metadata elements by tag, in page order."""

    links: Sequence[tuple[str, DOMNode]]
    by_tag: Mapping[str, Sequence[DOMNode]]


# Target, rel, element and path of a marked link, and its name (alt or title) if it has no text.
MarkedLink = tuple[str, str, str, str, str]


def find_link_meta_elements(tree: HTMLTree) -> PageElements:
    """Find link elements and metadata elements, in page order."""
    links: list[tuple[str, DOMNode]] = []
    others: defaultdict[str, list[DOMNode]] = defaultdict(list)
    for node in tree.document.query_selector_all(LINK_AND_META_SELECTOR):
        tag = node.tag
        if tag in LINK_ATTRIBUTES:
            links.append((tag, node))
        else:
            others[tag].append(node)
    return PageElements(links, others)


def insert_link_markers(
    tree: HTMLTree, elements: PageElements, base_url: str, policy: UrlPolicy, max_links: int
) -> tuple[list[MarkedLink], int, int]:
    """Mark up to `max_links` links; also count those over the limit, and overlong ones."""
    marked: list[MarkedLink] = []
    over_limit = overlong = 0
    dom_path, resolve_link = dom_path_finder(tree), link_resolver(base_url, policy)
    for tag, node in elements.links:
        reference = (node.getattr(LINK_ATTRIBUTES[tag]) or "").strip(URL_STRIP_CHARS)
        if not reference or reference[0] == "#":
            continue
        if len(marked) >= max_links:
            over_limit += 1
        elif len(reference) > MAX_URL_CHARS:
            overlong += 1
        elif target := resolve_link(reference):
            rel = node.getattr("rel")
            path = dom_path(node.parent)
            title = _insert_link_marker(tree, tag, node, chr(FIRST_LINK_CODE + len(marked)))
            marked.append((target, rel.lower()[:100] if rel else "", tag, path, title))
    return marked, over_limit, overlong


def link_resolver(base_url: str, policy: UrlPolicy) -> Callable[[str], str]:
    """A function from a reference on a page to its canonical URL, or nothing.

    Fragments that the policy ignores are removed first: many references differ
    in nothing else, and then share one cache entry.
    """
    folder, resolve_target = parent_folder(base_url), link_target_resolver(policy)
    max_cached_chars = MAX_CACHED_CHARS - len(base_url)

    def resolve_link(reference: str) -> str:
        if policy.fragment and (k := reference.find("#")) > 0 and reference[k - 1] > " ":
            reference = reference[:k]
        base = base_url if reference[0] == "?" else folder
        is_short = len(reference) <= max_cached_chars
        return (resolve_target if is_short else resolve_target.__wrapped__)(base, reference)

    return resolve_link


def _insert_link_marker(tree: HTMLTree, tag: str, node: DOMNode, opening_char: str) -> str:
    """Mark a link element; return its alt or title if it has no text inside."""
    first = node.first_child if tag == "a" else None
    if first is not None:
        node.insert_before(tree.create_text_node(LINK_MARK + opening_char), first)
        node.append_child(tree.create_text_node(LINK_END_MARK))
        return ""
    inside = tree.create_text_node(LINK_MARK + opening_char + LINK_END_MARK)
    if tag == "a":
        node.append_child(inside)
    else:
        node.parent.insert_before(inside, node)
    return node.getattr("alt") or node.getattr("title") or ""


def extract_marked_links(text: str, marked: Sequence[MarkedLink]) -> tuple[str, tuple[Link, ...]]:
    """Remove the marks from a text; their positions give each link its anchor and context."""
    plain, starts, ends = _link_spans(text, len(marked))
    flat = plain.replace("\n", " ")
    # Whole columns instead of a loop over links: there may be 10,000 on a page.
    target, rel, element, path, title = zip(*marked, strict=True) if marked else [()] * 5
    spans = list(zip(starts, ends, strict=True))
    inside = [flat[a : min(b, a + MAX_ANCHOR_CHARS)].strip() if a >= 0 else "" for a, b in spans]
    anchor = [text or clean_single_line(name) for text, name in zip(inside, title, strict=True)]
    before = [
        flat[a - CONTEXT_CHARS if a > CONTEXT_CHARS else 0 : a].strip() if a > 0 else ""
        for a in starts
    ]
    after = [flat[b : b + CONTEXT_CHARS].strip() if b >= 0 else "" for b in ends]
    weight = [1.0] * len(marked)
    rows = zip(target, anchor, before, after, rel, element, starts, path, weight, strict=True)
    return plain, tuple(map(partial(tuple.__new__, Link), rows))


def _link_spans(text: str, link_count: int) -> tuple[str, list[int], list[int]]:
    """The text without marks, and the start and end of each link in it; -1 if it is not there."""
    pieces = text.split(LINK_MARK)
    starts, ends = [-1] * link_count, [-1] * link_count
    open_links: list[int] = []
    kept = pieces[:1]
    # `touching`: a link has just ended, with no text since. A link that follows gets a space.
    length, touching = len(pieces[0]), False
    for piece in islice(pieces, 1, None):
        text_after = piece[1:]
        if piece[0] == "/":
            touching = not text_after
            if open_links:
                ends[open_links.pop()] = length
        else:
            number = ord(piece[0]) - FIRST_LINK_CODE
            starts[number] = ends[number] = length + touching
            open_links.append(number)
            text_after = f" {text_after}" if touching else text_after
            touching = False
        kept.append(text_after)
        length += len(text_after)
    return "".join(kept), starts, ends


def clean_single_line(text: str) -> str:
    """A text on one line, without private-use characters."""
    return " ".join(PRIVATE_USE_CHARS.sub("", text[:MAX_ANCHOR_CHARS]).split())


def dom_path_finder(tree: HTMLTree) -> Callable[[DOMNode], str]:
    """A function from an element to its path, as `body/div[2]/ul[1]/li[3]`.

    The number counts all sibling elements, whatever their tags. Below 64
    levels, an element has the path of its parent.
    """
    root = tree.document
    paths: dict[DOMNode | None, str] = {root: "", root.first_element_child: "", None: ""}
    ordinals: dict[DOMNode | None, int] = {None: 0}
    known_path, known_ordinal = paths.get, ordinals.get

    def dom_path(element: DOMNode) -> str:
        # Climb to the nearest element with a known path, then go down again.
        chain = []
        while (path := known_path(element)) is None:
            chain.append(element)
            element = element.parent
        for node in reversed(chain):
            if len(path) < MAX_PATH_DEPTH or path.count("/") < MAX_PATH_DEPTH:
                step = node.tag[:MAX_TAG_NAME_CHARS]
                if step not in ROOT_TAGS:
                    # Count back to the nearest sibling with a known ordinal: linear in total.
                    sibling, n = node.prev_element, 1
                    while (ordinal := known_ordinal(sibling)) is None:
                        sibling, n = sibling.prev_element, n + 1
                    ordinals[node] = n = ordinal + n
                    step = f"{step}[{n}]"
                path = f"{path}/{step}" if path else step
            paths[node] = path
        return path

    return dom_path
