"""What a notebook shows of results: HTML cards, in which page names are escaped."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from resiliparse.parse.html import HTMLTree

import weft
from weft.core.html import CARD_STYLE
from weft.engine import CLOSED_FORM
from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BaseSet
from weft.groups import Groups
from weft.rank import Ranking, indegree
from weft.topics import hits
from weft.workspace.workspace import Workspace

SCRIPT = "<script>alert(1)</script>"
LINKS = [
    ("http://a.org/", "http://x.com/"),
    ("http://b.org/", "http://x.com/"),
    (SCRIPT, SCRIPT + "2"),
]
ALLOWED_TAGS = {
    *("div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "a", "br", "span"),
    "style",
}


def elements(result: Any) -> list[Any]:
    body = HTMLTree.parse(result._repr_html_()).body
    assert body is not None
    nodes: list[Any] = body.query_selector_all("*")
    assert {node.tag for node in nodes} <= ALLOWED_TAGS
    for node in nodes:
        assert set(node.attrs) <= {"href", "rel", "class", "style"}
        assert re.fullmatch(r"(?:--share:[\d.]+%)?", node.getattr("style") or "")
        assert node.tag != "style" or node.text == CARD_STYLE
    return nodes


def cells(result: Any) -> list[str]:
    return [node.text for node in elements(result) if node.tag == "td"]


def test_topics() -> None:
    topics = hits(LINKS)
    assert cells(topics)[2:] == ["3", "x.com/", "a.org/b.org/"]
    [link, *_] = [node for node in elements(topics) if node.tag == "a"]
    assert link.getattr("href") == "http://x.com/"
    assert cells(topics[0])[:2] == ["strength", "1.41"]
    assert repr(topics[0]) == "<Group: 3 pages>"


def test_page_names_are_escaped() -> None:
    assert SCRIPT in cells(indegree(LINKS))
    assert SCRIPT in cells(hits([(SCRIPT, SCRIPT + "2")]))


def test_a_ranking_shows_its_top_ten() -> None:
    scores = {"score": np.arange(25.0), "other": np.zeros(25)}
    ranking = Ranking("toy", [f"p{k}" for k in range(25)], scores, CLOSED_FORM)
    assert cells(ranking)[:8] == ["1", "p24", "24", "0", "2", "p23", "23", "0"]
    assert len(cells(ranking)) == 40


def test_a_base_set_shows_its_notes() -> None:
    base = BaseSet.from_any(LINKS)
    assert cells(base) == list(base.notes())


def test_a_collection_shows_its_counts(keep: Callable[..., Workspace], tmp_path: Path) -> None:
    workspace = keep(Page("http://a.org/", links=(Link("http://b.org/"),)))
    texts = cells(workspace)
    assert dict(zip(texts[::2], texts[1::2], strict=True))["links"] == "1"
    missing = Workspace(tmp_path / "none.weft")
    assert "not created yet" in repr(missing)
    assert cells(missing) == []


def test_other_results_show_the_first_rows_of_their_table(keep: Callable[..., Workspace]) -> None:
    words = "the rivers of the north " * 20
    rivers = [Page(f"http://h{k}.org/", title=f"River {k}", text=words) for k in range(12)]
    links = Link(rivers[0].url, "the north"), Link(rivers[1].url, "list")
    pages = [replace(page, links=links) for page in rivers[1:]]
    workspace = keep(replace(rivers[0], links=links[1:]), *pages)
    results = workspace.search("rivers", k=11)
    assert cells(results)[0] == "River 0h0.org/"
    assert len(cells(results)) == 20
    assert cells(workspace.search("zebra")) == []
    assert cells(workspace.why(rivers[0].url))[0] == "River 1h1.org/"
    assert "north" in cells(workspace.known_for(rivers[0].url))
    assert cells(workspace.compare_methods("indegree", "pagerank"))[:2] == ["indegree", "pagerank"]
    assert "<p><strong>" in workspace.topic_membership(rivers[0].url, "rivers")._repr_html_()


def test_cards_of_every_kind_of_result_have_titles(demo: Workspace) -> None:
    """A page is shown by its title, with its address below."""
    page = demo.rank()[0].page
    results = [
        demo.search("jaguar"),
        demo.rank(),
        demo.topics("jaguar"),
        demo.communities(),
        demo.why(page),
        demo.similar(page),
        demo.topic_membership("www.jaguarcars.example/", "jaguar"),
    ]
    titles = set(demo.collection.pages["title"].to_pylist()) - {""}
    for result in results:
        links = [node for node in elements(result) if node.tag == "a"]
        shown = [node.text for node in links]
        assert links, result
        assert any(text.rstrip("…") and text in titles for text in shown), result


def test_titles_stay_when_the_collection_is_opened_elsewhere_too(demo: Workspace) -> None:
    ranking = demo.rank()
    shown = ranking._repr_html_()
    Workspace(demo.folder).search("jaguar")  # opened, and closed again
    assert ranking._repr_html_() == shown


def test_titles_are_those_of_the_collection_of_the_result(
    keep_at: Callable[..., Workspace], tmp_path: Path
) -> None:
    first = keep_at(tmp_path / "a.weft", Page("http://a.org/", title="One & only"))
    second = keep_at(tmp_path / "b.weft", Page("http://a.org/", title="Two"))
    assert cells(first.rank())[1] == "One & onlya.org/"
    assert cells(second.rank())[1] == "Twoa.org/"


def test_scores_have_bars_by_the_largest() -> None:
    scores = {"score": np.array([0.5, 0.25, 0.0]), "count": np.array([2.0, 1.0, 0.0])}
    ranking = Ranking("toy", ["a", "b", "c"], scores, CLOSED_FORM)
    bars = [node.getattr("style") for node in elements(ranking) if node.tag == "td"]
    assert bars[2::4] == ["--share:100.0%", "--share:50.0%", "--share:0.0%"]
    assert not any(bars[3::4])


def test_tab_completion_lists_the_library() -> None:
    assert {"open", "rank", "topics"} <= set(dir(weft))


@pytest.mark.parametrize("result", [hits([]), hits(LINKS), indegree([]), indegree(LINKS)])
def test_data_frames(result: Groups | Ranking) -> None:
    table = result.to_table()
    frame = result.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dicts() == table.to_pylist()
    assert result.to_pandas().to_dict("records") == table.to_pylist()
