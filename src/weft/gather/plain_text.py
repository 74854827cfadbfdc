"""Extract the text of a page in linear time.

Resiliparse copies all text again at each block and indents lists by depth: on
a book in one page, or on nested lists, its time is quadratic. Such pages are
walked here instead, which gives the same words with other white space. On
small pages Resiliparse is faster.
"""

import re
from dataclasses import dataclass, field

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import DOMContext, DOMNode, HTMLTree, NodeType, traverse_dom

MAX_COPIED_BYTES = 2_000_000_000  # estimated bytes that Resiliparse may copy
HTML_SPACES = re.compile(r"[ \t\n\f\r]+")
HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
PARAGRAPH_TAGS = frozenset((*HEADING_TAGS, "p", "pre", "listing"))
BLOCK_TAGS = frozenset(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hr",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    )
)
PREFORMATTED_TAGS = frozenset(("pre", "listing", "xmp", "plaintext"))
HIDDEN_TAGS = frozenset(
    (
        "audio",
        "button",
        "canvas",
        "head",
        "iframe",
        "noframes",
        "noscript",
        "object",
        "option",
        "script",
        "select",
        "style",
        "template",
        "textarea",
        "video",
    )
)


def extract_text(tree: HTMLTree, html: str) -> str:
    """The text of a parsed page: one line per block, blank lines around paragraphs."""
    if is_extraction_costly(tree, html):
        return extract_text_by_walk(tree)
    text: str = extract_plain_text(tree, links=False, alt_texts=True, list_bullets=False)
    return text


def is_extraction_costly(tree: HTMLTree, html: str) -> bool:
    """Whether Resiliparse may copy more than `MAX_COPIED_BYTES`: all text at each tag.

    In lists, each line is indented by two spaces per level. The true depth is
    computed only where cheaper bounds, the tags and then the lists, exceed the limit.
    """
    tags = html.count("<")
    if tags * (len(html) + 2 * tags * tags) <= MAX_COPIED_BYTES:
        return False
    lower = html.lower()
    lists = lower.count("<ul") + lower.count("<ol")
    if tags * (len(html) + 2 * tags * lists) <= MAX_COPIED_BYTES:
        return False
    return tags * (len(html) + 2 * tags * max_list_depth(tree)) > MAX_COPIED_BYTES


def max_list_depth(tree: HTMLTree) -> int:
    """The deepest nesting of lists in the parsed tree."""
    depths: dict[DOMNode | None, int] = {None: 0}
    for list_node in tree.document.query_selector_all("ul,ol"):
        node, chain = list_node, []
        while (depth := depths.get(node)) is None:
            chain.append(node)
            node = node.parent
        for inner in reversed(chain):
            depth += inner.tag in ("ul", "ol")
            depths[inner] = depth
    return max(depths.values())


@dataclass(slots=True)
class TextWalker:
    """Collects text on a walk through a page.

    `hidden_depth` and `preformatted_depth` count the open elements whose text
    is left out, or keeps its white space.
    """

    pieces: list[str] = field(default_factory=list)
    pending_line_breaks: int = 0
    ends_with_space: bool = True
    hidden_depth: int = 0
    preformatted_depth: int = 0

    def enter_node(self, context: DOMContext) -> None:
        """Add the text of a node, or open its element."""
        node = context.node
        if node.type == NodeType.TEXT:
            if not self.hidden_depth:
                self.add_text(node.value)
        elif node.type == NodeType.ELEMENT:
            self.open_tag(node.tag)
            if (
                node.tag in ("img", "area")
                and not self.hidden_depth
                and (alt := node.getattr("alt"))
            ):
                self.add_text(alt)
            if node.first_child is None:  # `leave_node` is not called for these
                self.close_tag(node.tag)

    def leave_node(self, context: DOMContext) -> None:
        """Close the element of a node that has children."""
        self.close_tag(context.node.tag)

    def close_tag(self, tag: str) -> None:
        """Close an element."""
        self.hidden_depth -= tag in HIDDEN_TAGS
        self.preformatted_depth -= tag in PREFORMATTED_TAGS
        self.break_line(tag)

    def open_tag(self, tag: str) -> None:
        """Open an element."""
        self.break_line(tag)
        if tag == "br":
            self.pending_line_breaks = min(self.pending_line_breaks + 1, 2)
        self.hidden_depth += tag in HIDDEN_TAGS
        self.preformatted_depth += tag in PREFORMATTED_TAGS

    def break_line(self, tag: str) -> None:
        """Start a new line at a block, and leave a blank one around a paragraph."""
        if tag in PARAGRAPH_TAGS:
            self.pending_line_breaks = 2
        elif tag in BLOCK_TAGS:
            self.pending_line_breaks = max(self.pending_line_breaks, 1)

    def add_text(self, text: str) -> None:
        """Add text; runs of white space become one space, unless preformatted."""
        if not self.preformatted_depth:
            text = HTML_SPACES.sub(" ", text)
            text = text.lstrip(" ") if self.ends_with_space or self.pending_line_breaks else text
        if not text:
            return
        if self.pieces and self.pending_line_breaks:
            self.pieces[-1] = self.pieces[-1].rstrip(" ")
            self.pieces.append("\n" * self.pending_line_breaks)
        self.pieces.append(text)
        self.pending_line_breaks, self.ends_with_space = 0, text[-1] in " \n"


def extract_text_by_walk(tree: HTMLTree) -> str:
    """The text of a page, by a walk through its tree."""
    walker = TextWalker()
    traverse_dom(tree.document, walker.enter_node, walker.leave_node, DOMContext())
    return "".join(walker.pieces).strip()
