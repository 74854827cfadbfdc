"""The links of a page: marked in its tree, then read off its text with their surroundings.

Links are marked by private characters, so that one extraction of the text
yields their anchors, positions and surroundings.
"""

from collections.abc import Sequence
from itertools import islice
from operator import itemgetter

from resiliparse.parse.html import DOMNode, HTMLTree

from weft.gather.page import Link
from weft.gather.url import LONGEST, REMEMBERED, Policy, folder_of, targets

AROUND = 50
DEEPEST_PATH = 64
LONGEST_ANCHOR = 1_000
SOURCES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}

# A mark alone closes a link; with OPEN + n % OPENINGS behind it, it opens the n-th.
MARK, OPEN, OPENINGS = "\ue000", 0xE100, 6000
FIRST, LAST = chr(OPEN), chr(OPEN + OPENINGS - 1)
ROOTS = ("body", "frameset")
POSITION = itemgetter(Link._fields.index("position"))


# A link element on its way to becoming a `Link`: its target, rel, element and path, and the name
# it has if no text is inside.
Marked = tuple[str, str, str, str, str]


def mark(tree: HTMLTree, base: str, policy: Policy, most: int) -> tuple[list[Marked], int, int]:
    """Put marks around every link, up to the cap; count those beyond it, and over-long ones."""
    marked: list[Marked] = []
    beyond = long = 0
    places = Places(tree)
    leads = Leads(base, policy)
    for tag, source in SOURCES.items():
        for node in list(tree.document.get_elements_by_tag_name(tag)):
            reference = (node.getattr(source) or "").strip()
            if not reference or reference[0] == "#":
                continue
            if len(marked) >= most:
                beyond += 1
            elif len(reference) > LONGEST:
                long += 1
            elif target := leads.to(reference):
                rel = node.getattr("rel")
                path = places[node.parent]
                title = _wrap(tree, tag, node, chr(OPEN + len(marked) % OPENINGS))
                marked.append((target, rel.lower()[:100] if rel else "", tag, path, title))
    return marked, beyond, long


class Leads:
    """Where the references on a page lead."""

    def __init__(self, base: str, policy: Policy) -> None:
        self._base, self._folder = base, folder_of(base)
        self._target = targets(policy)
        self._short = REMEMBERED - len(base)

    def to(self, reference: str) -> str:
        """The canonical URL of a target, or nothing."""
        from_page = self._base if reference[0] == "?" else self._folder
        short = len(reference) <= self._short
        return (self._target if short else self._target.__wrapped__)(from_page, reference)


def _wrap(tree: HTMLTree, tag: str, node: DOMNode, opening: str) -> str:
    """Mark a link; what it is called where no text stands inside it."""
    first = node.first_child if tag == "a" else None
    if first is not None:
        node.insert_before(tree.create_text_node(MARK + opening), first)
        node.append_child(tree.create_text_node(MARK))
        return ""
    inside = tree.create_text_node(MARK + opening + MARK)
    if tag == "a":
        node.append_child(inside)
    else:
        node.parent.insert_before(inside, node)
    return node.getattr("alt") or node.getattr("title") or ""


def unmark(text: str, marked: Sequence[Marked]) -> tuple[str, tuple[Link, ...]]:
    """Take the marks out of the text; where they stood gives each link its place and anchor."""
    pieces = text.split(MARK)
    starts, ends = [-1] * len(marked), [-1] * len(marked)
    opened: list[int] = []
    kept = pieces[:1]
    done, expected, touching = len(pieces[0]), 0, False
    for piece in islice(pieces, 1, None):
        sign = piece[:1]
        if FIRST <= sign <= LAST:
            words = f" {piece[1:]}" if touching else piece[1:]
            expected += (ord(sign) - OPEN - expected) % OPENINGS
            if expected < len(marked):
                starts[expected] = ends[expected] = done + touching
                opened.append(expected)
                expected += 1
            touching = False
        else:
            words, touching = piece, not piece
            if opened:
                ends[opened.pop()] = done
        kept.append(words)
        done += len(words)
    plain = "".join(kept)
    flat = plain.replace("\n", " ")
    links = [_link(flat, *row) for row in zip(marked, starts, ends, strict=True)]
    links.sort(key=POSITION)
    return plain, tuple(links)


def _link(flat: str, link: Marked, start: int, end: int) -> Link:
    target, rel, element, path, title = link
    if start < 0:
        return Link(target, squeeze(title), "", "", rel, element, -1, path)
    return Link(
        target,
        flat[start:end][:LONGEST_ANCHOR].strip() or squeeze(title),
        flat[start - AROUND if start > AROUND else 0 : start].strip(),
        flat[end : end + AROUND].strip(),
        rel,
        element,
        start,
        path,
    )


def squeeze(text: str) -> str:
    """A name on one line."""
    return " ".join(text[:LONGEST_ANCHOR].split())


class Places(dict[DOMNode | None, str]):
    """Where blocks stand in a page: `body/div[2]/ul[1]/li[3]`, each the n-th child element.

    Below sixty-four levels, a block is where the block around it is.
    """

    def __init__(self, tree: HTMLTree) -> None:
        super().__init__({tree.document: "", tree.document.first_element_child: "", None: ""})
        self._ordinals: dict[DOMNode | None, int] = {None: 0}

    def __missing__(self, node: DOMNode) -> str:
        chain = []
        while node not in self:
            chain.append(node)
            node = node.parent
        path = self[node]
        for block in reversed(chain):
            if len(path) < DEEPEST_PATH or path.count("/") < DEEPEST_PATH:
                path = f"{path}/{self._step(block)}" if path else self._step(block)
            self[block] = path
        return path

    def _step(self, block: DOMNode) -> str:
        """The last step to a block, by its place after the nearest neighbour whose is known."""
        if block.tag in ROOTS:
            return str(block.tag)
        known, before, steps = self._ordinals, block.prev_element, 1
        while before not in known:
            before, steps = before.prev_element, steps + 1
        known[block] = known[before] + steps
        return f"{block.tag}[{known[block]}]"
