"""The text of a page: extract it, find its main content, and tell its language."""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import DOMContext, DOMNode, HTMLTree, NodeType, traverse_dom
from resiliparse.parse.lang import detect_fast

from weft.gather.page import Link

# Resiliparse copies all text again at each block and indents lists by depth: on a book in one page,
# or on nested lists, its time is quadratic. Such pages are walked here instead, which gives the
# same words with other white space. On small pages Resiliparse is faster.
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
# The decision tree of Kohlschütter, Fankhauser and Nejdl for main content and boilerplate
# ("Boilerplate detection using shallow text features", 2010), learned from labelled news pages:
# number of words and link density of a block, and of the blocks before and after it.
PARAGRAPH_BREAK = re.compile(r"\n\s*\n")
MAX_LINK_DENSITY, MAX_PREVIOUS_LINK_DENSITY = 1 / 3, 5 / 9
LANGUAGE_TAG = re.compile(r"[a-zA-Z]{2}(?:[-_]|$)")
MAX_SAMPLE_CHARS, MAX_WORD_SAMPLE_CHARS = 2_000, 1_000
MAX_SURE_DISTANCE = 900
MIN_SURE_CHARS = 200
MIN_SAMPLE_CHARS = 40
MAX_CANDIDATES, MAX_DISTANCE_RATIO = 5, 1.03
# Function words, each in one of these languages only. Prose has one every forty letters or so.
# Under "other": words of languages that share function words with these, namely Danish, Norwegian,
# Swedish, Dutch, Afrikaans, Luxembourgish, Italian, Catalan, Galician, Romanian and Latin.
OTHER_LANGUAGE = "other"
FUNCTION_WORDS = {
    OTHER_LANGUAGE: "ad af als amb ass att aut av che cum det déi di din dit een er és esse het"
    " ikke il net nie niet non och og op per på și som sunt til ut van vir voor vun wat zijn är å",
    "de": "auf das dem den der ein eine für ist mit nicht sich und von werden",
    "en": "and are be by for from is it of that the this to was which with",
    "es": "como el es esta las los más pero por se su",
    "fr": "aux avec cette dans des du est le les pas pour qui sont sur une vous",
    "pt": "ao com em não os pela pelo são também uma",
    "tr": "bir bu daha gibi için ile olan olarak ve veya",
}
LANGUAGE_BY_WORD = {
    word: language for language, words in FUNCTION_WORDS.items() for word in words.split()
}
MIN_FUNCTION_WORDS, MAX_CHARS_PER_FUNCTION_WORD, MIN_MAJORITY_RATIO = 8, 100, 4


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


def detect_language_fast(text: str, declared_language: str = "") -> str:
    """A two-letter code or nothing, with a question mark after it if that is not certain.

    Many function words of one language decide. Otherwise the declared language
    counts if it is among the nearest by character n-grams, or if the text is
    too short to tell.

    Examples
    --------
    >>> (
    ...     detect_language_fast("The jaguar", "en-GB"),
    ...     detect_language_fast("Der Jaguar ist eine Katze. " * 10),
    ... )
    ('en', 'de')
    """
    sample = text[:MAX_SAMPLE_CHARS]
    declared = declared_language[:2].lower() if LANGUAGE_TAG.match(declared_language) else ""
    if len(sample) < MIN_SAMPLE_CHARS:
        return declared
    if language := detect_by_function_words(sample[:MAX_WORD_SAMPLE_CHARS]):
        return language
    candidates = detect_fast(sample, n_results=MAX_CANDIDATES)
    best_distance = candidates[0][1] if candidates else 0.0
    close = [
        code for code, distance in candidates if distance <= best_distance * MAX_DISTANCE_RATIO
    ]
    if declared in close:
        return declared
    if len(close) == 1 and best_distance < MAX_SURE_DISTANCE and len(sample) >= MIN_SURE_CHARS:
        return str(close[0])
    return f"{declared}?"


def detect_by_function_words(sample: str) -> str:
    """The one language whose function words are frequent in a sample, or nothing."""
    counts = Counter(filter(None, map(LANGUAGE_BY_WORD.get, sample.lower().split())))
    (language, count), (_, next_count) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    is_sure = (
        count >= MIN_FUNCTION_WORDS
        and count * MAX_CHARS_PER_FUNCTION_WORD >= len(sample)
        and next_count * MIN_MAJORITY_RATIO <= count
    )
    return language if is_sure and language != OTHER_LANGUAGE else ""


def classify_language(text: str) -> str:
    """A two-letter code by the naive Bayes classifier of langid, or nothing, from a text's start.

    Its model takes half a second to unpack, and then 30 MB: call it from one process, and
    `forget_language_model` before a step that needs much memory.

    Examples
    --------
    >>> classify_language(
    ...     "The jaguar is a large cat, the only living member of its genus in the Americas."
    ... )
    'en'
    """
    from weft.gather.language_model import language_identifier  # noqa: PLC0415  unpacks its model

    code = str(language_identifier().classify(text[:MAX_WORD_SAMPLE_CHARS])[0])
    return code if len(code) == 2 else ""


def forget_language_model() -> None:
    """Unmap the model of `classify_language`, which unpacks it again if need be."""
    if (model := sys.modules.get("weft.gather.language_model")) is not None:
        model.language_identifier.cache_clear()
