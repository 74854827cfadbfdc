"""The words of pages: cut, numbered, counted."""

from hypothesis import given
from hypothesis import strategies as st

from weft.rank.terms import occurrences, tokens, words

texts = st.lists(st.text("aAbB -.", max_size=12), max_size=6)


def test_words_are_folded() -> None:
    assert words("Straße, E-TYPE and naïve_x") == ["strasse", "e", "type", "and", "naïve_x"]


def test_cells_by_hand() -> None:
    read = tokens(["b a b", "", "a"])
    assert list(read.vocabulary) == ["b", "a"]
    cells = read.cells()
    found = list(zip(cells.page, cells.term, cells.count, strict=True))
    assert found == [(0, 0, 2), (0, 1, 1), (2, 1, 1)]
    assert read.opening(1).tolist() == [True, False, False, True]
    assert read.cells(read.opening(1)).term.tolist() == [0, 1]


@given(texts)
def test_every_word_is_counted(given_: list[str]) -> None:
    cells, read = tokens(given_).cells(), tokens(given_)
    found = {
        (int(page), read.vocabulary[int(term)]): count
        for page, term, count in zip(cells.page, cells.term, cells.count, strict=True)
    }
    for page, text in enumerate(given_):
        for word in set(words(text)):
            assert found.pop((page, word)) == words(text).count(word)
    assert not found


@given(texts)
def test_a_word_occurs_as_often_as_it_is_counted(given_: list[str]) -> None:
    for word in ("a", "ab"):
        assert occurrences(given_, [word])[0].tolist() == [words(t).count(word) for t in given_]


def test_phrases_are_words_in_a_row() -> None:
    assert occurrences(["e type, E-Type. type e", "e types"], ["e-type"]).tolist() == [[2, 0]]
