"""Parsing of queries: what is kept, dropped and refused."""

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter
from weft.store.search import MAX_NESTING, MAX_QUERY_CHARS, Query, parse_query

PARTS = [
    "jaguar", "AND", "OR", "NOT", "(", ")", "+", "-", '"', '"e-type"', "site:a.com", "-site:b.org",
    "lang:en", "-lang:de", "*", "?", ":", "^2", "~1", "[a TO b]", "\\", "/", "_", "title:x", "é",
    "日本", "\x00", "!", "&&", "||", "{", "}", "'", "IN [x]", "<", ">=3", " ", "\ud800",
]  # fmt: skip
operator_soup = st.lists(st.sampled_from(PARTS), max_size=60).flatmap(
    lambda parts: st.sampled_from([" ".join(parts), "".join(parts)])
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("jaguar", '"jaguar"'),
        ("Jaguar E-Type", '"jaguar" "e-type"'),
        ('"big cat" -car', '"big cat" -"car"'),
        ("cat AND NOT car", '"cat" AND -"car"'),
        ("NOT car AND cat", '-"car" AND "cat"'),
        ("cat NOT (car OR van)", '"cat" -( "car" OR "van" )'),
        ("cat AND", '"cat"'),
        ("OR cat AND OR car", '"cat" AND "car"'),
        ("((cat", '( ( "cat" ) )'),
        ("cat))", '"cat"'),
        ("cat () -()", '"cat"'),
        ('"cat', '"cat"'),
        ('"rock AND (roll"', '"rock and roll"'),
        ("- cat", '"cat"'),
    ],
)
def test_words(text: str, words: str) -> None:
    assert parse_query(text).expression == words


def test_filters_are_separate_and_keep_the_case_of_paths() -> None:
    query = parse_query("cat site:A.com/Docs -site:b.org lang:en -lang:de +lang:fr NOT site:c.net")
    filters = ("A.com/Docs",), ("b.org", "c.net"), ("en", "fr"), ("de",)
    assert query == Query('"cat"', ("cat",), *filters)


def test_terms_are_the_words_asked_for() -> None:
    assert parse_query('Cat "big one" -car NOT (van bus) (lion)').terms == (
        "Cat",
        "big one",
        "lion",
    )


@pytest.mark.parametrize("text", ["", " ", "()", "AND", "NOT", '""', "+", "?", "\x00"])
def test_a_query_without_words_is_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="has no words"):
        parse_query(text)


@pytest.mark.parametrize(
    "text", ["-cat", "NOT cat", "NOT (cat OR car)", "-(cat (car))", "-cat -car"]
)
def test_a_query_that_only_excludes_is_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="only excludes"):
        parse_query(text)


def test_a_long_query_is_refused() -> None:
    parse_query("a" * MAX_QUERY_CHARS)
    with pytest.raises(BadParameter, match="100,000 characters"):
        parse_query("(" * 100_000)


@pytest.mark.parametrize(
    "text", ["( " * 999, "NOT " * 400 + "x", "AND OR " * 280, '"' * 1999, "-(" * 999]
)
def test_the_worst_short_queries_are_quick(text: str) -> None:
    start = time.perf_counter()
    with suppress(BadParameter):
        parse_query(text)
    assert time.perf_counter() - start < 0.5


@given(operator_soup)
def test_parentheses_balance_and_stay_shallow(text: str) -> None:
    try:
        words = parse_query(text).expression
    except BadParameter:
        return
    outside = re.sub(r'"[^"]*"', "", words)
    depth = deepest = 0
    for sign in outside:
        depth += (sign == "(") - (sign == ")")
        deepest = max(deepest, depth)
        assert depth >= 0
    assert depth == 0
    assert deepest <= MAX_NESTING
