"""Terms of pages, spans of anchors and contexts, and cosines by hand."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Ids
from weft.core.words import KnownWords
from weft.crawl import terms
from weft.crawl.terms import STOP_WORD, LinkSpans, Vocabulary, topic_vector
from weft.gather.page import Link, Page

WORDS = ("tree", "graph", "paper", "notes", "the")
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def page(text: str, *anchors: str, language: str = "en") -> Page:
    """A page whose links are these parts of its text."""
    links = [Link(f"http://w.org/{a}", a, position=text.index(a)) for a in anchors]
    return Page("http://w.org/", text=text, language=language, links=tuple(links))


def test_every_word_of_a_growing_table_is_found_again() -> None:
    """Hashes that fall into the same slots, and the empty table."""
    known, draw = KnownWords(), np.random.default_rng(0)
    crowded = np.arange(1, 2000, dtype=np.uint64) * np.uint64(1 << 12)
    every = np.concatenate([crowded, draw.integers(1 << 62, 1 << 63, 20_000, dtype=np.uint64)])
    assert (known.find(every) == -1).all()
    at = 0
    for size in (1, 500, 1498, 4000, 16_000):
        assert (known.find(every[at : at + size]) == -1).all()
        known.add(every[at : at + size], list(range(at, at + size)))
        at += size
        np.testing.assert_array_equal(known.find(every[:at]), np.arange(at))
    assert known.terms.values.tolist() == list(range(len(every)))


class NamedVocabulary(Vocabulary):
    """A vocabulary that knows the stem of each number."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def _number_stems(self, stems: Sequence[str]) -> Ids:
        numbers = super()._number_stems(stems)
        for stem, number in zip(stems, numbers.tolist(), strict=True):
            self.names += [stem] if number == len(self.names) else []
        return numbers


def words(vocabulary: NamedVocabulary, found: LinkSpans, span: list[int]) -> list[str]:
    """The stems of a span, without their language, stop words as a dash."""
    names = [*vocabulary.names, "-"]
    return [names[k].removeprefix("en/") for k in found.terms[slice(*span)].tolist()]


def spans(text: str, *anchors: str, language: str = "en") -> list[tuple[list[str], list[str]]]:
    """The words of anchor and context of each link."""
    vocabulary = NamedVocabulary()
    found = vocabulary.page_terms(page(text, *anchors, language=language)).links
    return [
        (words(vocabulary, found, a), words(vocabulary, found, c))
        for a, c in zip(found.anchors.tolist(), found.contexts.tolist(), strict=True)
    ]


def test_a_vocabulary_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MAX_KNOWN_WORDS", 3)
    vocabulary = Vocabulary()
    assert vocabulary.tokenize("zinc lead iron gold zinc").terms.tolist() == [0, 1, 2, -1, 0]
    assert vocabulary.tokenize("silver iron").terms.tolist() == [-1, 2]
    assert len(vocabulary) == 3


def test_the_limit_is_that_of_all_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MAX_KNOWN_WORDS", 3)
    vocabulary = Vocabulary()
    assert len(vocabulary.terms("zinc lead", "en")) == 2
    assert len(vocabulary.terms("Eisen Gold", "de")) == 1


def test_characters_without_spaces_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four characters have seven stems: each alone, and each with the next."""
    monkeypatch.setattr(terms, "MAX_KNOWN_WORDS", 9)
    monkeypatch.setattr(terms, "MAX_COMPOUND_STEMS", 15)
    vocabulary = Vocabulary()
    assert len(vocabulary.terms("东京大学", "zh")) == 7
    assert len(vocabulary.terms("东京北海", "zh")) == 5  # two new stems, then no more
    assert vocabulary.tokenize("东京南山。东京大学", "zh").terms.tolist()[0] != STOP_WORD
    assert len(vocabulary) == 9
    assert vocabulary.terms("东大", "zh").tolist() == []
    assert len(vocabulary.terms("东京大学", "zh")) == 7


def test_a_word_and_a_text_count_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MAX_TEXT_CHARS", 30)
    vocabulary = NamedVocabulary()
    assert len(vocabulary.terms("".join(map(chr, range(0x4E00, 0x6000))), "zh")) == 2 * 256 - 1
    early, late = Link("http://w.org/x", "oak", position=4), Link("http://w.org/y", position=40)
    named = Link("http://w.org/z", "pine", position=36)
    text = "elm oak " + "." * 24 + "ash pine fir"
    found = vocabulary.page_terms(Page("", text=text, language="en", links=(early, late, named)))
    assert len(found.terms) == 2
    anchors = [words(vocabulary, found.links, span) for span in found.links.anchors.tolist()]
    assert anchors == [["oak"], [], ["pine"]]
    contexts = [words(vocabulary, found.links, span) for span in found.links.contexts.tolist()]
    assert contexts == [["elm", "oak"], [], []]


def test_words_are_stemmed_and_stop_words_kept_in_place() -> None:
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenize("The Trees, the tree!")
    assert tokens.terms.tolist() == [STOP_WORD, 0, STOP_WORD, 0]
    assert tokens.starts.tolist() == [0, 4, 11, 15]
    assert vocabulary.terms("trees of graphs").tolist() == [0, 1]
    assert len(vocabulary) == 2


def test_languages_have_stems_of_their_own() -> None:
    vocabulary = Vocabulary()
    assert vocabulary.terms("Wald", "de").tolist() != vocabulary.terms("Wald", "en").tolist()
    assert vocabulary.terms("Wälder", "de").tolist() == vocabulary.terms("Wald", "de").tolist()


def test_positions_are_those_of_the_text() -> None:
    """A capital I with a dot has two characters as a small letter."""
    text = "İİİİ tree paper"
    assert Vocabulary().tokenize(text).starts.tolist()[-2:] == [5, 10]
    assert spans(text, "tree")[0][0] == ["tree"]


def test_anchor_and_context() -> None:
    found = spans("oak, tree graph, the pines", "tree graph")
    assert found == [(["tree", "graph"], ["oak", "tree", "graph", "-", "pine"])]


def test_a_context_has_twenty_words_either_side() -> None:
    before, after = [f"b{k}" for k in range(30)], [f"a{k}" for k in range(30)]
    ((anchor, context),) = spans(" ".join([*before, "tree", *after]), "tree")
    assert anchor == ["tree"]
    assert context == [*before[-20:], "tree", *after[:20]]


def test_a_context_does_not_cross_blocks() -> None:
    """Each line of the text is a block."""
    text = "graph paper\nnotes tree oak\nforest"
    (found,) = spans(text, "tree")
    assert found == (["tree"], ["note", "tree", "oak"])
    assert spans(text, "graph")[0][1] == ["graph", "paper"]
    assert spans(text, "forest")[0][1] == ["forest"]


def test_an_anchor_over_two_blocks() -> None:
    vocabulary = NamedVocabulary()
    link = Link("http://w.org/x", "tree oak", position=6)
    found = vocabulary.page_terms(Page("", text="paper tree\noak notes", links=(link,))).links
    assert words(vocabulary, found, found.anchors[0].tolist()) == ["tree", "oak"]


def test_the_anchor_of_a_picture_is_not_what_follows_it() -> None:
    """Its text stands in no text of the page, but its position does."""
    text = "paper forest notes"
    link = Link("http://w.org/x", "tree graph", position=6)
    vocabulary = NamedVocabulary()
    terms = vocabulary.page_terms(Page("", text=text, links=(link,)))
    found = terms.links
    assert words(vocabulary, found, found.anchors[0].tolist()) == ["tree", "graph"]
    assert words(vocabulary, found, found.contexts[0].tolist()) == ["paper", "forest", "note"]
    assert len(terms.terms) == 3  # the page itself does not say it


def test_a_link_without_position_has_no_context() -> None:
    vocabulary = NamedVocabulary()
    links = (Link("http://w.org/x", "tree"), Link("http://w.org/y"))
    found = vocabulary.page_terms(Page("", text="paper forest", links=links)).links
    assert words(vocabulary, found, found.anchors[0].tolist()) == ["tree"]
    assert words(vocabulary, found, found.anchors[1].tolist()) == []
    assert found.contexts.tolist() == [[0, 0], [0, 0]]


def test_chinese_text() -> None:
    """A sentence is one word for the pattern: an anchor in it is taken by itself."""
    text = "我喜欢北京大学的图书馆"
    for anchor in ("北京大学", "我喜欢"):
        ((found, context),) = spans(text, anchor, language="zh")
        (whole, _) = spans(anchor, anchor, language="zh")[0]
        assert found == whole
        assert anchor[0] in found
        assert "图" not in found
        assert len(context) <= 41
    vocabulary = Vocabulary()
    topic = topic_vector([vocabulary.terms("北京大学", "zh")], [], len(vocabulary))
    assert topic.cosine(vocabulary.terms("大学图书馆", "zh")) > 0.2


def test_a_page_without_links_or_text() -> None:
    vocabulary = NamedVocabulary()
    found = vocabulary.page_terms(Page("", text="")).links
    assert len(found.terms) == len(found.anchors) == len(found.contexts) == 0
    link = Link("http://w.org/x", "tree")
    found = vocabulary.page_terms(Page("", text="", links=(link,))).links
    assert words(vocabulary, found, found.anchors[0].tolist()) == ["tree"]


def test_cosine_by_hand() -> None:
    """Topic {0, 1}: (2 + 1) / (sqrt 2 · sqrt 5) without IDF."""
    vector = topic_vector([np.array([0, 1])], [], 3)
    assert vector.cosine(np.array([0, 0, 1])) == pytest.approx(3 / math.sqrt(10))
    assert vector.cosine(np.array([0, 1])) == pytest.approx(1)
    assert vector.cosine(np.array([2, 7])) == 0
    assert vector.cosine(np.array([], np.int32)) == 0


def test_cosine_with_idf_by_hand() -> None:
    """Of two texts term 0 is in both, term 1 in the example: idf ln(3/3) + 1 and ln(3/2) + 1."""
    vector = topic_vector([np.array([0, 1])], [np.array([0, 2])], 3)
    rare = math.log(3 / 2) + 1
    assert vector.cosine(np.array([0])) == pytest.approx(1 / math.hypot(1, rare))
    assert vector.cosine(np.array([1])) == pytest.approx(rare / math.hypot(1, rare))
    # a term that no text has counts as if it were the rarest: ln 3 + 1
    unknown = vector.cosine(np.array([1, 9]))
    assert unknown == pytest.approx(
        rare**2 / math.hypot(1, rare) / math.hypot(rare, math.log(3) + 1)
    )


def test_a_topic_is_the_centroid_of_its_examples() -> None:
    """Each example counts the same, whatever its length: (1, 1) / sqrt 2."""
    vector = topic_vector([np.array([0] * 50), np.array([1])], [], 2)
    np.testing.assert_allclose(vector.weights, [0.5**0.5] * 2)


def test_a_repeated_word_is_no_better_than_one() -> None:
    vector = topic_vector([np.array([0])], [], 2)
    spans_of = np.array([[0, 1], [0, 2], [0, 3], [3, 3]])
    cosines = vector.span_cosines(np.array([0, 0, STOP_WORD, 1], np.int32), spans_of)
    np.testing.assert_allclose(cosines, [1, 1, 1, 0])


def test_a_topic_without_any_term_has_cosine_zero() -> None:
    """Such as one of pages without text."""
    vector = topic_vector([], [np.array([], np.int32)], 0)
    assert (
        vector.span_cosines(np.array([STOP_WORD, 0]), np.array([[0, 2], [0, 1]])).tolist()
        == [0] * 2
    )


@given(texts, texts, st.data())
def test_spans_have_the_cosines_of_their_texts(topic: str, text: str, data: st.DataObject) -> None:
    vocabulary = Vocabulary()
    vector = topic_vector(
        [vocabulary.terms(topic)], [vocabulary.terms("paper oak")], len(vocabulary)
    )
    terms = vocabulary.tokenize(text).terms
    ends = st.integers(0, len(terms))
    found = [sorted(data.draw(st.tuples(ends, ends))) for _ in range(4)]
    expected = [vector.cosine(terms[a:b][terms[a:b] >= 0]) for a, b in found]
    np.testing.assert_allclose(vector.span_cosines(terms, np.array(found)), expected, atol=1e-12)
    assert max(expected) <= 1 + 1e-12
