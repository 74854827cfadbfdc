"""Expansion: who comes into a base set, and which links count."""

from collections.abc import Callable

import numpy as np
import pytest

from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Link, Page
from weft.gather.url import domain
from weft.graph.baseset import BaseSet
from weft.graph.expand import Between, expand
from weft.graph.levels import load
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]


def page(url: str, text: str = "nothing", *targets: str) -> Page:
    links = tuple(Link(f"http://{t}", f"to {t}", "see", "there") for t in targets)
    return Page(f"http://{url}", text=text, links=links)


CHAIN = (
    page("root.com/", "a jaguar", "out.com/", "www.root.com/own"),
    page("in.com/", "nothing", "root.com/", "beside.com/"),
    page("far.com/", "nothing", "in.com/"),
    page("out.com/", "nothing", "further.com/"),
)


def names(base: BaseSet) -> set[str]:
    return {name.removeprefix("http://").rstrip("/") for name in base.pages}


def test_roots_their_links_and_those_that_link_to_them(keep: Keep) -> None:
    base = expand(keep(*CHAIN).collection, "jaguar")
    assert names(base) == {"root.com", "out.com", "www.root.com/own", "in.com"}
    assert repr(base) == "<BaseSet for 'jaguar': 4 pages, 2 links>"


def test_a_second_step_goes_on_from_all_of_these(keep: Keep) -> None:
    base = expand(keep(*CHAIN).collection, "jaguar", steps=2)
    assert names(base) >= {"far.com", "further.com", "beside.com"}
    assert str(base.why("http://far.com/")) == "http://far.com/: links to http://in.com/"


def test_no_step_leaves_the_roots(keep: Keep) -> None:
    assert names(expand(keep(*CHAIN).collection, "jaguar", steps=0)) == {"root.com"}


@pytest.mark.parametrize(
    ("between", "links"), [("page", 3), ("host", 3), ("domain", 2), ("site", 2)]
)
def test_links_inside_one_owner_are_left_out(keep: Keep, between: Between, links: int) -> None:
    base = expand(keep(*CHAIN).collection, "jaguar", between=between)
    assert base.graph.link_count == links
    dropped = [str(part) for part in base.dropped if part.links]
    told = [f"same {between}: 0 pages, 1 links left out"]
    assert dropped == (told if links == 2 else [])


ONE_HOST = (
    page("wiki.com/", "a jaguar", "wiki.com/lynx", "wiki.com/puma"),
    page("wiki.com/lynx", "nothing", "wiki.com/puma"),
)
TWO_HOSTS = (
    page("en.wiki.com/", "a jaguar", "de.wiki.com/", "en.wiki.com/lynx"),
    page("de.wiki.com/", "nothing", "en.wiki.com/"),
)


@pytest.mark.parametrize(
    ("pages", "links", "told"),
    [
        (CHAIN, 2, "same domain: 0 pages, 1 links left out"),
        (TWO_HOSTS, 2, "same host, as hardly any link leads to another domain: 0 pages, 1 links"),
        (ONE_HOST, 3, "hardly any link leads to another domain or host: 0 pages, 0 links"),
    ],
)
def test_where_hardly_any_link_would_be_left_more_count(
    keep: Keep, pages: tuple[Page, ...], links: int, told: str
) -> None:
    base = expand(keep(*pages).collection, "jaguar")
    assert base.graph.link_count == links
    assert str(base.dropped[-1]).startswith(told)


def test_a_link_in_twenty_is_enough(keep: Keep) -> None:
    crowd = [f"wiki.com/{k}" for k in range(19)]
    enough = keep(page("wiki.com/", "a jaguar", "out.com/", *crowd), name="enough").collection
    assert expand(enough, "jaguar").graph.link_count == 1
    scarce = keep(page("wiki.com/", "a jaguar", "out.com/", *crowd, "wiki.com/x")).collection
    assert expand(scarce, "jaguar").graph.link_count == 21
    assert expand(scarce, "jaguar", between="domain").graph.link_count == 1


def test_unknown_owners_and_counts_are_refused(keep: Keep) -> None:
    collection = keep(*CHAIN).collection
    with pytest.raises(UnknownName, match="planet"):
        expand(collection, "jaguar", between="planet")  # type: ignore[arg-type]
    with pytest.raises(BadParameter, match="root pages"):
        expand(collection, "jaguar", root=0)


def fans(count: int) -> list[Page]:
    return [page(f"fan{k:02}.com/", "nothing", "root.com/") for k in range(count)]


def test_in_links_are_capped_by_chance_that_repeats(keep: Keep) -> None:
    collection = keep(page("root.com/", "jaguar"), *fans(30)).collection
    chosen = [frozenset(names(expand(collection, "jaguar", inlinks=4, seed=s))) for s in range(8)]
    assert {len(some) for some in chosen} == {5}
    assert len(set(chosen)) > 4
    assert names(expand(collection, "jaguar", inlinks=4, seed=3)) == chosen[3]
    dropped = expand(collection, "jaguar", inlinks=4).dropped
    assert [str(part) for part in dropped if part.pages] == [
        "more than 4 links to a page: 26 pages, 26 links left out"
    ]


def test_the_order_of_the_input_does_not_matter(keep: Keep) -> None:
    pages = [page("root.com/", "jaguar"), page("other.com/", "jaguar jaguar"), *fans(9)]
    one = expand(keep(*pages, name="one.weft").collection, "jaguar", inlinks=3)
    two = expand(keep(*pages[::-1], name="two.weft").collection, "jaguar", inlinks=3)
    assert one.to_table().equals(two.to_table())


def test_every_page_is_a_root_or_beside_one(demo: Workspace) -> None:
    base = expand(demo.collection, "jaguar", root=20, between="page")
    graph = load(demo.collection)
    roots = base.numbers[base.roots]
    assert base.rank[base.roots].tolist() == list(range(1, 21))
    near = set(roots.tolist())
    for rows in (graph.outlinks, graph.inlinks):
        for root in roots:
            near |= set(rows.ids[rows.starts[root] : rows.starts[root + 1]].tolist())
    assert set(base.numbers.tolist()) <= near
    assert [graph.pages[int(k)] for k in base.numbers] == list(base.pages)


def test_links_are_all_those_among_the_pages(demo: Workspace) -> None:
    base, graph = expand(demo.collection, "jaguar", between="page"), load(demo.collection)
    inside = set(base.pages)
    wanted = [r for r in graph.to_arrow().to_pylist() if {r["source"], r["target"]} <= inside]
    assert base.graph.to_arrow().to_pylist() == wanted


def test_no_link_of_a_domain_to_itself_is_left(demo: Workspace) -> None:
    for row in expand(demo.collection, "jaguar").graph.to_arrow().to_pylist():
        assert domain(row["source"]) != domain(row["target"])


def test_scores_are_those_of_the_search(demo: Workspace) -> None:
    base, hits = expand(demo.collection, "jaguar", root=10), demo.search("jaguar", 10)
    assert base.text_score[base.roots].tolist() == hits.to_table()["score"].to_pylist()
    assert np.count_nonzero(base.text_score) == 10


def test_a_query_that_finds_nothing(demo: Workspace) -> None:
    base = expand(demo.collection, "zyzzyva")
    assert len(base) == len(base.anchors) == 0
    assert list(base.texts) == []
