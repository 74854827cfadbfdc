"""The links of a page: marked in its tree, then read off its text with their surroundings.

Links are marked in the text itself, so that one extraction of it yields their
anchors, positions and surroundings. A mark begins with the zero character,
which no parsed page holds, so that no page can forge one.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from resiliparse.parse.html import DOMNode, HTMLTree

from weft.gather.page import Link
from weft.gather.url import EDGES, LONGEST, REMEMBERED, Policy, folder_of, targets

AROUND = 50
DEEPEST_PATH = 64
LONGEST_ANCHOR = 1_000
LONGEST_TAG = 32
SOURCES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}

# A mark opens the n-th link with the character OPEN + n behind it, and closes one with a slash.
MARK, OPEN = "\0", 0x10000
CLOSE = f"{MARK}/"
# Characters that mean something to the fonts of a page only, mostly icons, with the space that
# follows one that stands for itself.
PRIVATE = re.compile("(?<![^ \\n])[\ue000-\uf8ff]+ ?|[\ue000-\uf8ff]+")
ROOTS = ("body", "frameset")

# What a page says by its elements, found in one walk; a link without address leads nowhere. No
# element is found twice.
TELLING = "a[href],area[href],frame[src],iframe[src],base[href],html,link,meta"


class Elements(NamedTuple):
    """The elements of a page that say something: its links, and others by their tags, in order."""

    links: Sequence[tuple[str, DOMNode]]
    others: Mapping[str, Sequence[DOMNode]]


# A link element on its way to becoming a `Link`: its target, rel, element and path, and the name
# it has if no text is inside.
Marked = tuple[str, str, str, str, str]


def elements(tree: HTMLTree) -> Elements:
    """The elements of a page that say something, in the order of the page."""
    links: list[tuple[str, DOMNode]] = []
    others: defaultdict[str, list[DOMNode]] = defaultdict(list)
    for node in tree.document.query_selector_all(TELLING):
        tag = node.tag
        if tag in SOURCES:
            links.append((tag, node))
        else:
            others[tag].append(node)
    return Elements(links, others)


def mark(
    tree: HTMLTree, found: Elements, base: str, policy: Policy, most: int
) -> tuple[list[Marked], int, int]:
    """Put marks around every link, up to the cap; count those beyond it, and over-long ones."""
    marked: list[Marked] = []
    beyond = long = 0
    place, lead = places(tree), leads(base, policy)
    for tag, node in found.links:
        reference = (node.getattr(SOURCES[tag]) or "").strip(EDGES)
        if not reference or reference[0] == "#":
            continue
        if len(marked) >= most:
            beyond += 1
        elif len(reference) > LONGEST:
            long += 1
        elif target := lead(reference):
            rel = node.getattr("rel")
            path = place(node.parent)
            title = _wrap(tree, tag, node, chr(OPEN + len(marked)))
            marked.append((target, rel.lower()[:100] if rel else "", tag, path, title))
    return marked, beyond, long


def leads(base: str, policy: Policy) -> Callable[[str], str]:
    """Where the references on a page lead: to a canonical URL, or nowhere.

    Fragments that do not count are taken off first, for pages are full of
    references that differ in nothing else.
    """
    folder, short, target = folder_of(base), REMEMBERED - len(base), targets(policy)

    def to(reference: str) -> str:
        if policy.fragment and (at := reference.find("#")) > 0 and reference[at - 1] > " ":
            reference = reference[:at]
        from_page = base if reference[0] == "?" else folder
        known = target if len(reference) <= short else target.__wrapped__
        return known(from_page, reference)

    return to


def _wrap(tree: HTMLTree, tag: str, node: DOMNode, opening: str) -> str:
    """Mark a link; what it is called where no text stands inside it."""
    first = node.first_child if tag == "a" else None
    if first is not None:
        node.insert_before(tree.create_text_node(MARK + opening), first)
        node.append_child(tree.create_text_node(CLOSE))
        return ""
    inside = tree.create_text_node(MARK + opening + CLOSE)
    if tag == "a":
        node.append_child(inside)
    else:
        node.parent.insert_before(inside, node)
    return node.getattr("alt") or node.getattr("title") or ""


def unmark(text: str, marked: Sequence[Marked]) -> tuple[str, tuple[Link, ...]]:
    """Take the marks out of the text; where they stood gives each link its place and anchor."""
    plain, starts, ends = _places(text, len(marked))
    flat = plain.replace("\n", " ")
    target, rel, element, path, title = zip(*marked, strict=True) if marked else [()] * 5
    spans = list(zip(starts, ends, strict=True))
    said = [flat[a : min(b, a + LONGEST_ANCHOR)].strip() if a >= 0 else "" for a, b in spans]
    anchor = [words or squeeze(name) for words, name in zip(said, title, strict=True)]
    before = [flat[a - AROUND if a > AROUND else 0 : a].strip() if a > 0 else "" for a in starts]
    after = [flat[b : b + AROUND].strip() if b >= 0 else "" for b in ends]
    weight = [1.0] * len(marked)
    rows = zip(target, anchor, before, after, rel, element, starts, path, weight, strict=True)
    return plain, tuple(map(partial(tuple.__new__, Link), rows))


def _places(text: str, links: int) -> tuple[str, list[int], list[int]]:
    """The text without its marks, and where each link begins and ends in it; -1 where it is not."""
    pieces = text.split(MARK)
    starts, ends = [-1] * links, [-1] * links
    opened: list[int] = []
    kept = pieces[:1]
    done, touching = len(pieces[0]), False
    for piece in islice(pieces, 1, None):
        words = piece[1:]
        if piece[0] == "/":
            touching = not words
            if opened:
                ends[opened.pop()] = done
        else:
            number = ord(piece[0]) - OPEN
            starts[number] = ends[number] = done + touching
            opened.append(number)
            words = f" {words}" if touching else words
            touching = False
        kept.append(words)
        done += len(words)
    return "".join(kept), starts, ends


def squeeze(text: str) -> str:
    """A name on one line, without the characters that only draw icons."""
    return " ".join(PRIVATE.sub("", text[:LONGEST_ANCHOR]).split())


def places(tree: HTMLTree) -> Callable[[DOMNode], str]:
    """Where blocks stand in a page: `body/div[2]/ul[1]/li[3]`, each the n-th child element.

    Below sixty-four levels, a block is where the block around it is.
    """
    root = tree.document
    paths: dict[DOMNode | None, str] = {root: "", root.first_element_child: "", None: ""}
    ordinals: dict[DOMNode | None, int] = {None: 0}
    known, ordinal = paths.get, ordinals.get

    def place(block: DOMNode) -> str:
        chain = []
        while (path := known(block)) is None:
            chain.append(block)
            block = block.parent
        for inner in reversed(chain):
            if len(path) < DEEPEST_PATH or path.count("/") < DEEPEST_PATH:
                step = inner.tag[:LONGEST_TAG]
                if step not in ROOTS:
                    before, n = inner.prev_element, 1
                    while (nearest := ordinal(before)) is None:
                        before, n = before.prev_element, n + 1
                    ordinals[inner] = n = nearest + n
                    step = f"{step}[{n}]"
                path = f"{path}/{step}" if path else step
            paths[inner] = path
        return path

    return place
