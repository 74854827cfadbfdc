"""Separate the main content of a page from boilerplate such as menus and footers.

The decision tree of Kohlschütter, Fankhauser and Nejdl ("Boilerplate detection
using shallow text features", 2010), learned from labelled news pages: number of
words and link density of a block, and of the blocks before and after it.
"""

import re
from collections.abc import Sequence

from weft.gather.page import Link

PARAGRAPH_BREAK = re.compile(r"\n\s*\n")
MAX_LINK_DENSITY, MAX_PREVIOUS_LINK_DENSITY = 1 / 3, 5 / 9


def find_main_spans(text: str, links: Sequence[Link]) -> tuple[int, ...]:
    r"""The start and end offsets of the main content, in pairs; adjacent blocks are joined.

    Examples
    --------
    >>> home = Link("http://example.com/", "Home", position=0)
    >>> find_main_spans("Home\n\n" + "One long paragraph of many words. " * 7, [home])
    (6, 244)
    """
    blocks = _text_blocks(text)
    anchor_chars = _anchor_chars_per_block(blocks, links)
    words = [text.count(" ", a, b) + text.count("\n", a, b) + 1 for a, b in blocks] + [0]
    spans: list[int] = []
    previous = 0, 0.0
    for k, (start, end) in enumerate(blocks):
        link_density = anchor_chars[k] / (end - start)
        if _is_content(words[k], link_density, previous, words[k + 1]):
            if spans and not text[spans[-1] : start].strip():
                spans[-1] = end
            else:
                spans += [start, end]
        previous = words[k], link_density
    return tuple(spans)


def _is_content(
    word_count: int, link_density: float, previous: tuple[int, float], next_word_count: int
) -> bool:
    """The decision tree of the paper; `previous` is word count and link density."""
    if link_density > MAX_LINK_DENSITY:
        return False
    if previous[1] <= MAX_PREVIOUS_LINK_DENSITY:
        return word_count > 16 or next_word_count > 15 or previous[0] > 4
    return word_count > 40 or next_word_count > 17


def _text_blocks(text: str) -> list[tuple[int, int]]:
    """The spans of the paragraphs of a text that are not empty."""
    blocks, start = [], 0
    for gap in PARAGRAPH_BREAK.finditer(text):
        if gap.start() > start:
            blocks.append((start, gap.start()))
        start = gap.end()
    if start < len(text):
        blocks.append((start, len(text)))
    return blocks


def _anchor_chars_per_block(blocks: list[tuple[int, int]], links: Sequence[Link]) -> list[int]:
    """The number of anchor characters in each block; links are sorted by position."""
    counts = [0] * len(blocks)
    k = 0
    for link in links:
        while k < len(blocks) and blocks[k][1] <= link.position:
            k += 1
        if k < len(blocks) and link.position >= blocks[k][0]:
            counts[k] += len(link.anchor)
    return counts
