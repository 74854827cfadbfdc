"""Term counts: tokens, term numbers and occurrences."""

from hypothesis import given
from hypothesis import strategies as st

from weft.rank.term_matrix import count_occurrences, find_terms, tokenize, tokenize_texts

texts = st.lists(st.text("aAbB -.", max_size=12), max_size=6)


def test_words_are_folded() -> None:
    assert tokenize("Straße, E-TYPE and naïve_x") == ["strasse", "e", "type", "and", "naïve_x"]


def test_counts_by_hand() -> None:
    tokens = tokenize_texts(["b a b", "", "a"])
    assert list(tokens.vocabulary) == ["b", "a"]
    counts = tokens.count_terms()
    found = list(zip(counts.page_ids, counts.term_ids, counts.counts, strict=True))
    assert found == [(0, 0, 2), (0, 1, 1), (2, 1, 1)]
    assert tokens.first_words_mask(1).tolist() == [True, False, False, True]
    assert tokens.count_terms(tokens.first_words_mask(1)).term_ids.tolist() == [0, 1]


@given(texts)
def test_every_word_is_counted(texts_: list[str]) -> None:
    counts, tokens = tokenize_texts(texts_).count_terms(), tokenize_texts(texts_)
    found = {
        (int(page), tokens.vocabulary[int(term)]): count
        for page, term, count in zip(counts.page_ids, counts.term_ids, counts.counts, strict=True)
    }
    for page, text in enumerate(texts_):
        for word in set(tokenize(text)):
            assert found.pop((page, word)) == tokenize(text).count(word)
    assert not found


@given(texts)
def test_occurrences_agree_with_tokens(texts_: list[str]) -> None:
    for word in ("a", "ab"):
        counts = [tokenize(t).count(word) for t in texts_]
        assert count_occurrences(texts_, [word])[0].tolist() == counts
        assert find_terms(texts_, [word])[0].tolist() == [count > 0 for count in counts]


def test_phrases() -> None:
    assert count_occurrences(["e type, E-Type. type e", "e types"], ["e-type"]).tolist() == [[2, 0]]
    assert find_terms(["e type", "e types"], ["e-type", "type"]).tolist() == [
        [True, False],
        [True, False],
    ]
