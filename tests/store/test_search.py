"""Search: known results, set algebra, and hostile queries."""

import time
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter
from weft.gather.page import Link, Page
from weft.store.arrow_files import SortedColumn
from weft.store.index import MAX_PREFIX_STEMS
from weft.store.search import site_page_range
from weft.store.snippet import MAX_SNIPPET_CHARS
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
LETTERS = ("alpha", "beta", "gamma")
PARTS = [
    "jaguar", "AND", "OR", "NOT", "(", ")", "+", "-", '"', '"e-type"', "site:a.com", "-site:b.org",
    "lang:en", "-lang:de", "*", "?", ":", "^2", "~1", "[a TO b]", "\\", "/", "_", "title:x", "é",
    "日本", "\x00", "!", "&&", "||", "{", "}", "'", "IN [x]", "<", ">=3", " ", "\ud800",
]  # fmt: skip


def page(place: str, text: str = "", **more: object) -> Page:
    return Page(f"http://{place}", text=text, **more)  # type: ignore[arg-type]


def places(
    workspace: Workspace, query: str, k: int = 100, since: str = "", until: str = ""
) -> list[str]:
    table = workspace.search(query, k, since=since, until=until).to_table()
    return [url.removeprefix("http://") for url in table["url"].to_pylist()]


@pytest.fixture(scope="session")
def subsets(keep_at: Keep, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A page for every set of three words, named by their initials."""
    chosen = [subset for n in range(4) for subset in combinations(LETTERS, n)]
    pages = [
        page(f"x.com/{''.join(word[0] for word in words)}", " ".join(words)) for words in chosen
    ]
    return keep_at(tmp_path_factory.mktemp("subsets") / "c.weft", *pages)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("alpha", "a ab abc ag"),
        ("alpha beta", "a ab abg ag b bg"),
        ("alpha AND beta", "ab abg"),
        ("alpha AND beta AND gamma", "abg"),
        ("alpha OR gamma", "a ab abg ag bg g"),
        ("+alpha beta", "a ab abg ag"),
        ("+alpha +beta", "ab abg"),
        ("alpha -beta", "a ag"),
        ("alpha NOT beta", "a ag"),
        ("alpha AND NOT beta", "a ag"),
        ("NOT beta AND alpha", "a ag"),
        ("(alpha OR beta) AND gamma", "abg ag bg"),
        ("gamma AND NOT (alpha OR beta)", "g"),
        ("gamma -(alpha beta)", "g"),
        ('"alpha beta"', "ab abg"),
        ('"beta alpha"', ""),
        ('"alpha gamma"', "ag"),
        ("ALPHA", "a ab abg ag"),
        ("alpha AND _", "a ab abg ag"),
        ("alpha -_", "a ab abg ag"),
        ("_", ""),
        ("alpha AND delta", ""),
        ("alpha -delta", "a ab abg ag"),
        ("delta", ""),
    ],
)
def test_operators(subsets: Workspace, query: str, expected: str) -> None:
    found = {place.removeprefix("x.com/").replace("abc", "abg") for place in places(subsets, query)}
    assert found == set(expected.replace("abc", "abg").split())


expressions = st.recursive(
    st.sampled_from(LETTERS).map(lambda word: (word, lambda has: word in has)),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(
            lambda p: (f"({p[0][0]} AND {p[1][0]})", lambda has: p[0][1](has) and p[1][1](has))
        ),
        st.tuples(inner, inner).map(
            lambda p: (f"({p[0][0]} OR {p[1][0]})", lambda has: p[0][1](has) or p[1][1](has))
        ),
        st.tuples(inner, inner).map(
            lambda p: (
                f"({p[0][0]} AND NOT {p[1][0]})", lambda has: p[0][1](has) and not p[1][1](has)
            )
        ),
    ),
    max_leaves=6,
)  # fmt: skip


@given(expression=expressions)
def test_expressions_are_set_algebra(
    subsets: Workspace, expression: tuple[str, Callable[[set[str]], bool]]
) -> None:
    text, holds = expression
    expected = {
        "".join(word[0] for word in words)
        for n in range(4)
        for words in combinations(LETTERS, n)
        if holds(set(words))
    }
    assert {place.removeprefix("x.com/") for place in places(subsets, text)} == expected


@pytest.mark.parametrize("field", ["title", "text"])
def test_title_and_text_are_found(keep: Keep, field: str) -> None:
    workspace = keep(Page("http://a.com/1", **{field: "ocelot"}), Page("http://a.com/2"))  # type: ignore[arg-type]
    assert places(workspace, "ocelot") == ["a.com/1"]


def test_words_of_the_url_are_found(keep: Keep) -> None:
    workspace = keep(page("a.com/wild-cats/ocelot.html"), page("b.com/"))
    assert places(workspace, "ocelot") == ["a.com/wild-cats/ocelot.html"]
    assert places(workspace, '"wild cats"') == ["a.com/wild-cats/ocelot.html"]


def test_a_page_is_found_by_the_anchors_of_links_to_it(keep: Keep) -> None:
    keep(page("a.com/", "see this", links=(Link("http://b.com/", "spotted ocelot"),)))
    workspace = keep(page("b.com/", "nothing of the word"))
    assert places(workspace, "ocelot") == ["b.com/"]
    assert places(workspace, '"spotted ocelot"') == ["b.com/"]
    workspace.remove(["http://a.com/"])
    assert places(workspace, "ocelot") == []


def test_the_title_counts_more_than_the_text(keep: Keep) -> None:
    workspace = keep(
        page("a.com/text", "ocelot padding"), page("a.com/title", "padding", title="ocelot")
    )
    assert places(workspace, "ocelot") == ["a.com/title", "a.com/text"]


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("en", "connected engines", "connecting engine"),
        ("de", "die Häuser", "haus"),
        ("fr", "continuellement", "continuelle"),
        ("es", "corriendo rápidamente", "correr"),
        ("", "naïve café", "naive cafe"),
        ("en", "a café", "cafe"),
        ("en", "a cafe", "café"),
    ],
)
def test_words_are_stemmed_by_their_language(
    keep: Keep, language: str, text: str, query: str
) -> None:
    workspace = keep(page("a.com/", text, language=language), page("b.com/", "other"))
    for word in query.split():
        assert places(workspace, word) == ["a.com/"]


def test_words_without_language_are_not_stemmed(keep: Keep) -> None:
    assert places(keep(page("a.com/", "connected")), "connecting") == []


def test_a_word_is_stemmed_as_the_page_is(keep: Keep) -> None:
    workspace = keep(
        page("a.com/de", "die Häuser", language="de"),
        page("a.com/en", "many houses", language="en"),
        page("a.com/xx", "houses"),
    )
    assert places(workspace, "Haus") == ["a.com/de"]
    assert places(workspace, "house") == ["a.com/en"]
    assert sorted(places(workspace, "houses")) == ["a.com/en", "a.com/xx"]
    assert places(workspace, '"many house"') == ["a.com/en"]


def test_a_stem_of_one_language_is_no_word_of_another(keep: Keep) -> None:
    workspace = keep(
        page("a.com/de", "etwas anderes", language="de"),
        page("a.com/en", "this is for you", language="en"),
        page("a.com/forest", "a forest", language="en"),
    )
    assert places(workspace, "forest") == ["a.com/forest"]


def test_a_word_weighs_the_same_in_every_language(keep: Keep) -> None:
    languages = ["en"] * 9 + ["es"]
    workspace = keep(
        *(page(f"a.com/{k}", "el jaguar", language=code) for k, code in enumerate(languages)),
        *(page(f"b.com/{k}", "el puma", language="en") for k in range(10)),
    )
    for query in ("jaguar", '"el jaguar"'):
        assert len({score for _, score in scores(workspace, query)}) == 1
        assert len(places(workspace, query)) == 10


@pytest.mark.parametrize(
    ("language", "text", "query", "other"),
    [
        ("zh", "美洲豹是一种猫科动物", "猫科", "汽车"),
        ("ja", "ジャガーは動物です", "ジャガー", "自動車"),
        ("en", "known as ジャガー in Japan", "ジャガー", "自動車"),
        ("zh", "使用Python编程", "Python", "pyth"),
    ],
)
def test_text_without_spaces_is_found(
    keep: Keep, language: str, text: str, query: str, other: str
) -> None:
    workspace = keep(page("a.com/", text, language=language))
    assert places(workspace, query) == ["a.com/"]
    assert places(workspace, other) == []
    hit = workspace.search(query).snippets[0]
    assert "".join(hit.text[start:end] for start, end in hit.marks) == query


@pytest.fixture
def sites(keep: Keep) -> Workspace:
    urls = [
        "a.com/",
        "a.com/docs/1",
        "a.com/Docs/2",
        "www.a.com/docs/3",
        "aa.com/",
        "a.com.evil.org/",
    ]
    return keep(*(page(place, "cat") for place in [*urls, "b.org:8080/docs/", "c.a.com/"]))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("site:a.com", "a.com/ a.com/docs/1 a.com/Docs/2 www.a.com/docs/3 c.a.com/"),
        ("site:A.COM", "a.com/ a.com/docs/1 a.com/Docs/2 www.a.com/docs/3 c.a.com/"),
        ("site:www.a.com", "www.a.com/docs/3"),
        ("site:a.com/docs", "a.com/docs/1"),
        ("site:a.com/Docs/", "a.com/Docs/2"),
        ("site:http://a.com/docs", "a.com/docs/1"),
        ("site:b.org", "b.org:8080/docs/"),
        ("site:com -site:a.com", "aa.com/"),
        ("site:aa.com site:b.org", "aa.com/ b.org:8080/docs/"),
        ("site:nowhere.net", ""),
    ],
)
def test_sites(sites: Workspace, query: str, expected: str) -> None:
    assert set(places(sites, query)) == set(expected.split())
    assert set(places(sites, f"cat {query}")) == set(expected.split())


def test_a_site_is_one_range_of_numbers(sites: Workspace) -> None:
    pages = sites.collection.pages
    first, last = site_page_range("a.com", SortedColumn(pages["key"]))
    assert pages["url"][first].as_py() == "http://c.a.com/"
    assert last - first == 5


def test_languages(keep: Keep) -> None:
    workspace = keep(
        page("a.com/en", "cat", language="en"), page("a.com/de", "cat", language="de"),
        page("a.com/xx", "cat"),
    )  # fmt: skip
    assert places(workspace, "cat lang:EN") == ["a.com/en"]
    assert sorted(places(workspace, "cat lang:en lang:de")) == ["a.com/de", "a.com/en"]
    assert sorted(places(workspace, "cat -lang:en")) == ["a.com/de", "a.com/xx"]


def test_dates(keep: Keep) -> None:
    workspace = keep(*(page(f"a.com/{day}", "cat", time=day * 86_400) for day in (1, 2, 3)))
    assert places(workspace, "cat", since="1970-01-03") == ["a.com/2", "a.com/3"]
    assert places(workspace, "cat", until="1970-01-03") == ["a.com/1"]
    assert places(workspace, "cat", since="1970-01-02T00:00:01", until="1970-01-04") == ["a.com/2"]
    with pytest.raises(BadParameter, match="not a date"):
        workspace.search("cat", since="yesterday")


def test_a_page_without_a_date_is_in_no_range(keep: Keep) -> None:
    workspace = keep(Page("http://a.com/", text="cat"), Page("http://b.com/", text="cat", time=9))
    assert places(workspace, "cat") == ["a.com/", "b.com/"]
    assert places(workspace, "cat", until="2000") == ["b.com/"]
    assert places(workspace, "cat", since="1970") == ["b.com/"]
    assert workspace.search("cat").to_table()["time"].to_pylist() == [None, 9]
    times = workspace.page_table()["time"].to_pylist()
    assert [time and time.second for time in times] == [None, 9]


def test_ties_are_ordered_by_url_also_at_the_last_position(keep: Keep) -> None:
    names = [f"a.com/{number:02d}" for number in range(30)]
    for third in range(3):
        workspace = keep(*(page(name, "the same words") for name in reversed(names[third::3])))
    for k in (1, 2, 7, 29, 30, 40):
        assert places(workspace, "same", k) == names[:k]
        assert places(workspace, "site:a.com", k) == names[:k]


def scores(workspace: Workspace, query: str) -> list[tuple[str, float]]:
    rows = workspace.search(query, 100).to_table().to_pylist()
    return [(row["url"], row["score"]) for row in rows]


def test_scores_depend_on_live_pages_alone(keep: Keep) -> None:
    stay = [page(f"a.com/{k}", "cat " * k + "dog") for k in range(1, 6)]
    go = [page(f"b.com/{k}", "cat cat cat mouse") for k in range(20)]
    fresh = keep(*stay, name="fresh.weft")
    worn = keep(*stay[:3], *go, page("a.com/4", "older words", time=-1), name="worn.weft")
    keep(*stay[3:], name="worn.weft")
    keep(*stay, name="worn.weft")
    worn.remove(hosts=["b.com"])
    assert scores(worn, "cat") == scores(fresh, "cat")
    worn.compact()
    assert scores(worn, "cat dog") == scores(fresh, "cat dog")


def test_marks_cover_the_words(keep: Keep) -> None:
    text = "Größe über alles: the ocelot's cousin. " + "filler " * 200 + "an Ocelot “sleeps”."
    workspace = keep(page("a.com/", text, language="en"))
    marked = workspace.search("ocelot OR über").snippets[0]
    words = [marked.text[start:end].lower() for start, end in marked.marks]
    assert words
    assert set(words) <= {"ocelot", "über"}
    assert len(marked.text) <= MAX_SNIPPET_CHARS


def test_a_page_found_by_its_title_shows_how_it_begins(keep: Keep) -> None:
    workspace = keep(page("a.com/", "It begins\n\nlike this.", title="ocelot"))
    assert workspace.search("ocelot").snippets[0].text == "It begins like this."


def test_an_empty_collection_is_searched(keep: Keep) -> None:
    assert len(keep().search("anything site:a.com lang:en")) == 0


@pytest.mark.parametrize("k", [0, -1, 10_001])
def test_the_number_of_results_is_bounded(subsets: Workspace, k: int) -> None:
    with pytest.raises(BadParameter, match="10,000"):
        subsets.search("alpha", k)


@given(parts=st.lists(st.sampled_from(PARTS), max_size=40), gap=st.sampled_from([" ", ""]))
def test_operators_in_any_order_are_answered_or_refused(
    subsets: Workspace, parts: list[str], gap: str
) -> None:
    start = time.perf_counter()
    with suppress(BadParameter):
        subsets.search(gap.join(parts))
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    "query",
    ["( " * 900, "jaguar " * 280, "+a -b " * 300, '"a b" OR ' * 200, "jaguar" * 20_000,
     "日" * 2000, "a(" * 999],
)  # fmt: skip
def test_heavy_queries_end_within_two_seconds(demo: Workspace, query: str) -> None:
    start = time.perf_counter()
    with suppress(BadParameter):
        demo.search(query)
    assert time.perf_counter() - start < 2


PREFIX_PAGES = (
    page("a.com/", "Democracy dies in darkness", language="en"),
    page("b.com/", "a democratic party", language="en"),
    page("c.de/", "Demokratien und Parteien", language="de"),
    page("d.com/", "the demon of the e-type", language="en"),
    page("e.jp/", "民主主義", language="ja"),
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("democ*", "a.com/ b.com/"),
        ("DEMOC*", "a.com/ b.com/"),
        ("democracy*", "a.com/"),
        ("demo*", "a.com/ b.com/ c.de/ d.com/"),
        ("demo* -demon*", "a.com/ b.com/ c.de/"),
        ("demo* AND part*", "b.com/ c.de/"),
        ("demokr** ", "c.de/"),
        ("e-ty*", "d.com/"),
        ("民主*", "e.jp/"),
        ("en*", ""),
        ("democ", ""),
        ('"democ*"', ""),
        ("*mocracy", ""),
    ],
)
def test_a_star_marks_a_prefix(keep: Keep, query: str, expected: str) -> None:
    assert " ".join(sorted(places(keep(*PREFIX_PAGES), query))) == expected


def test_words_with_the_prefix_are_marked(keep: Keep) -> None:
    hits = keep(*PREFIX_PAGES).search("democ*")
    marked = {snippet.text[slice(*mark)] for snippet in hits.snippets for mark in snippet.marks}
    assert marked == {"Democracy", "democratic"}


def test_a_prefix_stands_for_its_most_frequent_stems(keep: Keep) -> None:
    """At most MAX_PREFIX_STEMS in each field, whatever the vocabulary."""
    words = [f"zz{k:04}" for k in range(3 * MAX_PREFIX_STEMS)]
    pages = [page(f"x{k}.com/", f"{word} zz0000") for k, word in enumerate(words)]
    index = keep(*pages).collection.text_index
    found = {stem for (stem,) in index.stem_and_expand_prefix("zz*")}
    assert len(found) == MAX_PREFIX_STEMS + 1
    assert "zz0000" in found
