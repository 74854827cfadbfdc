"""Rankings, comparisons and reasons, as the library gives them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from weft.core.errors import BadParameter, UnknownName
from weft.graph.options import UNFILTERED, BaseOptions
from weft.run.workspace import USUAL, Workspace

Ask = Callable[..., Any]
MAGAZINE = "http://jaguarmagazine.example/"


def test_a_ranking_comes_in_pages(ask: Ask, demo: Workspace) -> None:
    table = demo.rank("hits", query="jaguar").to_table("hub")
    asked = {"query": "jaguar", "by": "hub", "top": 15}
    rows = [row for at in (0, 15) for row in ask("rank/hits", offset=at, **asked)["rows"]]
    assert [row["page"] for row in rows] == table["page"].slice(0, 30).to_pylist()
    assert [row["scores"]["hub"] for row in rows] == table["hub"].slice(0, 30).to_pylist()
    assert [row["place"] for row in rows] == places(table["hub"].to_pylist())[:30]


def test_a_base_set_grows_as_asked(ask: Ask, demo: Workspace) -> None:
    given = {"root": 5, "steps": 2, "selective": 3, "without": ["www.seekwell.example"]}
    base = BaseOptions(root=5, steps=2, selective=3, without=("www.seekwell.example",))
    known = demo.rank("clever", query="jaguar", base=base).to_table()
    found = ask("rank/clever", query="jaguar", top=500, **given)
    assert [row["page"] for row in found["rows"]] == known["page"].to_pylist()
    assert found["total"] < ask("rank/clever", query="jaguar", root=5, steps=2)["total"]
    page = known["page"][0].as_py()
    told = ask("page/scores", url=page, query="jaguar", method=["clever"], **given)["rows"]
    assert {row["of"] for row in told} == {found["total"]}
    why = ask("why/clever", url=page, query="jaguar", **given)
    assert why["of"] == ask("compare", query="jaguar", **given)["pages"] == found["total"]
    with pytest.raises(BadParameter, match="steps would change nothing without a query"):
        ask("rank/hits", steps=2)


def test_the_seed_of_a_method_is_its_own(ask: Ask) -> None:
    one, two = (
        ask("rank/bayesian", samples=100, seed=seed)["rows"][0]["scores"] for seed in (1, 2)
    )
    assert one != two


def test_readers_of_a_base_set(ask: Ask, demo: Workspace) -> None:
    base = replace(UNFILTERED, root=5, steps=2)
    known = demo.known_for(MAGAZINE, query="jaguar", base=base).to_table().to_pylist()
    found = ask("page/known-for", url=MAGAZINE, query="jaguar", root=5, steps=2, top=500)
    assert [row["term"] for row in found["rows"]] == [row["term"] for row in known]
    with pytest.raises(BadParameter, match="root would change nothing without a query"):
        ask("page/known-for", url=MAGAZINE, root=5)


def places(falling: list[float]) -> list[int]:
    """The places of scores that fall; equals share the best of theirs."""
    near = [f"{score:.11e}" for score in falling]
    return [near.index(score) + 1 for score in near]


def test_equals_share_the_best_of_their_places(ask: Ask, demo: Workspace) -> None:
    table = demo.rank("indegree").to_table()
    expected = places(table.column(1).to_pylist())
    assert len(set(expected[:30])) < 30
    for offset in range(12, 20):
        rows = ask("rank/indegree", offset=offset, top=10)["rows"]
        assert [row["place"] for row in rows] == expected[offset : offset + 10]
        for row in rows[:3]:
            [own] = ask("page/scores", url=row["page"], method=["indegree"])["rows"][:1]
            assert own["place"] == row["place"]
    assert ask("rank/indegree", offset=10**6)["rows"] == []


def test_a_ranking_says_how_it_ended(ask: Ask) -> None:
    found = ask("rank/hits", limit=2)
    assert found["ended"] == {
        "converged": False,
        "rounds": 2,
        "change": pytest.approx(found["ended"]["change"]),
        "stopped": "limit",
    }
    assert found["options"]["limit"] == 2
    assert found["scores"] == ["authority", "hub"]


def test_hosts_can_be_ranked_and_some_left_out(ask: Ask) -> None:
    every = ask("rank/pagerank", level="host")
    best = every["rows"][0]["page"]
    fewer = ask("rank/pagerank", level="host", without=[best])
    assert every["rows"][0]["kind"] == "host"
    assert fewer["total"] < every["total"]
    assert best not in [row["page"] for row in fewer["rows"]]
    assert fewer["left_out"][0]["reason"] == f"without {best}"


def test_a_score_that_is_not_there_is_told(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="score"):
        ask("rank/hits", by="beauty")


def test_a_ranking_as_a_table(ask: Ask, demo: Workspace) -> None:
    file = ask("rank/indegree", format="parquet")
    assert pq.read_table(file.path).equals(demo.rank("indegree").to_table())


def test_methods_side_by_side(ask: Ask, demo: Workspace) -> None:
    found, known = ask("compare", query="jaguar"), demo.compare(query="jaguar")
    assert found["methods"] == list(USUAL)
    matrix = [[row[name] for name in USUAL] for row in known.matrix().to_pylist()]
    assert found["matrix"] == [pytest.approx(row) for row in matrix]
    first, row = found["disagreements"][0], known.disagreements().to_pylist()[0]
    assert first["page"] == row["page"]
    assert first["places"] == {name: row[name] for name in USUAL}
    middle = [first["places"][name] + (first["equals"][name] - 1) / 2 for name in USUAL]
    assert row["doublings"] == pytest.approx(np.log2(max(middle) / min(middle)))
    told = ask("page/scores", url=row["page"], query="jaguar")["rows"]
    best = {one["method"]: one["place"] for one in reversed(told)}
    assert first["places"] == {name: best[name] for name in USUAL}


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
    assert indegree["of"] == len(table)


def test_a_base_set_without_the_page_has_no_scores(ask: Ask) -> None:
    assert ask("page/scores", url=MAGAZINE, query="zyzzyva")["rows"] == []


@pytest.mark.parametrize("group", ["page", "site", "anchor"])
def test_reasons_add_up_to_the_score(ask: Ask, group: str) -> None:
    found = ask("why/pagerank", url="jaguarmagazine.example", group=group, top=3)
    total = sum(row["amount"] for row in found["rows"]) + found["more"]
    assert total == pytest.approx(found["score"])
    assert len(found["rows"]) == 3 < found["total"]


def test_a_host_has_reasons_too(ask: Ask) -> None:
    assert ask("why/hits", url="jaguarmagazine.example", level="host")["rows"]
    with pytest.raises(UnknownName, match="no host is called"):
        ask("why/hits", url="nowhere.example", level="host")
