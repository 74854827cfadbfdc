"""Snippets: which part is cut, and what is marked in it."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tantivy import Index, SchemaBuilder

from weft.store.index import TextIndex
from weft.store.search import parse_query
from weft.store.snippet import MAX_SNIPPET_CHARS, Snippet, make_snippets, query_stems

NO_PAGES = TextIndex(Index(SchemaBuilder().build()), ["en", "xx"], Path(), 0)
WORDS = [
    "ocelot",
    "Ocelots",
    "lynx",
    "filler",
    "Größe",
    "“lynx”",
    "山猫",
    "猫",
    "हिन्दी",
    "\n",
    "x" * 300,
]


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[start:end] for start, end in snippet.marks]


def cut(text: str, query: str, language: str = "en") -> Snippet:
    return make_snippets([text], [language], query_stems(parse_query(query), NO_PAGES))[0]


def test_every_inflection_is_marked() -> None:
    found = cut("Ocelots sleep; the ocelot's cousin does not. An “OCELOT”!", "ocelot")
    assert marked(found) == ["Ocelots", "ocelot", "OCELOT"]


def test_the_part_with_most_distinct_words_is_cut() -> None:
    far = "filler " * 100
    found = cut(f"ocelot ocelot {far} ocelot and lynx {far} lynx", "lynx ocelot")
    assert marked(found) == ["ocelot", "lynx"]
    assert found.text.startswith("filler ")
    assert found.text.endswith(" filler")


def test_bigrams_become_one_mark() -> None:
    assert marked(cut("科学。美洲豹是一种猫科动物", "猫科动物", "zh")) == ["猫科动物"]
    assert marked(cut("科学。美洲豹", "豹", "zh")) == ["豹"]


def test_words_without_spaces_are_found_far_into_a_text() -> None:
    found = cut("山" * 5_000 + "美洲豹" + "山" * 5_000, "美洲豹", "zh")
    assert marked(found) == ["美洲豹"]
    assert len(found.text) == MAX_SNIPPET_CHARS


def test_each_text_keeps_its_own_marks() -> None:
    pages = ["an ocelot", "", "山猫", "Ocelots", "nothing"] * 30
    found = make_snippets(
        pages, ["en", "en", "zh", "", "en"] * 30, frozenset({"en/ocelot", "ocelots"})
    )
    assert [snippet.text for snippet in found] == pages
    assert [marked(snippet) for snippet in found] == [["ocelot"], [], [], ["Ocelots"], []] * 30


def test_a_query_of_filters_marks_nothing() -> None:
    assert cut("… ocelot", "site:a.com") == Snippet("… ocelot")


def test_excluded_words_are_not_marked() -> None:
    assert marked(cut("ocelot lynx", "ocelot -lynx")) == ["ocelot"]


def test_a_text_without_the_words_gives_its_beginning() -> None:
    assert cut("It  begins\nlike this. " * 50, "ocelot") == Snippet(
        ("It begins like this. " * 50)[:MAX_SNIPPET_CHARS]
    )
    assert cut("", "ocelot") == Snippet()


@given(
    st.lists(st.sampled_from(WORDS), max_size=120), st.sampled_from(["ocelot", "猫", "हिन्दी lynx"])
)
def test_marks_are_in_order_inside_the_part(words: list[str], query: str) -> None:
    text = " ".join(words)
    found = cut(text, query)
    assert found.text in " ".join(text.split())
    assert len(found.text) <= MAX_SNIPPET_CHARS
    flat = [place for mark in found.marks for place in mark]
    assert flat == sorted(set(flat))
    assert not flat or (flat[0] >= 0 and flat[-1] <= len(found.text))
    known = {"ocelot", "ocelots", "lynx", "猫", "हिन्दी"}
    assert {word.lower() for word in marked(found)} <= known
    assert bool(found.marks) == any(word in text for word in _spellings(query))


def _spellings(query: str) -> list[str]:
    return {"ocelot": ["ocelot", "Ocelot"], "猫": ["猫"], "हिन्दी lynx": ["हिन्दी", "lynx"]}[query]
