"""What a notebook shows of results: small cards, in which pages stay text."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from resiliparse.parse.html import HTMLTree

import weft
from weft.engine import CLOSED
from weft.gather.page import Link, Page
from weft.graph.baseset import BaseSet
from weft.rank import Ranking, indegree
from weft.rank.ranking import best_first, foremost
from weft.run.workspace import Workspace
from weft.topics import Topics, hits

EVIL = "<script>alert(1)</script>"
LINKS = [("http://a.org/", "http://x.com/"), ("http://b.org/", "http://x.com/"), (EVIL, EVIL + "2")]


def elements(shown: Any) -> list[Any]:
    html = shown._repr_html_()
    body = HTMLTree.parse(html).body
    assert body is not None
    found: list[Any] = body.query_selector_all("*")
    assert not {one.tag for one in found} - {
        *("div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "a", "br", "span")
    }
    for one in found:
        assert set(one.attrs) <= {"href", "rel"}
    return found


def cells(shown: Any) -> list[str]:
    return [one.text for one in elements(shown) if one.tag == "td"]


def test_topics() -> None:
    found = hits(LINKS)
    assert cells(found)[2:] == ["3", "x.com/", "a.org/b.org/"]
    [link, *_] = [one for one in elements(found) if one.tag == "a"]
    assert link.getattr("href") == "http://x.com/"
    assert cells(found[0])[:2] == ["strength", "1.41"]
    assert repr(found[0]) == "<Topic '': 3 pages>"


def test_names_of_pages_stay_text() -> None:
    ranking = indegree(LINKS)
    assert EVIL in cells(ranking)
    assert EVIL in cells(hits([(EVIL, EVIL + "2")]))


def test_a_ranking_shows_its_first_places() -> None:
    scores = {"score": np.arange(25.0), "other": np.zeros(25)}
    ranking = Ranking("made up", [f"p{k}" for k in range(25)], scores, CLOSED)
    assert cells(ranking)[:8] == ["1", "p24", "24", "0", "2", "p23", "23", "0"]
    assert len(cells(ranking)) == 40


@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_foremost_are_the_first_of_all(k: int) -> None:
    values = np.array([3, 1, 3, 2, 3, 0, 2.0])
    assert foremost(values, k).tolist() == best_first(values)[:k].tolist()


def test_a_base_set_tells_its_story() -> None:
    base = BaseSet.of(LINKS)
    assert cells(base) == list(base.story())


def test_a_collection_in_numbers(keep: Callable[..., Workspace], tmp_path: Path) -> None:
    workspace = keep(Page("http://a.org/", links=(Link("http://b.org/"),)))
    found = cells(workspace)
    assert dict(zip(found[::2], found[1::2], strict=True))["links"] == "1"
    nothing = Workspace(tmp_path / "none.weft")
    assert "nothing there yet" in repr(nothing)
    assert cells(nothing) == []


def test_what_a_collection_is_asked_shows_as_cards(keep: Callable[..., Workspace]) -> None:
    """What has no card of its own shows the first rows of its table."""
    words = "the rivers of the north " * 20
    rivers = [Page(f"http://h{k}.org/", title=f"River {k}", text=words) for k in range(12)]
    pages = [replace(page, links=(Link(rivers[0].url, "first"),)) for page in rivers[1:]]
    workspace = keep(rivers[0], *pages)
    found = workspace.search("rivers", k=11)
    assert cells(found)[1:3] == ["h0.org/", "River 0"]
    assert len(cells(found)) == 30
    assert cells(workspace.search("zebra")) == []
    assert cells(workspace.why(rivers[0].url))[0] == "h1.org/"
    assert "north" in cells(workspace.known_for(rivers[0].url))
    assert cells(workspace.compare("indegree", "pagerank"))[:2] == ["indegree", "pagerank"]
    assert "<p><strong>" in workspace.standing(rivers[0].url, "rivers")._repr_html_()


def test_the_tabulator_finds_what_the_library_offers() -> None:
    assert {"open", "rank", "topics"} <= set(dir(weft))


@pytest.mark.parametrize("found", [hits([]), hits(LINKS), indegree([]), indegree(LINKS)])
def test_data_frames(found: Topics | Ranking) -> None:
    table = found.to_table()
    frame = found.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dicts() == table.to_pylist()
    assert found.to_pandas().to_dict("records") == table.to_pylist()
