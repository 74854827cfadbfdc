"""Micro-hubs to read: the links of one block of a page, and the block as a piece of HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pyarrow as pa

from weft.core.arrays import Offsets
from weft.core.markup import Markup, join, link, tag
from weft.core.wording import address, shortened
from weft.graph.baseset import BaseSet
from weft.topics.dom import common, steps

TOLD = 50
BESIDE = 200
ORDINAL = re.compile(r"\[\d+\]$")
LISTS = {"ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "td", "th"}
PARTS = {"p", "div", "section", "article", "aside", "main", "nav", "header", "footer"}
SIGNS = {"h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "b", "strong", "i", "em", "small"}
PLAIN = LISTS | PARTS | SIGNS


@dataclass(frozen=True, slots=True)
class MicroHub:
    """A block of a page whose links belong together.

    `score` is how much authority the pages have that it points to. `targets`
    and `anchors` are those of its links, in the order of the page, the first
    fifty of `count`. `fragment` is the block as HTML, made again from what a
    collection keeps: the elements around these links, without attributes, the
    links, and the text beside each.
    """

    page: str
    path: str
    score: float
    count: int
    targets: tuple[str, ...]
    anchors: tuple[str, ...]
    fragment: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A link in its block: the elements around it, itself, and the text before and after it."""

    within: tuple[str, ...]
    anchor: Markup
    before: str
    after: str


def micro_hub(
    base: BaseSet, links: pa.Table, rows: Offsets, score: float, texts: Sequence[str]
) -> MicroHub:
    """The micro-hub of some links of one page, which are rows of a table of links."""
    order = np.argsort(links["position"].take(pa.array(rows)).to_numpy(), kind="stable")
    own = links.take(pa.array(rows[order]))
    page, path = own["source"][0].as_py(), common(own["path"].to_pylist())
    told = own.slice(0, TOLD)
    targets = tuple(base.pages[target] for target in told["target"].to_pylist())
    anchors = tuple(" ".join(words.split()) for words in told["anchor"].to_pylist())
    text = texts[page] if len(texts) else ""
    return MicroHub(
        base.pages[page],
        path,
        score,
        len(own),
        targets,
        anchors,
        str(fragment(told, targets, steps(path), text, len(own) - len(told))),
    )


def fragment(
    links: pa.Table, targets: Sequence[str], block: Sequence[str], text: str, more: int = 0
) -> Markup:
    """The block of some links as HTML: its elements without attributes, the links, the text beside.

    Whatever a page says is escaped, and elements that are not plain are `div`s.
    Links that do not count are text.
    """
    above = max(len(block) - 1, 0)
    said = beside(text, links["position"].to_pylist(), links["anchor"].to_pylist())
    pieces = [
        Piece(tuple(steps(path)[above:]), link(target, named(anchor, target)), *around)
        for path, target, anchor, around in zip(
            links["path"].to_pylist(), targets, links["anchor"].to_pylist(), said, strict=True
        )
    ]
    rest = tag("p", f"and {more:,} more") if more else ""
    return join([nested(pieces, 0), rest])


def named(anchor: str, target: str) -> str:
    """What a link says, or else where it leads."""
    return " ".join(anchor.split()) or address(target)


def nested(pieces: Sequence[Piece], depth: int) -> Markup:
    """Pieces inside the elements that they share from some depth on."""
    made: list[object] = []
    for step, group in groupby(pieces, key=lambda piece: "".join(piece.within[depth : depth + 1])):
        if step:
            made.append(tag(element(step), nested(list(group), depth + 1)))
        else:
            made += (join([one.before, one.anchor, one.after], " ") for one in group)
    return join(made, " ")


def element(step: str) -> str:
    """The element of a step of a path; one that is not plain is a `div`."""
    name = ORDINAL.sub("", step)
    return name if name in PLAIN else "div"


def beside(text: str, starts: Sequence[int], anchors: Sequence[str]) -> list[tuple[str, str]]:
    """The text of a page before and after each of some links, which stand in its order.

    Text between two links stands behind the first of them, but for its last
    line, which stands before the second. Of the text before the first link and
    behind the last one there is only the line of the link; nothing where the
    place of a link is not known.
    """
    ends = [_end(text, start, anchor) for start, anchor in zip(starts, anchors, strict=True)]
    before, after = [""] * len(starts), [""] * len(starts)
    for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if start < 0:
            continue
        last = ends[k - 1] if k and starts[k - 1] >= 0 else 0
        before[k] = text[max(text.rfind("\n", 0, start) + 1, last) : start]
        if k + 1 < len(starts):
            follows = starts[k + 1]
            line = max(text.rfind("\n", 0, follows), end)
        else:
            line = text.find("\n", end)
            line = len(text) if line < 0 else line
        after[k] = text[end:line]
    return [
        (_last(words), shortened(more, BESIDE)) for words, more in zip(before, after, strict=True)
    ]


def _end(text: str, start: int, anchor: str) -> int:
    """Where a link ends in the text; where it starts if its anchor is not there."""
    flat = text[start : start + 2 * len(anchor) + 2].replace("\n", " ") if start >= 0 else ""
    at = flat.find(anchor) if anchor else -1
    return start + at + len(anchor) if at >= 0 else start


def _last(words: str) -> str:
    """The last words of a text, in one line."""
    line = " ".join(words[-BESIDE:].split())
    return f"…{line}" if len(words) > BESIDE else line
