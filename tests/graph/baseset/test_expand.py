"""Expansion: which pages a base set contains, and which links count."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tests.webs import Spec

from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Link, Page
from weft.gather.url import domain
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set, score_roots
from weft.graph.levels import load_graph
from weft.graph.selection import UNFILTERED_SELECTION, Between, Selection
from weft.graph.webgraph import WebGraph
from weft.workspace.workspace import Workspace

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
    base = build_query_base_set(keep(*CHAIN).collection, "jaguar")
    assert names(base) == {"root.com", "out.com", "www.root.com/own", "in.com"}
    assert repr(base) == "<BaseSet for 'jaguar': 4 pages, 2 links>"


def test_a_second_step_expands_all_pages_so_far(keep: Keep) -> None:
    base = build_query_base_set(keep(*CHAIN).collection, "jaguar", steps=2)
    assert names(base) >= {"far.com", "further.com", "beside.com"}
    assert str(base.origin_of("http://far.com/")) == "http://far.com/: links to http://in.com/"


def test_without_steps_the_base_set_is_the_roots(keep: Keep) -> None:
    assert names(build_query_base_set(keep(*CHAIN).collection, "jaguar", steps=0)) == {"root.com"}


@pytest.mark.parametrize(
    ("between", "links"), [("page", 3), ("host", 3), ("domain", 2), ("site", 2)]
)
def test_internal_links_are_dropped(keep: Keep, between: Between, links: int) -> None:
    base = build_query_base_set(keep(*CHAIN).collection, "jaguar", between=between)
    assert base.graph.link_count == links
    dropped = [str(part) for part in base.dropped if part.links]
    expected = [f"same {between}: 0 pages, 1 links left out"]
    assert dropped == (expected if links == 2 else [])


ONE_HOST = (
    page("wiki.com/", "a jaguar", "wiki.com/lynx", "wiki.com/puma"),
    page("wiki.com/lynx", "nothing", "wiki.com/puma"),
)
TWO_HOSTS = (
    page("en.wiki.com/", "a jaguar", "de.wiki.com/", "en.wiki.com/lynx"),
    page("de.wiki.com/", "nothing", "en.wiki.com/"),
)


@pytest.mark.parametrize(
    ("pages", "links", "note"),
    [
        (CHAIN, 2, "same domain: 0 pages, 1 links left out"),
        (TWO_HOSTS, 2, "same host, as few links lead to another domain: 0 pages, 1 links"),
        (
            ONE_HOST,
            3,
            "inside a site, as few links lead to another domain or host: 0 pages, 0 links",
        ),
    ],
)
def test_auto_keeps_internal_links_where_few_others_are_left(
    keep: Keep, pages: tuple[Page, ...], links: int, note: str
) -> None:
    base = build_query_base_set(keep(*pages).collection, "jaguar")
    assert base.graph.link_count == links
    assert str(base.dropped[-1]).startswith(note)


def test_one_external_link_per_page_is_enough(keep: Keep) -> None:
    """Six pages link to each other, and all to the same external pages."""
    crowd = [f"wiki.com/{k}" for k in range(6)]

    def links(others: int) -> int:
        pages = [
            page(own, "a jaguar", *crowd, *(f"{k}.com/" for k in range(others))) for own in crowd
        ]
        collection = keep(*pages, name=f"of {others}").collection
        return build_query_base_set(
            collection, "jaguar", boilerplate="keep", per_domain=0
        ).graph.link_count

    assert links(1) == 30 + 6
    assert links(2) == 12
    assert links(6) == 36


def test_invalid_options_are_refused(keep: Keep) -> None:
    collection = keep(*CHAIN).collection
    with pytest.raises(BadParameter, match="between"):
        build_query_base_set(collection, "jaguar", between="planet")
    with pytest.raises(BadParameter, match="root_size"):
        build_query_base_set(collection, "jaguar", root_size=0)
    with pytest.raises(UnknownName, match="nowhere"):
        build_query_base_set(collection, pages=("http://nowhere.com/",))


def fans(count: int) -> list[Page]:
    return [page(f"fan{k:02}.com/", "nothing", "root.com/") for k in range(count)]


def test_inlinks_are_sampled_by_seed(keep: Keep) -> None:
    collection = keep(page("root.com/", "jaguar"), *fans(30)).collection
    chosen = [
        frozenset(names(build_query_base_set(collection, "jaguar", max_inlinks=4, seed=s)))
        for s in range(8)
    ]
    assert {len(some) for some in chosen} == {5}
    assert len(set(chosen)) > 4
    assert names(build_query_base_set(collection, "jaguar", max_inlinks=4, seed=3)) == chosen[3]
    dropped = build_query_base_set(collection, "jaguar", max_inlinks=4).dropped
    assert [str(part) for part in dropped if part.pages] == [
        "more than 4 links to a page: 26 pages, 26 links left out"
    ]


def test_the_order_of_the_input_does_not_matter(keep: Keep) -> None:
    pages = [page("root.com/", "jaguar"), page("other.com/", "jaguar jaguar"), *fans(9)]
    forward = build_query_base_set(
        keep(*pages, name="one.weft").collection, "jaguar", max_inlinks=3
    )
    backward = build_query_base_set(
        keep(*pages[::-1], name="two.weft").collection, "jaguar", max_inlinks=3
    )
    assert forward.to_table().equals(backward.to_table())


@pytest.mark.parametrize("options", [Selection(), UNFILTERED_SELECTION, Selection(selective=5)])
def test_every_page_is_a_root_or_linked_with_one(demo: Workspace, options: Selection) -> None:
    base = build_query_base_set(demo.collection, "jaguar", options, root_size=20)
    graph = load_graph(demo.collection)
    roots = base.page_numbers[base.roots]
    ranks = base.rank[base.roots].tolist()
    assert ranks == sorted(ranks)
    assert options != UNFILTERED_SELECTION or ranks == list(range(1, 21))
    near = set(roots.tolist())
    for rows in (graph.outlinks, graph.inlinks):
        for root in roots:
            near |= set(rows.ids[rows.starts[root] : rows.starts[root + 1]].tolist())
    assert set(base.page_numbers.tolist()) <= near
    assert [graph.pages[int(k)] for k in base.page_numbers] == list(base.pages)


def test_links_are_all_those_among_the_pages(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar", UNFILTERED_SELECTION, between="page")
    graph = load_graph(demo.collection)
    inside = set(base.pages)
    wanted = [r for r in graph.to_arrow().to_pylist() if {r["source"], r["target"]} <= inside]
    assert base.graph.to_arrow().to_pylist() == wanted


def test_no_link_of_a_domain_to_itself_is_left(demo: Workspace) -> None:
    for row in build_query_base_set(demo.collection, "jaguar").graph.to_arrow().to_pylist():
        assert domain(row["source"]) != domain(row["target"])


def test_scores_are_those_of_the_search(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar", UNFILTERED_SELECTION, root_size=10)
    hits = demo.search("jaguar", 10)
    assert base.text_score[base.roots].tolist() == hits.to_table()["score"].to_pylist()
    assert np.count_nonzero(base.text_score) == 10


def test_a_query_that_finds_nothing(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "zyzzyva")
    assert len(base) == len(base.anchors) == 0
    assert list(base.texts) == []


def test_pages_can_be_given_instead_of_a_query(keep: Keep) -> None:
    collection = keep(*CHAIN).collection
    base = build_query_base_set(collection, pages=("far.com", "http://out.com/", "http://far.com/"))
    assert [base.pages[k] for k in base.roots.tolist()] == ["http://far.com/", "http://out.com/"]
    assert names(base) == {"far.com", "out.com", "in.com", "further.com", "root.com"}
    assert str(base.origin_of("http://far.com/")) == "http://far.com/: given"
    assert base.notes()[0] == "root 2 pages given → 5 pages"
    asked = build_query_base_set(collection, "jaguar", pages=("far.com",))
    assert asked.query_terms == ("jaguar",)
    assert names(asked) == {"far.com", "in.com"}


def test_without_query_or_pages_it_is_the_whole_collection(demo: Workspace) -> None:
    plain = build_query_base_set(demo.collection, selection=UNFILTERED_SELECTION, between="page")
    assert plain.graph.to_arrow().equals(load_graph(demo.collection).to_arrow())
    assert set(plain.text_score) == {1.0}
    assert plain.notes() == (f"all {len(plain):,} pages",)
    base = build_query_base_set(demo.collection)
    assert len(base) + len(base.absent) == len(plain)


PORTAL = (
    page("root.com/", "a jaguar", "www.yahoo.com/", "dir.yahoo.com/cars", "b.com/privacy.html"),
    page("www.yahoo.com/", "a jaguar", "root.com/", "behind.com/"),
    page("c.com/terms.html", "a jaguar", "root.com/"),
    page("in.com/", "nothing", "root.com/", "c.com/terms.html"),
)


def test_pages_on_the_stop_list_are_rejected_before_expansion(keep: Keep) -> None:
    collection = keep(*PORTAL).collection
    base = build_query_base_set(collection, "jaguar")
    assert names(base) == {"root.com", "dir.yahoo.com/cars", "c.com/terms.html", "in.com"}
    assert "on the stop-list: 2 pages and 3 links left out" in base.notes()
    assert "leading to legal or contact pages: 1 link left out" in base.notes()
    with pytest.raises(BadParameter, match="on the stop-list"):
        base.origin_of("http://www.yahoo.com/")
    assert "behind.com" in names(build_query_base_set(collection, "jaguar", stoplist="none"))
    given = build_query_base_set(collection, pages=("www.yahoo.com",))
    assert "behind.com" in names(given)


def test_patterns_exclude_pages(keep: Keep) -> None:
    base = build_query_base_set(keep(*PORTAL).collection, "jaguar", exclude=("in.com", "dir.*"))
    assert names(base) == {"root.com", "c.com/terms.html"}
    assert "without in.com: 1 page and 2 links left out" in base.notes()


LIST = [f"t{k}.com/" for k in range(9)]
COPIES = (
    page("hub.com/", "jaguar jaguar", *LIST),
    page("copy.com/", "a jaguar", *LIST, "beyond.com/"),
    page("fan.com/", "nothing", "copy.com/"),
    page("friend.com/", "nothing", "copy.com/", "hub.com/"),
)


def test_mirrors_are_absent_with_the_page_they_mirror(keep: Keep) -> None:
    collection = keep(*COPIES).collection
    base = build_query_base_set(collection, "jaguar")
    assert names(base) == {"hub.com", "friend.com", *(t.rstrip("/") for t in LIST)}
    assert base.absent["http://copy.com/"].replaced_by == "http://hub.com/"
    with pytest.raises(BadParameter, match=r"it mirrors http://hub\.com/"):
        base.origin_of("http://copy.com/")
    assert {"fan.com", "beyond.com"} <= names(
        build_query_base_set(collection, "jaguar", mirrors="keep")
    )


def test_links_to_a_mirror_can_count_for_the_original(keep: Keep) -> None:
    pages = (*COPIES[:2], page("root.com/", "jaguar", "fan.com/"), *COPIES[2:])
    workspace = keep(*pages)

    def fans(mirrors: str) -> set[str]:
        base = build_query_base_set(workspace.collection, "jaguar", mirrors=mirrors)
        rows = base.graph.to_arrow().to_pylist()
        return {row["source"] for row in rows if row["target"] == "http://hub.com/"}

    assert fans("drop") == {"http://friend.com/"}
    assert fans("redirect") == {"http://friend.com/", "http://fan.com/"}


def test_mirrors_can_be_found_by_links_alone(keep: Keep) -> None:
    """Pages of one site with other titles, and pages of few links, as Wu and Chen have it."""
    links = [f"t{k}.com/" for k in range(6)]
    own = [
        Page(
            f"http://hub.com/{name}", text="a jaguar", title=name, links=page("x", "", *links).links
        )
        for name in ("north", "south")
    ]
    short = [page(f"s{k}.com/", "a jaguar", "only.com/", "other.com/") for k in range(3)]
    near = page("near.com/", "a jaguar", "only.com/", "else.com/")
    collection = keep(*own, *short, near).collection

    def kept(mirrors: str) -> set[str]:
        found = names(build_query_base_set(collection, "jaguar", mirrors=mirrors))
        return found & {"hub.com/north", "hub.com/south", "s0.com", "s1.com", "s2.com", "near.com"}

    assert len(kept("drop")) == len(kept("keep")) == 6
    by_links = kept("links")
    assert "near.com" in by_links
    assert len(by_links & {"hub.com/north", "hub.com/south"}) == 1
    assert len(by_links & {"s0.com", "s1.com", "s2.com"}) == 1


def test_the_stop_list_can_drop_links_only(keep: Keep) -> None:
    collection = keep(
        page("root.com/", "a jaguar", "portal.com/", "good.com/", "good.com/privacy.html"),
        page("portal.com/", "a jaguar", "good.com/"),
        page("fan.com/", "nothing", "root.com/", "portal.com/"),
    ).collection
    options = Selection(between="page", boilerplate="keep")

    def links(stop: str, file: str = "default", pages: Sequence[str] = ()) -> set[tuple[str, str]]:
        base = build_query_base_set(
            collection, "jaguar", options, stoplist_drops=stop, stoplist=file, pages=tuple(pages)
        )
        short = [
            tuple(row[end].removeprefix("http://").rstrip("/") for end in ("source", "target"))
            for row in base.graph.to_arrow().to_pylist()
        ]
        return {(one, other) for one, other in short}

    listed = collection.folder / "stop.txt"
    listed.write_text("portal.com\n")
    away = links("pages", str(listed))
    assert not any("portal.com" in pair for pair in away)
    stays = links("links", str(listed))
    assert stays == away | {("portal.com", "good.com")} | {("root.com", "good.com/privacy.html")}
    base = build_query_base_set(
        collection, "jaguar", options, stoplist_drops="links", stoplist=str(listed)
    )
    assert "leading to pages on the stop-list: 2 links left out" in base.notes()
    assert ("root.com", "good.com/privacy.html") not in links("links")
    named = links("links", str(listed), pages=("portal.com/", "root.com/"))
    assert ("root.com", "portal.com") in named, "the stop-list does not apply to given pages"


def test_links_of_one_domain_to_a_page_are_limited(keep: Keep) -> None:
    crowd = [page(f"s{k}.loud.com/{k}", "nothing", "root.com/") for k in range(9)]
    collection = keep(page("root.com/", "jaguar"), *crowd).collection
    base = build_query_base_set(collection, "jaguar", boilerplate="keep")
    assert base.graph.link_count == 6
    assert base.notes()[-1] == "more than 6 pages of one domain to a page: 3 links left out"
    assert (
        build_query_base_set(
            collection, "jaguar", boilerplate="keep", per_domain=0
        ).graph.link_count
        == 9
    )
    assert (
        build_query_base_set(
            collection, "jaguar", boilerplate="keep", between="host"
        ).graph.link_count
        == 9
    )
    assert build_query_base_set(collection, "jaguar").graph.link_count == 1


def test_paid_links_do_not_count(keep: Keep) -> None:
    paid = Link("http://ad.com/", "buy", rel="sponsored")
    sold = Page("http://root.com/", text="a jaguar", links=(paid, Link("http://b.com/")))
    collection = keep(sold).collection
    base = build_query_base_set(collection, "jaguar")
    assert base.graph.link_count == 1
    assert "marked nofollow: 1 link left out" in base.notes()
    assert build_query_base_set(collection, "jaguar", nofollow="keep").graph.link_count == 2


def test_selective_expansion(keep: Keep) -> None:
    hubs = [page(f"hub{k}.com/", "a jaguar", "x.com/", "y.com/", f"own{k}.com/") for k in range(3)]
    lone = page("lone.com/", "a jaguar", "dull.com/")
    collection = keep(*hubs, lone, page("in.com/", "nothing", "lone.com/")).collection
    base = build_query_base_set(collection, "jaguar", selective=3)
    assert {"x.com", "own0.com", "own1.com", "own2.com", "lone.com"} <= names(base)
    assert not {"dull.com", "in.com"} & names(base)


def test_pages_of_an_unrelated_topic_leave_old_ones_alone(keep: Keep) -> None:
    """The numbers of pages shift, the sample stays the same."""
    topic = [page("root.com/", "jaguar"), *fans(40)]
    other = [page(f"a{k}.com/", "tea", "root2.com/", f"zz{k}.com/") for k in range(60)]
    alone = build_query_base_set(keep(*topic, name="one").collection, "jaguar", max_inlinks=7)
    together = build_query_base_set(
        keep(*topic, *other, name="two").collection, "jaguar", max_inlinks=7
    )
    assert names(alone) == names(together)
    assert len(alone) == 8


def test_notes_of_a_base_set(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar", root_size=50)
    first, *others = base.notes()
    roots = f"root {len(base.roots)} pages of {base.search_total} found by the search"
    assert first == f"{roots} → {len(base)} pages"
    assert len(others) == len(base.dropped)
    reasons = {dropped.reason for dropped in base.dropped}
    assert {"marked nofollow", "mirrors of other pages", "same domain"} <= reasons
    assert sum(d.pages for d in base.dropped) >= len(base.absent)


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_worked_values(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    wanted = values["selective_expansion"]
    found = score_roots(graph, np.arange(len(graph), dtype=np.int32))
    np.testing.assert_allclose(found.hub, wanted["page_hub_from_page_to_host"], atol=1e-8)
    np.testing.assert_allclose(
        found.authority, wanted["page_authority_from_host_to_page"], atol=1e-8
    )


def test_scores_are_in_the_order_of_the_roots(spec: Spec) -> None:
    graph, values = spec("G3_own10")
    roots = np.arange(len(graph), dtype=np.int32)[::-1].copy()
    wanted = values["selective_expansion"]["page_authority_from_host_to_page"]
    np.testing.assert_allclose(score_roots(graph, roots).authority, wanted[::-1], atol=1e-8)


NEPOTISM = [
    *((f"http://many.com/{k}", "http://paid.com/") for k in range(30)),
    *((f"http://fan{k}.com/", "http://loved.com/") for k in range(3)),
]


def test_one_vote_per_host() -> None:
    graph = WebGraph.from_links(NEPOTISM)
    _, authorities = score_roots(graph, np.arange(len(graph), dtype=np.int32)).top_pages(5)
    assert [graph.pages[int(k)] for k in authorities] == ["http://loved.com/"]


def test_links_out_of_the_root_set_count_for_hubs_only() -> None:
    graph = WebGraph.from_links(
        [("http://a.com/", "http://x.com/"), ("http://a.com/", "http://y.com/")]
    )
    found = score_roots(graph, graph.page_numbers(["http://a.com/"]))
    assert found.hub.tolist() == [1.0]
    assert found.authority.tolist() == [0.0]
    hubs, authorities = found.top_pages(3)
    assert (hubs.tolist(), authorities.tolist()) == ([0], [])


def test_no_roots_have_no_scores() -> None:
    graph = WebGraph.from_links([("http://a.com/", "http://x.com/")])
    found = score_roots(graph, np.zeros(0, np.int32))
    assert len(found.hub) == len(found.authority) == 0
