"""Keywords by contrast: ratios by hand, phrases of texts, and what is typical of a page."""

from math import log

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.reputation import find_keywords, find_phrases, log_likelihood_ratio, texts_about

AnchoredLinks = list[tuple[str, str, str]]


def base_with_anchors(links: AnchoredLinks, titles: dict[str, str] | None = None) -> BaseSet:
    graph = WebGraph.from_links([(source, target) for source, target, _ in links])
    rows = [
        {
            "source": graph.page_number(source),
            "target": graph.page_number(target),
            "anchor": anchor,
            "before": "",
            "after": "",
        }
        for source, target, anchor in links
    ]
    table = pa.Table.from_pylist(rows, schema=ANCHOR_SCHEMA)
    page_titles = [(titles or {}).get(page, "") for page in graph.pages]
    return BaseSet.from_graph(graph, read_anchors=lambda: table, read_titles=lambda: page_titles)


def keywords(page: str, links: AnchoredLinks, titles: dict[str, str] | None = None) -> list[str]:
    base = base_with_anchors(links, titles)
    return find_keywords(base, base.graph.page_number(page))


def test_ratio_by_hand() -> None:
    """One own text of one, none of three others: the expected counts are 1/4 and 3 · 3/4."""
    assert log_likelihood_ratio(1, 1, 0, 3) == pytest.approx(2 * (log(4) + 3 * log(4 / 3)))
    assert log_likelihood_ratio(3, 4, 2, 6) > 0
    assert log_likelihood_ratio(3, 4, 3, 6) == 0, "less than twice the share of the others"
    assert log_likelihood_ratio(0, 4, 0, 6) == 0
    assert log_likelihood_ratio(4, 4, 0, 0) == 0, "nothing to compare with"


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_ratio_is_not_negative_and_zero_without_contrast(a: int, b: int, c: int, d: int) -> None:
    ratio = log_likelihood_ratio(a, a + b, c, c + d)
    assert ratio >= -1e-12
    if a * (c + d) < 2 * c * (a + b):
        assert ratio == 0


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Jane Doe's Home Page", ["jane", "jane doe", "doe"]),
        ("Welcome to the web site of the", []),
        ("Gordon S. Novak", ["gordon", "gordon s. novak", "novak"]),
        ("mail jane@a.org or see http://a.org/doe", []),
        ("History of cars, boats", ["history", "history of cars", "cars", "boats"]),
        ("pandas.Series.count", ["pandas.series.count"]),
        ("1996 3.11", []),
    ],
)
def test_phrases(text: str, phrases: list[str]) -> None:
    assert list(find_phrases(text).values()) == phrases


def test_forms_of_a_stem_are_one_phrase() -> None:
    assert find_phrases("Operating systems").keys() == find_phrases("operating system").keys()


LINKS = [(f"l{k}", "x", "Jaguar cars") for k in range(4)]
OTHERS = [(f"l{k}", f"y{k}", "news") for k in range(4)]


def test_what_links_to_the_page_say_and_others_do_not() -> None:
    """Four of four links against none of four: G² = 2 (4 ln 2 + 4 ln 2) = 11.09."""
    assert keywords("x", LINKS + OTHERS) == ["jaguar cars"]
    assert keywords("x", LINKS[:3] + OTHERS[:3]) == [], "6 · 2 ln 2 = 8.3 is too little"
    assert keywords("y0", LINKS + OTHERS) == [], "all others are called news as well"
    assert keywords("l0", LINKS + OTHERS) == [], "nothing links there"


def test_titles_of_linking_pages_and_its_own_count() -> None:
    """Every title begins with the name of the site, which is known for nothing by it."""
    titles = {f"l{k}": f"Acme: jungle trip {k}" for k in range(4)}
    titles |= {f"y{k}": f"Acme: news {k}" for k in range(4)}
    links = [(source, target, "") for source, target, _ in LINKS + OTHERS]
    assert keywords("x", links, titles) == ["jungle trip"]
    titles |= {"x": "Acme: the jungle"} | {f"z{k}": f"Acme: news {k}" for k in range(4)}
    far = [(f"z{k}", "y0", "") for k in range(4)]
    assert keywords("x", links + far, titles) == ["jungle trip"]
    base = base_with_anchors(LINKS + OTHERS, titles)
    anchors, linking, own = texts_about(base, base.graph.page_number("x"))
    assert (len(anchors.own), sum(anchors.others.values())) == (4, 4)
    assert (linking.own[0], sum(linking.others.values())) == ("Acme: jungle trip 0", 4)
    assert (own.own, sum(own.others.values())) == (["Acme: the jungle"], 8)


def test_the_name_of_the_site_is_what_its_home_is_known_for() -> None:
    links = [(f"l{k}", "home", "Acme") for k in range(8)]
    links += [(f"l{k}", f"l{(k + 1) % 8}", "on") for k in range(8)]
    titles = {f"l{k}": f"Acme {k}" for k in range(8)}
    assert keywords("home", links, titles) == ["acme"]
    assert keywords("l0", links, titles) == []


def test_parts_of_longer_keywords_are_left_out_unless_they_stand_alone() -> None:
    others = [(f"m{k}", f"y{k}", "news") for k in range(40)]
    full = [(f"l{k}", "x", "George Washington") for k in range(9)]
    assert keywords("x", full + others) == ["george washington"]
    alone = [(f"l{k}", "x", "George Washington" if k % 2 else "Washington") for k in range(9)]
    assert keywords("x", alone + others) == ["washington", "george washington"]


def test_a_phrase_of_a_single_text_needs_a_single_link() -> None:
    others = [(f"m{k}", f"y{k}", "news") for k in range(200)]
    assert keywords("x", [("l", "x", "Jane Doe"), *others]) == ["jane doe"]
    two = [("l", "x", "Jane Doe"), ("m", "x", "Doe, a friend"), *others]
    assert keywords("x", two) == ["doe"]


def test_parallel_links_are_one_text() -> None:
    anchors = [("l", "x", "cat"), ("l", "x", "dog")]
    found, _, _ = texts_about(base_with_anchors(anchors), 1)
    assert found.own == ["cat | dog"]
