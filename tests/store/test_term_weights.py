"""Term weights: TF-IDF by hand, and the same however they are stored."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.page import Link, Page
from weft.store import index, term_weights
from weft.store.term_weights import (
    StemDictionary,
    TermCounts,
    TermWeights,
    TermWeightWriter,
)
from weft.store.tokens import StemmedTexts, stem_text
from weft.workspace.workspace import Workspace

PARTS = ["cats", "cat", "“dogs”", "美洲豹", "x2", "7", "non\u2014stop", "ab", "ab ab"]
pages = st.lists(
    st.tuples(*[st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join)] * 2), max_size=5
)


def weights_of(words: TermWeights, page: int) -> dict[str, float]:
    own = slice(*words.matrix.starts[page : page + 2])
    names = [words.stems[int(k)].as_py() for k in words.matrix.ids[own]]
    return dict(zip(names, words.weights[own].tolist(), strict=True))


def test_weights_by_hand() -> None:
    words = TermWeights.from_texts(["cats", "", ""], ["cat dog", "dog dog", "bird"], ["en"] * 3)
    assert weights_of(words, 0) == pytest.approx({"en/dog": log(3 / 2)}, rel=1e-3)
    assert weights_of(words, 1) == pytest.approx({"en/dog": (1 + log(2)) * log(3 / 2)}, rel=1e-3)
    assert weights_of(words, 2) == {}


def test_a_word_of_the_title_counts_three_times() -> None:
    words = TermWeights.from_texts(["dog", ""], ["", "dog dog dog"], ["en", "en"])
    both = TermWeights.from_texts(["dog", "", ""], ["", "dog dog dog", "bird"], ["en"] * 3)
    assert weights_of(both, 0) == weights_of(both, 1) != {}
    assert weights_of(words, 0) == {}, "a word on every page has no weight"


@given(pages)
def test_counts_are_those_of_each_text(texts_of_pages: list[tuple[str, str]]) -> None:
    dictionary = StemDictionary()
    titles, bodies = ([pair[k] for pair in texts_of_pages] for k in (0, 1))
    texts = pa.array([*titles, *bodies, "after"], pa.string())
    numbers = np.arange(len(texts_of_pages), dtype=np.int32)
    found = TermCounts.from_stemmed(numbers, StemmedTexts.from_texts(texts, "en"), dictionary)
    names = dictionary.stems.to_pylist()
    counted = {
        (int(page), names[stem]): int(times) for page, stem, times in zip(*found, strict=True)
    }
    expected = Counter(
        (page, stem)
        for page, (title, body) in enumerate(texts_of_pages)
        for stem in stem_text(title, "en") * 3 + stem_text(body, "en")
    )
    letters = {
        stem: sum(sign.isalpha() for sign in stem.partition("/")[2] or stem) for _, stem in expected
    }
    assert counted == {key: times for key, times in expected.items() if letters[key[1]] > 1}


def test_the_largest_weights_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_weights, "MAX_STEMS_PER_PAGE", 2)
    texts = ["aa aa aa bb bb cc", "aa", "bb", "cc", "dd"]
    words = TermWeights.from_texts([""] * 5, texts, [""] * 5)
    assert set(weights_of(words, 0)) == {"aa", "bb"}


def test_pages_of_several_languages() -> None:
    words = TermWeights.from_texts(
        [""] * 4, ["houses x", "houses y", "Häuser", "Häuser"], ["en", "en", "de", "de"]
    )
    assert words.stems.to_pylist() == ["de/haus", "en/hous"]
    assert [list(weights_of(words, page)) for page in range(4)] == [["en/hous"]] * 2 + [
        ["de/haus"]
    ] * 2


def test_rows_of_some_pages() -> None:
    words = TermWeights.from_texts([""] * 4, ["aa bb", "bb", "aa", "cc"], [""] * 4)
    some = words.take(np.array([2, -1, 0], np.int32))
    assert some.stems.to_pylist() == ["aa", "bb"]
    assert [weights_of(some, k) for k in range(3)] == [
        weights_of(words, 2),
        {},
        weights_of(words, 0),
    ]
    assert repr(some) == "<TermWeights: 3 pages, 2 stems>"


def test_many_pages_are_taken_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_weights, "PAGES_PER_CHUNK", 2)
    words = TermWeights.from_texts([""] * 4, ["aa bb", "bb", "aa", "cc"], [""] * 4)
    pages = [3, 0, -1, 2, 1]
    some = words.take(np.array(pages, np.int32))
    wanted = [weights_of(words, page) if page >= 0 else {} for page in pages]
    assert [weights_of(some, k) for k in range(5)] == wanted


def test_pages_without_text() -> None:
    assert len(TermWeights.from_texts([], [], [])) == 0
    assert weights_of(TermWeights.empty(2), 1) == {}
    assert len(TermWeights.empty(2).take(np.array([0], np.int32))) == 1


Keep = Callable[..., Workspace]
TEXTS = ["cats and dogs", "dogs", "cats cats", "Häuser und Katzen", "Katzen", "", "x " * 40]
PAGES = [
    Page(
        f"http://a.com/{k}",
        title=text[:4],
        text=text,
        language="de" if "K" in text else "en",
        links=(Link("http://other.com/", "never read"),),
    )
    for k, text in enumerate(TEXTS)
]


def as_lists(words: TermWeights) -> list[list[tuple[str, float]]]:
    names = words.stems.to_pylist()
    pairs = [(names[k], w) for k, w in zip(words.matrix.ids, words.weights.tolist(), strict=True)]
    starts = words.matrix.starts.tolist()
    return [pairs[a:b] for a, b in pairwise(starts)]


def written(workspace: Workspace) -> TermWeights:
    collection = workspace.refresh().collection
    return collection.term_weights(np.arange(len(collection), dtype=np.int32))


def test_stored_weights_are_those_of_the_texts(keep: Keep) -> None:
    workspace = keep(*PAGES)
    rows = workspace.collection.pages.to_pylist()
    texts = workspace.collection.texts(range(len(rows)))
    alone = TermWeights.from_texts([r["title"] for r in rows], texts, [r["language"] for r in rows])
    assert as_lists(written(workspace)) == as_lists(alone)
    assert as_lists(alone)[-1] == [], "an uncaptured page has none"


def test_batches_and_order_do_not_matter(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = as_lists(written(keep(*PAGES, name="one")))
    monkeypatch.setattr(term_weights, "READ_BATCH_VALUES", 2)
    monkeypatch.setattr(term_weights, "PAGES_PER_BLOCK", 2)
    monkeypatch.setattr(index, "MAX_STEM_BATCH_BYTES", 10)
    keep(*PAGES[4:], name="parts")
    assert as_lists(written(keep(*PAGES[:4], name="parts"))) == expected
    monkeypatch.setattr(index, "MAX_VOCABULARY_BYTES", 1)
    assert as_lists(written(keep(*PAGES, name="few bytes"))) == expected
    monkeypatch.setattr(index, "MAX_VOCABULARY_BYTES", 1 << 24)
    monkeypatch.setattr(index, "MAX_VOCABULARY_PIECES", 1)
    assert as_lists(written(keep(*PAGES, name="small vocabulary"))) == expected


def test_no_pages_have_no_weights(keep: Keep, tmp_path: Path) -> None:
    assert as_lists(written(keep(Page("http://a.com/", kind="error", status=404)))) == [[]]
    with TermWeightWriter(tmp_path / "term_weights", 0):
        pass
    assert sorted(path.name for path in (tmp_path / "term_weights").iterdir()) == [
        "ids.npy", "row_of_page.npy", "starts.npy", "stems.arrow", "weights.npy",
    ]  # fmt: skip
