"""What every ranking method promises, whoever wrote it."""

from itertools import permutations
from random import Random
from typing import cast

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from typer.testing import CliRunner

import weft.rank
from weft.core.errors import BadParameter
from weft.core.methods import METHODS, Method, reference
from weft.core.notes import notes
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking
from weft.show.cli import app

Links = list[tuple[str, str]]
RANKS = [method for method in METHODS.values() if method.kind == "rank"]
# a random start or a random walk is drawn for page numbers: renumbered pages draw other numbers
DRAWN = {method.name for method in RANKS if "seed" in method.options}
# the specification (section 0) states for these that hub scores are authority scores backwards
DUAL = [
    METHODS["rank", name]
    for name in ("hits", "salsa", "bharat-henzinger", "snorm")
    if ("rank", name) in METHODS
]
TOYS: dict[str, Links] = {
    "three links": [("a", "x"), ("b", "x"), ("b", "y")],
    "a cycle": [("a", "b"), ("b", "c"), ("c", "a")],
    "a chain": [("a", "b"), ("b", "c"), ("c", "d")],
    "two equal components": [("a", "x"), ("b", "y")],
    "everyone links to everyone": list(permutations("abcd", 2)),
    "a star": [(page, "x") for page in "abcde"],
}
EMPTY: dict[str, WebGraph] = {
    "no pages": WebGraph.from_links([]),
    "one page": WebGraph.from_arrays(["a"], np.zeros(0, np.int32), np.zeros(0, np.int32)),
    "no links": WebGraph.from_arrays(list("abc"), np.zeros(0, np.int32), np.zeros(0, np.int32)),
    "links to oneself": WebGraph.from_links([("a", "a"), ("b", "b")]),
}
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=16)
every_method = pytest.mark.parametrize("method", RANKS, ids=lambda m: m.name)
every_toy = pytest.mark.parametrize("toy", TOYS)


def run(method: Method, graph: object, **options: object) -> Ranking:
    """By a method's own options, but with few samples: what is promised does not hang on them."""
    few = {"samples": 200} if "samples" in method.options else {}
    return cast("Ranking", method(graph, **few, **options))


def by_name(ranking: Ranking, score: str) -> dict[str, float]:
    return dict(zip(ranking.pages, ranking.scores[score].tolist(), strict=True))


def test_there_are_methods() -> None:
    assert {"indegree", "pagerank", "hits"} <= {method.name for method in RANKS}


@every_method
@every_toy
def test_every_page_gets_every_score(method: Method, toy: str) -> None:
    graph = WebGraph.from_links(TOYS[toy])
    found = run(method, graph)
    assert found.method == method.name
    assert found.scores
    for name, values in found.scores.items():
        assert values.dtype == np.float64, name
        assert values.shape == (len(graph),), name
        infinite_radius = method.name == "centrality"
        assert np.isfinite(values).all() or infinite_radius, name
        assert not np.isnan(values).any(), name
    assert len(found.to_table()) == len(graph)


@every_method
@pytest.mark.parametrize("case", EMPTY)
def test_nothing_to_go_by_is_answered(method: Method, case: str) -> None:
    """Deterministically, for every page alike, and without a word of alarm."""
    graph = EMPTY[case]
    found = run(method, graph)
    for name, values in found.scores.items():
        assert values.shape == (len(graph),), name
        assert len(set(np.round(values, 12).tolist())) <= 1, name
    assert found.trace.rounds <= 1000
    assert isinstance(found.certainty.note, str)


@every_method
@every_toy
def test_twice_is_the_same_bytes(method: Method, toy: str) -> None:
    first, second = (run(method, WebGraph.from_links(TOYS[toy])) for _ in range(2))
    assert list(first.scores) == list(second.scores)
    for name, values in first.scores.items():
        assert values.tobytes() == second.scores[name].tobytes(), name


@pytest.mark.parametrize("method", [m for m in RANKS if m.name not in DRAWN], ids=lambda m: m.name)
@settings(max_examples=8)
@given(webs, st.randoms())
def test_numbering_does_not_matter(method: Method, links: Links, random: Random) -> None:
    names = sorted({page for link in links for page in link})
    graphs = []
    for order in (names, random.sample(names, len(names))):
        number = {page: i for i, page in enumerate(order)}
        ends = np.array([(number[s], number[t]) for s, t in links], np.int32).T
        graphs.append(WebGraph.from_arrays(order, ends[0], ends[1]))
    first, second = (run(method, graph) for graph in graphs)
    for name in first.scores:
        assert by_name(first, name) == pytest.approx(by_name(second, name), abs=1e-7, rel=1e-6)


def check_parts(found: Ranking) -> None:
    assert set(found.parts) == set(found.scores), "every score can be explained"
    for name, values in found.scores.items():
        for page, score in zip(found.pages, values.tolist(), strict=True):
            why = found.why(page, name)
            total = float(why.amounts.sum()) + sum(why.rest.values())
            assert total == pytest.approx(score, rel=1e-8, abs=1e-9), (name, page)
            assert why.to_table()["amount"].to_pylist() == sorted(
                [*why.amounts.tolist(), *why.rest.values()], reverse=True
            )


@every_method
@every_toy
def test_parts_add_up_to_the_score(method: Method, toy: str) -> None:
    check_parts(run(method, WebGraph.from_links(TOYS[toy])))


@every_method
@settings(max_examples=5)
@given(webs)
def test_parts_add_up_on_any_web(method: Method, links: Links) -> None:
    check_parts(run(method, WebGraph.from_links(links)))


@every_method
def test_parts_add_up_with_links_to_oneself(method: Method) -> None:
    """Where these are kept, they count as any other link does."""
    links = [("a", "a"), ("a", "b"), ("b", "c"), ("c", "c"), ("c", "a"), ("d", "c"), ("e", "e")]
    found = run(method, WebGraph.from_links(links, self_links=True))
    assert all(np.isfinite(values).all() for values in found.scores.values()) or (
        method.name == "centrality"
    )
    check_parts(found)


@every_method
@pytest.mark.parametrize("case", EMPTY)
def test_parts_add_up_to_nothing(method: Method, case: str) -> None:
    check_parts(run(method, EMPTY[case]))


@every_method
def test_options_are_recorded(method: Method) -> None:
    found = cast("Ranking", method(TOYS["three links"]))
    defaults = {name: option.default for name, option in method.options.items()}
    assert dict(found.options) == defaults


@every_method
def test_an_unknown_option_is_refused(method: Method) -> None:
    with pytest.raises(BadParameter, match=method.name):
        run(method, TOYS["three links"], frobnication=3)


@every_method
def test_options_are_in_the_help_of_the_command(method: Method) -> None:
    text = CliRunner().invoke(app, ["rank", method.name, "--help"]).output
    assert f"weft rank {method.name} mine.weft" in text
    assert all(f"--{option.replace('_', '-')}" in text for option in method.options)


@every_method
def test_no_option_hides_one_of_the_command(method: Method) -> None:
    taken = {"folder", "level", "query", "without", "between", "by", "out", "top", "format"}
    assert not (taken | {"format_"}) & set(method.options)


@every_method
def test_card_and_citation_exist(method: Method) -> None:
    told = notes(method.kind, method.name)
    assert all(part.strip() for part in (told.formula, told.cost, told.fails))
    assert reference(method.cites)


def doors(links: Links) -> dict[str, tuple[object, dict[str, str]]]:
    """The same links in other hands, and what each page is called there."""
    pages = list(WebGraph.from_links(links).pages)
    number = {page: k for k, page in enumerate(pages)}
    ends = [[number[page] for page in side] for side in zip(*links, strict=True)]
    graph = nx.DiGraph()
    graph.add_nodes_from(pages)
    graph.add_edges_from(links)
    same = dict(zip(pages, pages, strict=True))
    return {
        "networkx": (graph, same),
        "pandas": (pd.DataFrame(links, columns=["source", "target"]), same),
        "arrow": (WebGraph.from_links(links).to_arrow(), same),
        "scipy": (
            csr_array((np.ones(len(links)), np.array(ends)), shape=(len(pages), len(pages))),
            {page: str(k) for page, k in number.items()},
        ),
    }


@every_method
@pytest.mark.parametrize("door", ["networkx", "pandas", "arrow", "scipy"])
def test_every_door_keeps_the_names(method: Method, door: str) -> None:
    links = TOYS["three links"]
    given_, called = doors(links)[door]
    found, wanted = (run(method, data) for data in (given_, links))
    assert set(found.pages) == set(called.values())
    for score in wanted.scores:
        values = by_name(found, score)
        if method.name in DRAWN and door in {"pandas", "arrow"}:
            continue  # tables number all sources before all targets
        renamed = {page: values[called[page]] for page in called}
        assert renamed == pytest.approx(by_name(wanted, score), abs=1e-7), score


@pytest.mark.parametrize("method", DUAL, ids=lambda m: m.name)
@settings(max_examples=10)
@given(webs)
def test_hubs_are_authorities_backwards(method: Method, links: Links) -> None:
    graph = WebGraph.from_links(links)
    back = WebGraph(graph.pages, graph.inlinks, graph.outlinks)
    one, other = run(method, graph), run(method, back)
    assume(one.certainty.unique or method.name in {"salsa", "snorm"})
    np.testing.assert_allclose(one.scores["hub"], other.scores["authority"], atol=1e-7)


@settings(max_examples=10)
@given(webs)
def test_inorm_authorities_are_onorm_hubs_backwards(links: Links) -> None:
    graph = WebGraph.from_links(links)
    back = WebGraph(graph.pages, graph.inlinks, graph.outlinks)
    one, other = run(METHODS["rank", "inorm"], graph), run(METHODS["rank", "onorm"], back)
    np.testing.assert_allclose(one.scores["authority"], other.scores["hub"], atol=1e-7)


@every_method
def test_the_library_offers_it(method: Method) -> None:
    assert method.run in [getattr(weft.rank, name) for name in weft.rank.__all__]
