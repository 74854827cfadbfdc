"""The contract of every ranking method."""

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

from weft.cli import app
from weft.core.errors import BadParameter
from weft.core.register import METHODS, Method, method_notes
from weft.graph.transitions import Transitions
from weft.graph.webgraph import WebGraph, build_csr
from weft.rank import Ranking
from weft.rank.pagerank import reverse_graph

Links = list[tuple[str, str]]
RANKS = [method for method in METHODS.values() if method.kind == "rank"]
# random starts and samples go by page number: renumbered pages get other random numbers
RANDOM = {method.name for method in RANKS if "seed" in method.options}
# methods whose hub scores are the authority scores of the reversed links
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
    "a complete graph": list(permutations("abcd", 2)),
    "a star": [(page, "x") for page in "abcde"],
}
EMPTY: dict[str, WebGraph] = {
    "no pages": WebGraph.from_links([]),
    "one page": WebGraph.from_arrays(["a"], np.zeros(0, np.int32), np.zeros(0, np.int32)),
    "no links": WebGraph.from_arrays(list("abc"), np.zeros(0, np.int32), np.zeros(0, np.int32)),
    "self-links": WebGraph.from_links([("a", "a"), ("b", "b")]),
}
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=16)
every_method = pytest.mark.parametrize("method", RANKS, ids=lambda m: m.name)
every_toy = pytest.mark.parametrize("toy", TOYS)


def run(method: Method, graph: object, **options: object) -> Ranking:
    """Run with few samples, on which the contract does not depend.

    Methods on the clicks of visitors get a graph on which nobody clicks.
    """
    few = {"samples": 200} if "samples" in method.options else {}
    data = without_clicks(graph) if method.input_type is Transitions else graph
    return cast("Ranking", method(data, **few, **options))


def without_clicks(graph: object) -> Transitions:
    links, nobody = WebGraph.from_any(graph), np.zeros(0, np.int32)
    never = np.zeros(len(links), np.int64)
    counts = build_csr(nobody, nobody, None, len(links))
    return Transitions(links, counts, never, never, never)


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
    assert "\n" not in repr(found)


@every_method
@every_toy
def test_rows_agree_with_the_table(method: Method, toy: str) -> None:
    found = run(method, WebGraph.from_links(TOYS[toy]))
    rows = [{"page": row.page, **row.scores} for row in found]
    assert rows == found.to_table().to_pylist()


@every_method
@pytest.mark.parametrize("case", EMPTY)
def test_degenerate_graphs_have_equal_scores(method: Method, case: str) -> None:
    """Without warnings, after at most a thousand iterations."""
    graph = EMPTY[case]
    found = run(method, graph)
    for name, values in found.scores.items():
        assert values.shape == (len(graph),), name
        assert len(set(np.round(values, 12).tolist())) <= 1, name
    assert found.trace.iterations <= 1000
    assert isinstance(found.certainty.note, str)


@every_method
@every_toy
def test_runs_are_reproducible(method: Method, toy: str) -> None:
    first, second = (run(method, WebGraph.from_links(TOYS[toy])) for _ in range(2))
    assert list(first.scores) == list(second.scores)
    for name, values in first.scores.items():
        assert values.tobytes() == second.scores[name].tobytes(), name


@pytest.mark.parametrize("method", [m for m in RANKS if m.name not in RANDOM], ids=lambda m: m.name)
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


def check_contributions(found: Ranking) -> None:
    assert set(found.contributions) == set(found.scores), "every score can be explained"
    for name, values in found.scores.items():
        for page, score in zip(found.pages, values.tolist(), strict=True):
            breakdown = found.explain(page, name)
            amounts = [*breakdown.amounts.tolist(), *breakdown.other_sources.values()]
            assert sum(amounts) == pytest.approx(score, rel=1e-8, abs=1e-9), (name, page)
            assert breakdown.to_table()["amount"].to_pylist() == sorted(amounts, reverse=True)


@every_method
@every_toy
def test_contributions_add_up_to_the_score(method: Method, toy: str) -> None:
    check_contributions(run(method, WebGraph.from_links(TOYS[toy])))


@every_method
@settings(max_examples=5)
@given(webs)
def test_contributions_add_up_on_any_web(method: Method, links: Links) -> None:
    check_contributions(run(method, WebGraph.from_links(links)))


@every_method
def test_contributions_add_up_with_self_links(method: Method) -> None:
    """Kept self-links count as any other link."""
    links = [("a", "a"), ("a", "b"), ("b", "c"), ("c", "c"), ("c", "a"), ("d", "c"), ("e", "e")]
    found = run(method, WebGraph.from_links(links, self_links=True))
    assert all(np.isfinite(values).all() for values in found.scores.values()) or (
        method.name == "centrality"
    )
    check_contributions(found)


@every_method
@pytest.mark.parametrize("case", EMPTY)
def test_contributions_add_up_without_links(method: Method, case: str) -> None:
    check_contributions(run(method, EMPTY[case]))


@every_method
def test_options_are_recorded(method: Method) -> None:
    found = cast("Ranking", method(TOYS["three links"]))
    defaults = {name: option.default for name, option in method.options.items()}
    assert dict(found.options) == defaults


@every_method
def test_unknown_options_are_an_error(method: Method) -> None:
    with pytest.raises(BadParameter, match=method.name):
        run(method, TOYS["three links"], frobnication=3)


@every_method
def test_options_are_in_the_command_help(method: Method) -> None:
    text = CliRunner().invoke(app, ["rank", method.name, "--help"]).output
    assert f"weft rank {method.name} mine.weft" in text
    assert all(f"--{option.replace('_', '-')}" in text for option in method.options)


@every_method
def test_no_option_shadows_one_of_the_command(method: Method) -> None:
    taken = {"folder", "level", "query", "exclude", "between", "by", "out", "top", "format"}
    assert not (taken | {"format_"}) & set(method.options)


@every_method
def test_notes_are_complete(method: Method) -> None:
    notes = method_notes(method.kind, method.name)
    assert all(text.strip() for text in (notes.formula, notes.cost, notes.limitations))


def other_inputs(links: Links) -> dict[str, tuple[object, dict[str, str]]]:
    """The same links as data of other libraries, and the names of pages there."""
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
@pytest.mark.parametrize("library", ["networkx", "pandas", "arrow", "scipy"])
def test_every_input_type_keeps_the_names(method: Method, library: str) -> None:
    links = TOYS["three links"]
    data, names = other_inputs(links)[library]
    found, wanted = run(method, data), run(method, links)
    assert set(found.pages) == set(names.values())
    if method.name in RANDOM and library in {"pandas", "arrow"}:
        return  # tables number all sources before all targets
    for score in wanted.scores:
        values = by_name(found, score)
        renamed = {page: values[name] for page, name in names.items()}
        assert renamed == pytest.approx(by_name(wanted, score), abs=1e-7), score


@pytest.mark.parametrize("method", DUAL, ids=lambda m: m.name)
@settings(max_examples=10)
@given(webs)
def test_hubs_are_authorities_backwards(method: Method, links: Links) -> None:
    graph = WebGraph.from_links(links)
    forward, backward = run(method, graph), run(method, reverse_graph(graph))
    assume(forward.certainty.unique or method.name in {"salsa", "snorm"})
    np.testing.assert_allclose(forward.scores["hub"], backward.scores["authority"], atol=1e-7)


@settings(max_examples=10)
@given(webs)
def test_inorm_authorities_are_onorm_hubs_backwards(links: Links) -> None:
    graph = WebGraph.from_links(links)
    forward = run(METHODS["rank", "inorm"], graph)
    backward = run(METHODS["rank", "onorm"], reverse_graph(graph))
    np.testing.assert_allclose(forward.scores["authority"], backward.scores["hub"], atol=1e-7)
