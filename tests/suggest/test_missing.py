"""What is never suggested, and how places are fused."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.suggest import scores
from weft.suggest.around import Around
from weft.suggest.missing import Ask, fuse, missing

Links = list[tuple[str, str]]
webs = st.lists(
    st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25, unique=True
)
POPULAR = {"popular": scores.preferential}


@given(webs)
def test_no_link_that_is_there_and_no_page_itself(links: Links) -> None:
    page = links[0][0]
    found = missing(Around.of(links), "test", Ask(page=page), POPULAR)
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
    found = missing(Around.of(links), "test", Ask(page="http://x.org/", direction="to"), POPULAR)
    assert lists[1] not in [one.page for one in found.to]
    assert found.notes == ("to: 1 copy of other pages left out",)


def test_pages_on_the_stop_list_are_left_out() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "ad"), ("b", "c")])
    ad = graph.number("ad")
    around = Around(BaseSet.whole(graph), read_stopped=lambda pages: pages == ad)
    found = missing(around, "test", Ask(page="a", direction="to"), POPULAR)
    assert [one.page for one in found.to] == ["c"]
    assert found.notes == ("to: 1 page on the stop-list left out",)


def test_paid_links_and_menus_are_left_out_and_others_come_up() -> None:
    own = [f"http://a.org/{k}" for k in range(6)]
    links = [(page, "http://a.org/menu") for page in own[1:]]
    links += [(own[0], own[1]), *((own[1], f"http://{name}.org/") for name in ("ad", "b", "c"))]
    links += [("http://x.org/", "http://ad.org/"), (own[2], "http://b.org/")]
    graph = WebGraph.from_links(links)
    ad = graph.number("http://ad.org/")
    around = Around(
        BaseSet.whole(graph), read_marked=lambda: (np.arange(len(graph)) == ad).astype(np.int32)
    )
    found = missing(around, "test", Ask(page=own[0], direction="to", top=1), POPULAR)
    assert [one.page for one in found.to] == ["http://b.org/"]
    assert [note.partition(" left out")[0] for note in found.notes] == ["to: 1 page"] * 2
    assert "marked nofollow" in found.notes[0]
    assert "menus" in found.notes[1]


def test_the_same_site_if_wanted() -> None:
    home, inner, outer = "http://a.org/", "http://www.a.org/in", "http://b.org/"
    links = [(home, "http://a.org/m"), ("http://a.org/m", inner), ("http://a.org/m", outer)]
    for wanted, pages in ((False, {inner, outer}), (True, {inner})):
        asking = Ask(page=home, direction="to", same_site=wanted)
        assert {one.page for one in missing(Around.of(links), "t", asking, POPULAR).to} == pages


def test_one_way_if_wanted() -> None:
    around = Around.of([("a", "b"), ("b", "c"), ("d", "a"), ("e", "d")])
    counts = {
        way: (len(found.to), len(found.from_))
        for way in ("both", "to", "from")
        for found in [missing(around, "t", Ask(page="a", direction=way), {"cn": scores.common})]
    }
    assert counts == {"both": (1, 1), "to": (1, 0), "from": (0, 1)}


def test_as_many_as_wanted() -> None:
    links = [("a", "b"), *(("b", f"c{k}") for k in range(5))]
    found = missing(Around.of(links), "t", Ask(page="a", direction="to", top=2), POPULAR)
    assert [one.page for one in found.to] == ["c0", "c1"]


def test_fusion_adds_up_places() -> None:
    one, two = np.array([3.0, 2.0, 2.0, 0.0]), np.array([0.0, 1.0, 5.0, 0.0])
    wanted = [1 / 61, 1 / 62 + 1 / 62, 1 / 62 + 1 / 61, 0]
    np.testing.assert_allclose(fuse([one, two]), wanted)


def test_seen_pages_are_marked() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    around = Around(BaseSet.whole(graph), read_kinds=lambda pages: ["seen"] * len(pages))
    assert missing(around, "t", Ask(page="a", direction="to"), POPULAR).to[0].kind == "seen"


@pytest.mark.parametrize("links", [[], [("a", "b")]])
def test_of_no_page_nothing_is_asked(links: Links) -> None:
    found = missing(Around.of(links), "t", Ask(), POPULAR)
    assert found.notes == ("no page was asked about",)
    assert len(found) == 0
