"""The text of a page, in time that grows with the page.

The library that extracts text copies all of it again at each block, and indents
lists by their depth: on a book in one page, or on nested lists, its time grows
with the square. Such pages are walked here instead, which gives the same words
and other white space; on small pages the library is faster.
"""

import re
from dataclasses import dataclass, field

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import DOMContext, DOMNode, HTMLTree, NodeType, traverse_dom

COSTLY = 2_000_000_000  # bytes that the library may copy
SPACES = re.compile(r"[ \t\n\f\r]+")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
PARAGRAPHS = frozenset((*HEADINGS, "p", "pre", "listing"))
BLOCKS = frozenset(
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
PREFORMATTED = frozenset(("pre", "listing", "xmp", "plaintext"))
HIDDEN = frozenset(
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


def plain_text(tree: HTMLTree, html: str) -> str:
    """The text of a parsed page, a line for each block and an empty one around paragraphs."""
    if is_costly(tree, html):
        return walk_text(tree)
    text: str = extract_plain_text(tree, links=False, alt_texts=True, list_bullets=False)
    return text


def is_costly(tree: HTMLTree, html: str) -> bool:
    """Whether the library may copy very many bytes: all text at each tag.

    In lists each line is indented by two spaces for every list around it. How
    deep they are nested is looked up only where their number leaves it open.
    """
    tags = html.count("<")
    if tags * (len(html) + 2 * tags * tags) <= COSTLY:
        return False
    small = html.lower()
    lists = small.count("<ul") + small.count("<ol")
    if tags * (len(html) + 2 * tags * lists) <= COSTLY:
        return False
    return tags * (len(html) + 2 * tags * list_depth(tree)) > COSTLY


def list_depth(tree: HTMLTree) -> int:
    """How deep lists are nested at most, as the parser has it."""
    depths: dict[DOMNode | None, int] = {None: 0}
    for each in tree.document.query_selector_all("ul,ol"):
        node, chain = each, []
        while (depth := depths.get(node)) is None:
            chain.append(node)
            node = node.parent
        for inner in reversed(chain):
            depth += inner.tag in ("ul", "ol")
            depths[inner] = depth
    return max(depths.values())


@dataclass(slots=True)
class Walk:
    """The text met on a walk through a page: its pieces, and the line breaks before the next.

    `hidden` and `preformatted` count the open elements whose text is left out,
    or keeps its white space.
    """

    pieces: list[str] = field(default_factory=list)
    line_breaks: int = 0
    after_space: bool = True
    hidden: int = 0
    preformatted: int = 0

    def start(self, context: DOMContext) -> None:
        """Enter a node."""
        node = context.node
        if node.type == NodeType.TEXT:
            if not self.hidden:
                self.add_text(node.value)
        elif node.type == NodeType.ELEMENT:
            self.open(node.tag)
            if node.tag in ("img", "area") and not self.hidden and (alt := node.getattr("alt")):
                self.add_text(alt)
            if node.first_child is None:  # `end` is not called for these
                self.close(node.tag)

    def end(self, context: DOMContext) -> None:
        """Leave a node that has others inside."""
        self.close(context.node.tag)

    def close(self, tag: str) -> None:
        """End an element."""
        self.hidden -= tag in HIDDEN
        self.preformatted -= tag in PREFORMATTED
        self.break_line(tag)

    def open(self, tag: str) -> None:
        """Begin an element."""
        self.break_line(tag)
        if tag == "br":
            self.line_breaks = min(self.line_breaks + 1, 2)
        self.hidden += tag in HIDDEN
        self.preformatted += tag in PREFORMATTED

    def break_line(self, tag: str) -> None:
        """Begin a line at a block, and leave an empty one around a paragraph."""
        if tag in PARAGRAPHS:
            self.line_breaks = 2
        elif tag in BLOCKS:
            self.line_breaks = max(self.line_breaks, 1)

    def add_text(self, text: str) -> None:
        """Add text, with runs of white space as one space unless it is preformatted."""
        if not self.preformatted:
            text = SPACES.sub(" ", text)
            text = text.lstrip(" ") if self.after_space or self.line_breaks else text
        if not text:
            return
        if self.pieces and self.line_breaks:
            self.pieces[-1] = self.pieces[-1].rstrip(" ")
            self.pieces.append("\n" * self.line_breaks)
        self.pieces.append(text)
        self.line_breaks, self.after_space = 0, text[-1] in " \n"


def walk_text(tree: HTMLTree) -> str:
    """The text of a page by a walk through its tree."""
    walk = Walk()
    traverse_dom(tree.document, walk.start, walk.end, DOMContext())
    return "".join(walk.pieces).strip()
