"""The bow-tie of the specification, by its definition, under reversal, and as text."""

import json
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import UnknownName
from weft.graph.webgraph import WebGraph
from weft.kernels.components import condensation
from weft.structure import bow_tie
from weft.structure.bowtie import REGIONS, BowTie, CoreInOut, RegionPath, count_connected_pairs

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
Links = list[tuple[str, str]]
TWELVE = "1>2 2>3 3>1 4>1 5>4 3>6 6>7 5>8 8>7 4>9 10>6 11>12"
BROAD = [tuple(link.split(">")) for link in TWELVE.split()]
EXAMPLE: Links = [(one, two) for one, two in BROAD]
SWAPPED = {"in": "out", "out": "in", "tendrils in": "tendrils out", "tendrils out": "tendrils in"}
webs = st.lists(st.sampled_from(list(permutations("abcdefghij", 2))), max_size=18, unique=True)


def regions(links: Links, **options: Any) -> dict[str, str]:
    found = bow_tie(WebGraph.from_links(links), **options).to_table("pages").to_pylist()
    return {row["page"]: row["region"] for row in found}


def by_definition(links: Links) -> dict[str, str]:
    """The regions as sets of NetworkX's descendants and ancestors."""
    graph = nx.DiGraph(links)
    order = list(graph)
    parts = sorted(
        nx.strongly_connected_components(graph),
        key=lambda part: (-len(part), min(map(order.index, part))),
    )
    if not parts or len(parts[0]) < 2:
        return dict.fromkeys(order, "no core")
    core = parts[0]

    def after(pages: set[str]) -> set[str]:
        return pages.union(*(nx.descendants(graph, page) for page in pages))

    def before(pages: set[str]) -> set[str]:
        return pages.union(*(nx.ancestors(graph, page) for page in pages))

    out, into = after(core) - core, before(core) - core
    hung = nx.node_connected_component(graph.to_undirected(), min(core))
    side = hung - core - out - into
    down, up = after(into) & side, before(out) & side
    sets = {
        "core": core,
        "in": into,
        "out": out,
        "tubes": down & up,
        "tendrils in": down - up,
        "tendrils out": up - down,
        "other": side - down - up,
        "disconnected": set(order) - hung,
    }
    return {page: name for name, pages in sets.items() for page in pages}


@pytest.mark.parametrize(("more", "key"), [([], "regions"), ([(13, 9)], "with_13_to_9")])
def test_values_of_the_specification(more: list[tuple[int, int]], key: str) -> None:
    values = json.loads(VALUES.read_text())["bowtie"]
    links = [(str(one), str(two)) for one, two in [*values["edges"], *more]]
    found = regions(links)
    for name, pages in values[key].items():
        region = "core" if name == "SCC" else name.lower().replace("_", " ")
        assert {page for page, where in found.items() if where == region} == set(map(str, pages))
    if not more:
        shape = bow_tie(links)
        assert shape["share of connected pairs"] == pytest.approx(
            values["prob_path_exists"], abs=1e-9
        )
        assert shape["error of the share of connected pairs"] == 0


def test_facts_count_tendrils_both_ways() -> None:
    shape = bow_tie([*EXAMPLE, ("13", "9")])
    assert (shape["core"], shape["in"], shape["out"], shape["tubes"]) == (3, 2, 2, 1)
    assert (shape["tendrils in"], shape["tendrils out"], shape["other"]) == (1, 1, 1)
    assert shape["tendrils by Broder"] == 3
    assert shape["core share"] == pytest.approx(3 / 13)
    rows = shape.to_table().to_pylist()
    assert sum(row["pages"] for row in rows) == 13
    assert sum(row["share"] for row in rows) == pytest.approx(1)


@given(webs)
def test_regions_are_as_defined(links: Links) -> None:
    assert regions(links) == by_definition(links)


@given(webs, st.randoms(use_true_random=False))
def test_names_do_not_matter(links: Links, random: Any) -> None:
    """With one largest component; of equal ones the first page decides."""
    parts = sorted(map(len, nx.strongly_connected_components(nx.DiGraph(links))))
    if len(parts) < 2 or parts[-1] > parts[-2]:
        assert regions(random.sample(links, len(links))) == regions(links)


@given(webs)
def test_reversing_links_swaps_the_sides(links: Links) -> None:
    order = list(nx.DiGraph(links))
    ends = [[order.index(link[end]) for link in links] for end in (0, 1)]
    one, two = (
        bow_tie(WebGraph.from_arrays(order, *way)).to_table("pages").to_pylist()
        for way in (ends, ends[::-1])
    )
    assert [SWAPPED.get(row["region"], row["region"]) for row in one] == [
        row["region"] for row in two
    ]


@given(webs)
def test_a_link_from_out_to_in_makes_both_core(links: Links) -> None:
    found = regions(links)
    into, out = ([p for p, where in found.items() if where == name] for name in ("in", "out"))
    if into and out:
        graph = nx.DiGraph(links)
        after = regions([*links, (out[0], into[0])])
        between = nx.descendants(graph, into[0]) & nx.ancestors(graph, out[0])
        core = {page for page, where in found.items() if where == "core"}
        assert {page for page, where in after.items() if where == "core"} == (
            core | between | {into[0], out[0]}
        )


@given(webs)
def test_core_and_components_are_those_of_igraph(links: Links) -> None:
    graph = WebGraph.from_links(links)
    same = igraph.Graph.TupleList(links, directed=True)
    shape = bow_tie(graph)
    strong, weak = (same.connected_components(mode=mode) for mode in ("strong", "weak"))
    assert shape["strong components"] == len(strong)
    assert shape["weak components"] == len(weak)
    assert shape["largest weak component"] == max(weak.sizes(), default=0)
    largest = max(strong.sizes(), default=0)
    assert shape["core"] == (largest if largest > 1 else "no core")


@given(webs)
def test_connected_pairs_are_counted(links: Links) -> None:
    graph = nx.DiGraph(links)
    n = len(graph)
    pairs = sum(len(nx.descendants(graph, page)) for page in graph)
    assert bow_tie(links)["share of connected pairs"] == pytest.approx(
        pairs / (n * (n - 1)) if n > 1 else 0
    )


@given(webs)
def test_explain_finds_a_path_with_the_right_ends(links: Links) -> None:
    graph = WebGraph.from_links(links)
    found, where = bow_tie(graph), regions(links)
    assert isinstance(found, BowTie)
    ends = {
        "core": ("core", "core"), "in": ("in", "core"), "out": ("core", "out"),
        "tubes": ("in", "out"), "tendrils in": ("in", "tendrils in"),
        "tendrils out": ("tendrils out", "out"), "other": ("other", "core"),
    }  # fmt: skip
    for page, region in where.items():
        place = found.explain(page)
        assert place.region == region
        if region in ends:
            assert page in place.path
            assert (where[place.path[0]], where[place.path[-1]]) == ends[region]
            steps = set(pairwise(place.path))
            assert all(
                step in links or (place.undirected and step[::-1] in links) for step in steps
            )
        else:
            assert not place.path


def test_explanations_as_text() -> None:
    found = bow_tie([*EXAMPLE, ("13", "9")])
    assert isinstance(found, BowTie)
    assert str(found.explain("8")) == "8: tubes, by 5 → 8 → 7"
    assert str(found.explain("13")) == "13: other, by 13 — 9 — 4 — 1"
    assert "in either direction" in str(found.explain("11"))
    with pytest.raises(UnknownName, match="'99'"):
        found.explain("99")


def test_a_web_without_a_core() -> None:
    tree = bow_tie([("a", "b"), ("a", "c"), ("b", "d")])
    assert tree["core"] == "no core"
    assert tree.notes[0].startswith("no core: no two pages")
    assert tree.to_table()["region"].to_pylist() == ["no core"]
    assert tree["share of connected pairs"] == pytest.approx(4 / 12)
    assert isinstance(tree, BowTie)
    assert tree.explain("b").path == ()
    small = bow_tie(EXAMPLE, min_size=4)
    assert small["core"] == "no core"
    assert small.notes[0].startswith("no core: 3 pages in the largest")


def test_of_equal_cores_the_first_page_decides() -> None:
    assert regions([("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")])["a"] == "core"
    assert regions([("c", "d"), ("d", "c"), ("a", "b"), ("b", "a")])["a"] == "disconnected"


def test_an_estimate_comes_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(5)
    graph = WebGraph.from_arrays(600, *draw.integers(0, 600, (2, 700)))
    exact = bow_tie(graph)
    assert exact["error of the share of connected pairs"] == 0
    monkeypatch.setattr("weft.structure.bowtie.MAX_EXACT_WORK", 0)
    several = [bow_tie(graph, sources=100, seed=seed) for seed in range(8)]
    assert len({shape["share of connected pairs"] for shape in several}) > 1
    for shape in several:
        error = shape["error of the share of connected pairs"]
        assert error > 0
        share = shape["share of connected pairs"]
        assert abs(share - exact["share of connected pairs"]) < 4 * error
        assert "estimated from a sample of 100 pages" in shape.notes[-1]
    assert (
        bow_tie(graph, sources=100)["share of connected pairs"]
        == several[0]["share of connected pairs"]
    )


def test_uncaptured_pages_are_dropped_or_kept() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c")])
    crawl = WebGraph(
        graph.pages, graph.outlinks, graph.inlinks, uncaptured=np.array([False, False, True])
    )
    assert bow_tie(crawl)["out"] == 0
    assert "1 page linked, not captured, dropped with 1 link" in bow_tie(crawl).notes[0]
    assert bow_tie(crawl, uncaptured="keep")["out"] == 1
    assert "kept" in bow_tie(crawl, uncaptured="keep").notes[0]


def test_every_region_has_a_meaning() -> None:
    assert set(REGIONS) >= set(regions(EXAMPLE).values())
    shown = bow_tie(EXAMPLE).to_table().to_pylist()
    assert {row["region"]: row["meaning"] for row in shown}.items() <= REGIONS.items()


@pytest.mark.parametrize("known", [True, False])
def test_known_in_and_out_change_no_count(known: bool) -> None:  # noqa: FBT001
    """A ring of three with one page before and two behind, one of which in leads to itself."""
    links = [("a", "b"), ("b", "c"), ("c", "a"), ("i", "a"), ("c", "o"), ("o", "p"), ("i", "o")]
    graph = WebGraph.from_links([*links, ("i", "t")])
    core, into, out = (np.isin(list(graph.pages), list(some)) for some in ("abc", "i", "op"))
    none = np.zeros(len(graph), bool)
    sides = CoreInOut(core, into, out) if known else CoreInOut(none, none, none)
    found = count_connected_pairs(graph, condensation(graph.outlinks), sides, 1024, 0)
    pairs = 3 * 4 + 6 + 1
    assert found.share == pytest.approx(pairs / (7 * 6))
    assert found.exact


def test_few_pages_outside_the_core_are_all_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.structure.bowtie.MAX_EXACT_WORK", 0)
    graph = WebGraph.from_links([(f"{k}", f"{k}x") for k in range(50)] * 2)
    none = np.zeros(len(graph), bool)
    found = count_connected_pairs(
        graph, condensation(graph.outlinks), CoreInOut(none, none, none), 100, 0
    )
    assert found == (50 / (100 * 99), 0.0, True, 100)
    some = count_connected_pairs(
        graph, condensation(graph.outlinks), CoreInOut(none, none, none), 40, 0
    )
    assert not some.exact
    assert abs(some.share - found.share) < 4 * some.standard_error


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (RegionPath("b", "in", ("b", "a")), "b: in, by b → a"),
        (RegionPath("b", "other", ("b", "a"), undirected=True), "b: other, by b — a"),
        (RegionPath("b", "no core", ()), "b: no core"),
    ],
)
def test_a_region_path_is_one_line(place: RegionPath, words: str) -> None:
    assert str(place) == words
