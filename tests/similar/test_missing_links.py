"""What is never suggested, and reciprocal rank fusion."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.similar import link_scores as scores
from weft.similar.context import WebContext
from weft.similar.missing_links import (
    MissingLinkOptions,
    drop_near_duplicates,
    find_missing_links,
    is_navigation_target,
    is_sponsored,
    is_well_known,
    reciprocal_rank_fusion,
)

Links = list[tuple[str, str]]
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25, unique=True
)
POPULAR = {"popular": scores.preferential_attachment}


@given(webs)
def test_no_link_that_is_there_and_no_page_itself(links: Links) -> None:
    page = links[0][0]
    found = find_missing_links(
        WebContext.from_any(links), "test", MissingLinkOptions(page=page), POPULAR
    )
    for one in found.to:
        assert (page, one.page) not in links
        assert one.page != page
    for one in found.from_:
        assert (one.page, page) not in links
        assert one.page != page


def test_no_copy_of_a_page_that_is_linked() -> None:
    lists = ["http://a.org/", "http://b.org/"]
    links = [(page, f"http://t.org/{k}") for page in lists for k in range(6)]
    links += [("http://x.org/", lists[0]), ("http://y.org/", lists[0]), ("http://y.org/", lists[1])]
    found = find_missing_links(
        WebContext.from_any(links),
        "test",
        MissingLinkOptions(page="http://x.org/", direction="to"),
        POPULAR,
    )
    assert lists[1] not in [one.page for one in found.to]
    assert found.notes == ("to: 1 copy of other pages left out",)


def find_to(context: WebContext, page: str, **options: Any) -> tuple[list[str], tuple[str, ...]]:
    asked = MissingLinkOptions(page=page, direction="to", **options)
    found = find_missing_links(context, "test", asked, POPULAR)
    return sorted(one.page for one in found.to), found.notes


def test_pages_on_the_stop_list_are_left_out() -> None:
    """A counter, a contact page and a page of terms, but not one on contacts in law."""
    own, law = "http://b.org/", "http://law.org/contact/law.html"
    stoplisted = ["http://www.statcounter.com/x", "http://c.org/contact.html", "http://c.org/terms"]
    links = [("http://a.org/", own), *((own, page) for page in (*stoplisted, law))]
    pages, notes = find_to(WebContext.from_any(links), "http://a.org/")
    assert pages == [law]
    assert notes == ("to: 3 pages on the stop-list left out",)


def test_hosts_on_the_stop_list_are_left_out() -> None:
    links = [("a.org", "b.org"), ("b.org", "www.statcounter.com"), ("b.org", "c.org")]
    assert find_to(WebContext.from_any(links), "a.org")[0] == ["c.org"]


def test_pages_that_were_not_captured_are_left_out_unless_kept() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("b", "d")])
    uncaptured = np.array([page == "d" for page in graph.pages])
    context = WebContext(BaseSet.from_graph(replace(graph, uncaptured=uncaptured)))
    note = "to: 1 page nearby left out, as not captured"
    assert find_to(context, "a") == (["c"], (note,))
    assert find_to(context, "a", top=1) == (["c"], ())
    assert find_to(context, "a", uncaptured="keep") == (["c", "d"], ())
    assert find_to(WebContext.from_any(graph), "a")[0] == ["c", "d"], "all pages may be captured"


def test_pages_with_errors_are_left_out() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("b", "d")])
    kinds = np.array(["captured", "captured", "listed", "error"])
    context = WebContext(BaseSet.from_graph(graph), read_kinds=lambda pages: kinds[pages].tolist())
    for choice in ("drop", "keep"):
        pages, notes = find_to(context, "a", uncaptured=choice)
        assert pages == ["c"]
        assert notes == ("to: 1 page left out that a server answered with an error",)


def test_paid_links_and_menus_are_left_out_and_others_come_up() -> None:
    own = [f"http://a.org/{k}" for k in range(6)]
    links = [(page, "http://a.org/menu") for page in own[1:]]
    links += [(own[0], own[1]), *((own[1], f"http://{name}.org/") for name in ("ad", "b", "c"))]
    links += [("http://x.org/", "http://ad.org/"), (own[2], "http://b.org/")]
    graph = WebGraph.from_links(links)
    ad = graph.page_number("http://ad.org/")
    context = WebContext(
        BaseSet.from_graph(graph),
        read_nofollow_counts=lambda: (np.arange(len(graph)) == ad).astype(np.int32),
    )
    found = find_missing_links(
        context, "test", MissingLinkOptions(page=own[0], direction="to", top=1), POPULAR
    )
    assert [one.page for one in found.to] == ["http://b.org/"]
    assert [note.partition(" left out")[0] for note in found.notes] == ["to: 1 page"] * 2
    assert "marked nofollow" in found.notes[0]
    assert "menus" in found.notes[1]


def test_the_same_site_if_wanted() -> None:
    home, inner, outer = "http://a.org/", "http://www.a.org/in", "http://b.org/"
    links = [(home, "http://a.org/m"), ("http://a.org/m", inner), ("http://a.org/m", outer)]
    for wanted, pages in ((False, {inner, outer}), (True, {inner})):
        asking = MissingLinkOptions(page=home, direction="to", same_site=wanted)
        assert {
            one.page
            for one in find_missing_links(WebContext.from_any(links), "t", asking, POPULAR).to
        } == pages


def test_one_direction_if_wanted() -> None:
    context = WebContext.from_any([("a", "b"), ("b", "c"), ("d", "a"), ("e", "d")])
    counts = {
        direction: (len(found.to), len(found.from_))
        for direction in ("both", "to", "from")
        for found in [
            find_missing_links(
                context,
                "t",
                MissingLinkOptions(page="a", direction=direction),
                {"cn": scores.common_neighbours},
            )
        ]
    }
    assert counts == {"both": (1, 1), "to": (1, 0), "from": (0, 1)}


def test_as_many_as_wanted() -> None:
    links = [("a", "b"), *(("b", f"c{k}") for k in range(5))]
    found = find_missing_links(
        WebContext.from_any(links),
        "t",
        MissingLinkOptions(page="a", direction="to", top=2),
        POPULAR,
    )
    assert [one.page for one in found.to] == ["c0", "c1"]


def test_fusion_adds_reciprocal_ranks() -> None:
    one, two = np.array([3.0, 2.0, 2.0, 0.0]), np.array([0.0, 1.0, 5.0, 0.0])
    wanted = [1 / 61, 1 / 62 + 1 / 62, 1 / 62 + 1 / 61, 0]
    np.testing.assert_allclose(reciprocal_rank_fusion([one, two]), wanted)


def test_uncaptured_pages_are_marked() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    context = WebContext(
        BaseSet.from_graph(graph), read_kinds=lambda pages: ["uncaptured"] * len(pages)
    )
    assert (
        find_missing_links(context, "t", MissingLinkOptions(page="a", direction="to"), POPULAR)
        .to[0]
        .kind
        == "uncaptured"
    )


@pytest.mark.parametrize("links", [[], [("a", "b")]])
def test_no_page_no_links(links: Links) -> None:
    found = find_missing_links(WebContext.from_any(links), "t", MissingLinkOptions(), POPULAR)
    assert found.notes == ("no page was given",)
    assert len(found) == 0


MENU = "http://a.org/menu"


def site(name: str, pages: int, target: str, linking: int) -> list[tuple[str, str]]:
    """A site of pages with links, of which some link to a target."""
    own = [f"http://{name}/{k}" for k in range(pages)]
    ring = [(page, own[(k + 1) % pages]) for k, page in enumerate(own)]
    return ring + [(page, target) for page in own[:linking]]


def in_menus(links: list[tuple[str, str]], page: str) -> bool:
    graph = WebGraph.from_links(links)
    return bool(
        is_navigation_target(WebContext(BaseSet.from_graph(graph)), graph.page_numbers([page]))[0]
    )


@pytest.mark.parametrize(
    ("pages", "linking", "meant"), [(6, 4, False), (6, 3, True), (4, 4, True), (40, 21, False)]
)
def test_over_half_of_a_site_of_five_pages_or_more(pages: int, linking: int, meant: bool) -> None:  # noqa: FBT001
    assert in_menus(site("a.org", pages, MENU, linking), MENU) is not meant


def test_who_else_links_there_means_it() -> None:
    links = site("a.org", 8, MENU, 8)
    assert not in_menus([*links, ("http://b.org/", MENU)], MENU)
    two = [*links, *site("c.org", 8, MENU, 8)]
    assert in_menus([*two, ("http://b.org/", MENU)], MENU)


def test_a_page_that_nothing_links_to_is_in_no_menu() -> None:
    assert not in_menus([("a", "b")], "a")


@pytest.mark.parametrize(("marked", "wanted"), [(0, False), (1, False), (2, True), (5, True)])
def test_a_third_of_the_links_or_more(marked: int, wanted: bool) -> None:  # noqa: FBT001
    graph = WebGraph.from_links([(f"p{k}", "ad") for k in range(5)])
    ad = graph.page_numbers(["ad"])

    def read() -> Ids:
        return np.where(np.arange(len(graph)) == ad[0], marked, 0).astype(np.int32)

    base = BaseSet.from_graph(graph)
    assert is_sponsored(WebContext(base, read_nofollow_counts=read), ad).tolist() == [wanted]
    assert not is_sponsored(WebContext(base), ad).any()


@pytest.mark.parametrize(
    ("sites", "linking", "wanted"), [(200, 50, True), (200, 49, False), (90, 80, False)]
)
def test_what_a_quarter_of_many_sites_link_to(sites: int, linking: int, wanted: bool) -> None:  # noqa: FBT001
    links = [(f"http://s{k}.org/", f"http://s{(k + 1) % sites}.org/") for k in range(sites)]
    links += [(f"http://s{k}.org/", "http://search.org/") for k in range(linking)]
    graph = WebGraph.from_links(links)
    found = is_well_known(
        WebContext(BaseSet.from_graph(graph)), graph.page_numbers(["http://search.org/"])
    )
    assert found.tolist() == [wanted]


TARGETS = [f"http://t.org/{k}" for k in range(6)]
ONE, MIRROR, OTHER = "http://a.org/list", "http://b.org/list", "http://c.org/list"
SAME_SITE = "http://a.org/menu"
LINKS = [(page, target) for page in (ONE, MIRROR, SAME_SITE) for target in TARGETS]
LINKS += [(OTHER, target) for target in TARGETS[:3]] + [(OTHER, f"http://o.org/{k}") for k in "123"]


def kept(
    known: list[str], candidates: list[str], titles: dict[str, str], most: int = 9
) -> list[str]:
    graph = WebGraph.from_links(LINKS)
    base = BaseSet.from_graph(graph, read_titles=lambda: [titles.get(p, "") for p in graph.pages])
    found = drop_near_duplicates(
        WebContext(base), graph.page_numbers(known), graph.page_numbers(candidates), most
    )
    return [graph.pages[int(page)] for page in found]


def test_a_mirror_on_another_site_is_a_copy() -> None:
    assert kept([ONE], [MIRROR, OTHER], {}) == [OTHER]


def test_on_one_site_only_with_one_title() -> None:
    assert kept([ONE], [SAME_SITE], {}) == [SAME_SITE]
    assert kept([ONE], [SAME_SITE], {ONE: "Links", SAME_SITE: "Links"}) == []
    assert kept([ONE], [SAME_SITE], {ONE: "Links", SAME_SITE: "Menu"}) == [SAME_SITE]


def test_of_two_copies_the_better_stays() -> None:
    assert kept([TARGETS[0]], [ONE, MIRROR, OTHER], {}) == [ONE, OTHER]


def test_no_more_than_wanted() -> None:
    assert kept([TARGETS[0]], [ONE, OTHER], {}, 1) == [ONE]


def test_pages_with_few_links_are_no_copies() -> None:
    assert kept([TARGETS[0]], TARGETS[1:], {}) == TARGETS[1:]
