"""Micro-hubs for display: the links of one block of a page, and the block as HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pyarrow as pa

from weft.core.arrays import Offsets
from weft.core.html import Markup, html_element, join_html, page_link
from weft.core.text import shorten, strip_scheme
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import MicroHub
from weft.topics.dom_tree import common_ancestor_path, split_path

MAX_LINKS_SHOWN = 50
MAX_CONTEXT_CHARS = 200
PATH_INDEX = re.compile(r"\[\d+\]$")
LIST_TAGS = {"ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "td", "th"}
SECTION_TAGS = {"p", "div", "section", "article", "aside", "main", "nav", "header", "footer"}
TEXT_TAGS = {"h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "b", "strong", "i", "em", "small"}
ALLOWED_TAGS = LIST_TAGS | SECTION_TAGS | TEXT_TAGS


@dataclass(frozen=True, slots=True)
class LinkInBlock:
    """A link in its block: the path inside the block, its HTML, the text before and after."""

    inner_path: tuple[str, ...]
    link_html: Markup
    before: str
    after: str


def build_micro_hub(
    base: BaseSet, links: pa.Table, row_ids: Offsets, score: float, texts: Sequence[str]
) -> MicroHub:
    """Build the micro-hub of some links of one page, given as rows of a table."""
    order = np.argsort(links["position"].take(pa.array(row_ids)).to_numpy(), kind="stable")
    rows = links.take(pa.array(row_ids[order]))
    page, path = rows["source"][0].as_py(), common_ancestor_path(rows["path"].to_pylist())
    shown = rows.slice(0, MAX_LINKS_SHOWN)
    targets = tuple(base.pages[target] for target in shown["target"].to_pylist())
    anchors = tuple(" ".join(anchor.split()) for anchor in shown["anchor"].to_pylist())
    text = texts[page] if len(texts) else ""
    return MicroHub(
        base.pages[page],
        path,
        score,
        len(rows),
        targets,
        anchors,
        str(render_fragment(shown, targets, split_path(path), text, len(rows) - len(shown))),
    )


def render_fragment(
    links: pa.Table,
    targets: Sequence[str],
    block_path: Sequence[str],
    text: str,
    hidden_links: int = 0,
) -> Markup:
    """Render a block as HTML: its elements without attributes, the links, the text beside.

    All text is escaped, and elements that are not allowed become `div`. Links
    that do not count are plain text.
    """
    above = max(len(block_path) - 1, 0)
    contexts = text_around_links(text, links["position"].to_pylist(), links["anchor"].to_pylist())
    block_links = [
        LinkInBlock(
            tuple(split_path(path)[above:]), page_link(target, link_text(anchor, target)), *context
        )
        for path, target, anchor, context in zip(
            links["path"].to_pylist(), targets, links["anchor"].to_pylist(), contexts, strict=True
        )
    ]
    more = html_element("p", f"and {hidden_links:,} more") if hidden_links else ""
    return join_html([render_nested(block_links, 0), more])


def link_text(anchor: str, target: str) -> str:
    """The anchor text, or the target without scheme if there is none."""
    return " ".join(anchor.split()) or strip_scheme(target)


def render_nested(block_links: Sequence[LinkInBlock], depth: int) -> Markup:
    """Render links inside the elements that they share, from some depth on."""
    parts: list[object] = []
    for step, group in groupby(
        block_links, key=lambda link_in_block: "".join(link_in_block.inner_path[depth : depth + 1])
    ):
        if step:
            parts.append(html_element(allowed_tag(step), render_nested(list(group), depth + 1)))
        else:
            parts += (join_html([link.before, link.link_html, link.after], " ") for link in group)
    return join_html(parts, " ")


def allowed_tag(step: str) -> str:
    """The tag of a step of a DOM path; `div` if it is not allowed."""
    name = PATH_INDEX.sub("", step)
    return name if name in ALLOWED_TAGS else "div"


def text_around_links(
    text: str, starts: Sequence[int], anchors: Sequence[str]
) -> list[tuple[str, str]]:
    """The text of a page before and after each of some links, in page order.

    Text between two links is after the first one, except its last line, which
    is before the second. Before the first link and after the last one only the
    line of the link counts. A link without position gets no text.
    """
    ends = [_anchor_end(text, start, anchor) for start, anchor in zip(starts, anchors, strict=True)]
    before, after = [""] * len(starts), [""] * len(starts)
    for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if start < 0:
            continue
        previous_end = ends[k - 1] if k and starts[k - 1] >= 0 else 0
        before[k] = text[max(text.rfind("\n", 0, start) + 1, previous_end) : start]
        if k + 1 < len(starts):
            next_start = starts[k + 1]
            line_end = max(text.rfind("\n", 0, next_start), end)
        else:
            line_end = text.find("\n", end)
            line_end = len(text) if line_end < 0 else line_end
        after[k] = text[end:line_end]
    return [
        (_last_words(text_before), shorten(text_after, MAX_CONTEXT_CHARS))
        for text_before, text_after in zip(before, after, strict=True)
    ]


def _anchor_end(text: str, start: int, anchor: str) -> int:
    """Where a link ends in the text; its start if the anchor text is not there."""
    flat = text[start : start + 2 * len(anchor) + 2].replace("\n", " ") if start >= 0 else ""
    at = flat.find(anchor) if anchor else -1
    return start + at + len(anchor) if at >= 0 else start


def _last_words(text: str) -> str:
    """The end of a text in one line."""
    line = " ".join(text[-MAX_CONTEXT_CHARS:].split())
    return f"…{line}" if len(text) > MAX_CONTEXT_CHARS else line
