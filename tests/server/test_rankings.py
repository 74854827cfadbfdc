"""Rankings, comparisons and explanations equal those of the library."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.command import run

from weft.core.errors import BadParameter, NotEnoughMemory, UnknownName
from weft.graph.selection import UNFILTERED_SELECTION, Selection
from weft.server.session import Session
from weft.workspace.workspace import DEFAULT_METHODS, Workspace

Ask = Callable[..., Any]
MAGAZINE = "http://jaguarmagazine.example/"


def test_a_ranking_comes_in_slices(ask: Ask, demo: Workspace) -> None:
    table = demo.rank("hits", query="jaguar").to_table("hub")
    params = {"query": "jaguar", "by": "hub", "top": 15}
    rows = [row for at in (0, 15) for row in ask("rank/hits", offset=at, **params)["rows"]]
    assert [row["url"] for row in rows] == table["page"].slice(0, 30).to_pylist()
    assert [row["scores"]["hub"] for row in rows] == table["hub"].slice(0, 30).to_pylist()
    assert [row["place"] for row in rows] == places(table["hub"].to_pylist())[:30]


def test_a_base_set_grows_as_asked(ask: Ask, demo: Workspace) -> None:
    given = {"root_size": 5, "steps": 2, "selective": 3, "exclude": ["www.seekwell.example"]}
    base = Selection(root_size=5, steps=2, selective=3, exclude=("www.seekwell.example",))
    known = demo.rank("clever", base, query="jaguar").to_table()
    found = ask("rank/clever", query="jaguar", top=500, **given)
    assert [row["url"] for row in found["rows"]] == known["page"].to_pylist()
    assert found["total"] < ask("rank/clever", query="jaguar", root_size=5, steps=2)["total"]
    page = known["page"][0].as_py()
    scores = ask("page/scores", url=page, query="jaguar", method=["clever"], **given)["rows"]
    assert {row["ranked_pages"] for row in scores} == {found["total"]}
    why = ask("why/clever", url=page, query="jaguar", **given)
    assert why["ranked_pages"] == ask("compare", query="jaguar", **given)["pages"] == found["total"]
    with pytest.raises(BadParameter, match="steps would change nothing without a query"):
        ask("rank/hits", steps=2)


def test_the_seed_belongs_to_the_method(ask: Ask) -> None:
    one, two = (
        ask("rank/bayesian", samples=100, seed=seed)["rows"][0]["scores"] for seed in (1, 2)
    )
    assert one != two


def test_known_for_takes_base_set_options(ask: Ask, demo: Workspace) -> None:
    base = replace(UNFILTERED_SELECTION, root_size=5, steps=2)
    known = demo.known_for(MAGAZINE, base, query="jaguar").to_table().to_pylist()
    found = ask("page/known-for", url=MAGAZINE, query="jaguar", root_size=5, steps=2, top=500)
    assert [row["term"] for row in found["rows"]] == [row["term"] for row in known]
    with pytest.raises(BadParameter, match="root_size would change nothing without a query"):
        ask("page/known-for", url=MAGAZINE, root_size=5)


@pytest.mark.parametrize(
    ("words", "path", "params"),
    [
        (("why", MAGAZINE, "--group", "site"), "why/pagerank", {"url": MAGAZINE, "group": "site"}),
        (
            ("why", MAGAZINE, "--query", "jaguar", "--group", "topic"),
            "topics/auto/of",
            {"url": MAGAZINE, "query": "jaguar"},
        ),
        (("known-for", MAGAZINE), "page/known-for", {"url": MAGAZINE}),
        (("compare-methods", "--query", "jaguar"), "compare", {"query": "jaguar"}),
        (("compare-methods", "--query", "xyzzyx"), "compare", {"query": "xyzzyx"}),
    ],
)
def test_the_command_prints_the_same(
    ask: Ask, demo: Workspace, words: tuple[str, ...], path: str, params: dict[str, str]
) -> None:
    shown = run(words[0], demo.folder, *words[1:], "--top", "4", "--format", "json").stdout
    top = {} if path.endswith("/of") else {"top": 4}
    found = ask(path, **params, **top)
    for name in ("snapshot", "computed"):  # of the API alone
        found.pop(name, None)
    assert json.loads(shown) == json.loads(json.dumps(found))


def places(descending: list[float]) -> list[int]:
    """Competition ranks of descending scores: ties share the best place."""
    near = [f"{score:.11e}" for score in descending]
    return [near.index(score) + 1 for score in near]


def test_ties_share_the_best_place(ask: Ask, demo: Workspace) -> None:
    table = demo.rank("indegree").to_table()
    expected = places(table.column(1).to_pylist())
    assert len(set(expected[:30])) < 30
    for offset in range(12, 20):
        rows = ask("rank/indegree", offset=offset, top=10)["rows"]
        assert [row["place"] for row in rows] == expected[offset : offset + 10]
        for row in rows[:3]:
            [own] = ask("page/scores", url=row["url"], method=["indegree"])["rows"][:1]
            assert own["place"] == row["place"]
    assert ask("rank/indegree", offset=10**6)["rows"] == []


def test_a_ranking_has_its_trace(ask: Ask) -> None:
    found = ask("rank/hits", max_iter=2)
    assert found["trace"] == {
        "converged": False,
        "iterations": 2,
        "change": pytest.approx(found["trace"]["change"]),
        "stopped": "max_iter",
    }
    assert found["options"]["max_iter"] == 2
    assert found["scores"] == ["authority", "hub"]


def test_hosts_can_be_ranked_and_excluded(ask: Ask) -> None:
    every = ask("rank/pagerank", level="host")
    best = every["rows"][0]["url"]
    fewer = ask("rank/pagerank", level="host", exclude=[best])
    assert every["rows"][0]["kind"] == "host"
    assert fewer["total"] < every["total"]
    assert best not in [row["url"] for row in fewer["rows"]]
    assert fewer["left_out"][0]["reason"] == f"without {best}"


def test_an_unknown_score_is_an_error(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="score"):
        ask("rank/hits", by="beauty")


def test_a_ranking_as_a_table(ask: Ask, demo: Workspace) -> None:
    file = ask("rank/indegree", format="parquet")
    assert pq.read_table(file.path).equals(demo.rank("indegree").to_table())


def test_a_comparison_equals_that_of_the_library(ask: Ask, demo: Workspace) -> None:
    found, known = ask("compare", query="jaguar"), demo.compare_methods(query="jaguar")
    assert found["methods"] == list(DEFAULT_METHODS)
    matrix = [[row[name] for name in DEFAULT_METHODS] for row in known.tau_matrix().to_pylist()]
    assert found["matrix"] == [pytest.approx(row) for row in matrix]
    first, row = found["disagreements"][0], known.disagreements().to_pylist()[0]
    assert first["url"] == row["page"]
    assert first["places"] == {name: row[name] for name in DEFAULT_METHODS}
    middle = [
        first["places"][name] + (first["tied_pages"][name] - 1) / 2 for name in DEFAULT_METHODS
    ]
    assert first["log2_ratio"] == pytest.approx(np.log2(max(middle) / min(middle)))
    scores = ask("page/scores", url=row["page"], query="jaguar")["rows"]
    best = {one["method"]: one["place"] for one in reversed(scores)}
    assert first["places"] == {name: best[name] for name in DEFAULT_METHODS}


def test_chosen_methods_are_compared_once_each(ask: Ask) -> None:
    found = ask("compare", method=["salsa", "hits", "salsa"], level="host")
    assert found["methods"] == ["salsa", "hits"]
    assert len(found["pairs"]) == 1


def test_scores_of_a_page_have_places(ask: Ask, demo: Workspace) -> None:
    rows = ask("page/scores", url=MAGAZINE, method=["hits", "indegree"])["rows"]
    assert [(row["method"], row["by"]) for row in rows][:2] == [
        ("hits", "authority"),
        ("hits", "hub"),
    ]
    table = demo.rank("indegree").to_table()["page"].to_pylist()
    [indegree] = [
        row for row in rows if row["method"] == "indegree" and row["by"] == "authority"
    ] or rows[2:3]
    assert indegree["place"] <= table.index(MAGAZINE) + 1
    assert indegree["ranked_pages"] == len(table)


def test_a_base_set_without_the_page_has_no_scores(ask: Ask) -> None:
    assert ask("page/scores", url=MAGAZINE, query="zyzzyva")["rows"] == []


@pytest.mark.parametrize("group", ["page", "site", "anchor"])
def test_contributions_add_up_to_the_score(ask: Ask, group: str) -> None:
    found = ask("why/pagerank", url="jaguarmagazine.example", group=group, top=3)
    total = sum(row["amount"] for row in found["rows"]) + found["remainder"]
    assert total == pytest.approx(found["score"])
    assert len(found["rows"]) == 3 < found["total"]


def test_the_score_of_a_host_is_explained(ask: Ask) -> None:
    assert ask("why/hits", url="jaguarmagazine.example", level="host")["rows"]
    with pytest.raises(UnknownName, match="no host is called"):
        ask("why/hits", url="nowhere.example", level="host")


def test_too_little_memory_is_an_answer(
    demo: Workspace,
    ask_session: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(Workspace(demo.folder), tmp_path)
    session.refresh_snapshot()
    monkeypatch.setenv("WEFT_MEMORY", "30k")
    with pytest.raises(NotEnoughMemory, match="the link matrix needs") as caught:
        ask_session(session, "rank/pagerank", level="page")
    assert "--level host needs about" in caught.value.hint  # errors of this family are 422
