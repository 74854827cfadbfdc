"""The text of a page, in time that grows with the page.

The library that extracts text copies all of it again for each block, so that a
book in one page takes minutes, and indents lists by their depth, so that
nested ones expand to megabytes. Pages where that would tell are walked here,
with the same outcome but for white space.
"""

import re
from dataclasses import dataclass, field

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import DOMContext, HTMLTree, NodeType, traverse_dom

COSTLY = 2_000_000_000  # bytes to copy: half a second at worst
LISTS = re.compile(r"<(/?)[uo]l\b")
SPACES = re.compile(r"[ \t\n\f\r]+")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
PARAGRAPHS = frozenset((*HEADINGS, "p", "pre", "listing"))
LINES = frozenset(
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
UNSEEN = frozenset(
    (
        "audio",
        "button",
        "canvas",
        "embed",
        "frame",
        "head",
        "iframe",
        "input",
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
    if is_costly(html):
        return walked_text(tree)
    text: str = extract_plain_text(tree, links=False, alt_texts=True, list_bullets=False)
    return text


def is_costly(html: str) -> bool:
    """Whether extracting the text of a page may copy very many bytes: all of it at each tag.

    Each tag in a list may be indented by two spaces for each list around it;
    how deep these are is looked at only where their number leaves it open.
    """
    tags = html.count("<")
    if tags * (len(html) + 2 * tags * tags) <= COSTLY:
        return False
    small = html.lower()
    lists = small.count("<ul") + small.count("<ol")
    if tags * (len(html) + 2 * tags * lists) <= COSTLY:
        return False
    return tags * (len(html) + 2 * tags * list_depth(small)) > COSTLY


def list_depth(html: str) -> int:
    """How deep lists are nested at most."""
    depth = deepest = 0
    for found in LISTS.finditer(html):
        depth = max(depth - 1, 0) if found[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


@dataclass(slots=True)
class Walk:
    """Text put together on a walk through a page: pieces, and the lines to begin before the next.

    `unseen` and `kept` count the open elements whose text is left out, or keeps
    its white space.
    """

    pieces: list[str] = field(default_factory=list)
    lines: int = 0
    space: bool = True
    unseen: int = 0
    kept: int = 0

    def start(self, context: DOMContext) -> None:
        """Come to a node."""
        node = context.node
        if node.type == NodeType.TEXT:
            if not self.unseen:
                self.say(node.value)
        elif node.type == NodeType.ELEMENT:
            self.open(node.tag)
            if node.tag in ("img", "area") and not self.unseen and (alt := node.getattr("alt")):
                self.say(alt)
            if node.first_child is None:  # the walk does not say that it leaves such
                self.close(node.tag)

    def end(self, context: DOMContext) -> None:
        """Leave a node that has others inside."""
        self.close(context.node.tag)

    def close(self, tag: str) -> None:
        """End an element."""
        self.unseen -= tag in UNSEEN
        self.kept -= tag in PREFORMATTED
        self.break_line(tag)

    def open(self, tag: str) -> None:
        """Begin an element."""
        self.break_line(tag)
        if tag == "br":
            self.lines = min(self.lines + 1, 2)
        self.unseen += tag in UNSEEN
        self.kept += tag in PREFORMATTED

    def break_line(self, tag: str) -> None:
        """Let what follows begin a line of its own, and a paragraph be set apart."""
        if tag in PARAGRAPHS:
            self.lines = 2
        elif tag in LINES:
            self.lines = max(self.lines, 1)

    def say(self, text: str) -> None:
        """Add text; white space is one space, but for text that keeps it."""
        if not self.kept:
            text = SPACES.sub(" ", text)
            text = text.lstrip(" ") if self.space or self.lines else text
        if not text:
            return
        if self.pieces and self.lines:
            self.pieces[-1] = self.pieces[-1].rstrip(" ")
            self.pieces.append("\n" * self.lines)
        self.pieces.append(text)
        self.lines, self.space = 0, text[-1] in " \n"


def walked_text(tree: HTMLTree) -> str:
    """The text of a page by a walk through its tree."""
    walk = Walk()
    traverse_dom(tree.document, walk.start, walk.end, DOMContext())
    return "".join(walk.pieces).strip()
