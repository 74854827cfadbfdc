"""Which part of a page is its content, and which its furniture.

The rules are those that Kohlschütter, Fankhauser and Nejdl learned from
labelled news pages ("Boilerplate detection using shallow text features",
2010): how many words a block has, how much of it is links, and how the blocks
before and after it stand.
"""

import re
from collections.abc import Sequence

from weft.gather.page import Link

BREAK = re.compile(r"\n\s*\n")
MOST_LINKED, MOST_LINKED_BEFORE = 1 / 3, 5 / 9


def main_spans(text: str, links: Sequence[Link]) -> tuple[int, ...]:
    r"""Where the main content begins and ends in the text, in pairs; neighbours are joined.

    Examples
    --------
    >>> home = Link("http://example.com/", "Home", position=0)
    >>> main_spans("Home\n\n" + "One long paragraph of many words. " * 7, [home])
    (6, 244)
    """
    blocks = _blocks(text)
    linked = _linked(blocks, links)
    words = [text.count(" ", a, b) + text.count("\n", a, b) + 1 for a, b in blocks] + [0]
    spans: list[int] = []
    before = 0, 0.0
    for k, (start, end) in enumerate(blocks):
        share = linked[k] / (end - start)
        if _is_content(words[k], share, before, words[k + 1]):
            if spans and not text[spans[-1] : start].strip():
                spans[-1] = end
            else:
                spans += [start, end]
        before = words[k], share
    return tuple(spans)


def _is_content(words: int, share: float, before: tuple[int, float], next_words: int) -> bool:
    if share > MOST_LINKED:
        return False
    if before[1] <= MOST_LINKED_BEFORE:
        return words > 16 or next_words > 15 or before[0] > 4
    return words > 40 or next_words > 17


def _blocks(text: str) -> list[tuple[int, int]]:
    """The paragraphs of a text that have something in them."""
    blocks, at = [], 0
    for gap in BREAK.finditer(text):
        if gap.start() > at:
            blocks.append((at, gap.start()))
        at = gap.end()
    if at < len(text):
        blocks.append((at, len(text)))
    return blocks


def _linked(blocks: list[tuple[int, int]], links: Sequence[Link]) -> list[int]:
    """How many characters of each block are anchors; links come in the order of the text."""
    counts = [0] * len(blocks)
    k = 0
    for link in links:
        while k < len(blocks) and blocks[k][1] <= link.position:
            k += 1
        if k < len(blocks) and link.position >= blocks[k][0]:
            counts[k] += len(link.anchor)
    return counts
