"""Methods that find missing links."""

import pytest

from weft.core.errors import BadParameter, UnknownName
from weft.core.methods import METHODS, Method, find
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.suggest import (
    adamic_adar,
    fused,
    katz,
    linked_by_peers,
    personalised_pagerank,
)
from weft.suggest.links import FUSED, SCORES

TEXTBOOK = [("1", "2"), ("1", "3"), ("2", "3"), ("2", "4"), ("3", "4"), ("3", "5"), ("4", "5")]
WEB = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")]
ALL = [method for method in METHODS.values() if method.kind == "suggest"]
every_method = pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)


def test_all_are_there() -> None:
    assert {method.name for method in ALL} == {*SCORES, "fused", "katz"}


@every_method
def test_missing_links_of_one_page(method: Method) -> None:
    """Every method sees the one link that is missing where all others are there."""
    links = [("a", "b"), ("b", "c"), ("d", "b"), ("d", "c"), ("d", "a"), ("e", "b"), ("e", "c")]
    texts = ["jaguar engines", "cats", "jaguar engines", "dogs", "dogs"]
    web = BaseSet.whole(WebGraph.from_links(links), read_texts=lambda: texts)
    found = method(web, page="a")
    assert "c" in [one.page for one in found.to]  # type: ignore[attr-defined]
    best = found.to[0]  # type: ignore[attr-defined]
    assert best.page == "c"
    assert best.score > 0
    assert best.way == "to"
    assert method.name in best.scores or method.name == "fused"
    assert len(method(web, page="a", top=1, direction="to")) == 1  # type: ignore[arg-type]


@every_method
def test_pages_are_numbered_in_any_order(method: Method) -> None:
    found = [method(links, page="1", undirected=True) for links in (TEXTBOOK, TEXTBOOK[::-1])]
    one, other = ({s.page: s.score for s in each.to} for each in found)  # type: ignore[attr-defined]
    assert one == pytest.approx(other)


@every_method
def test_an_unknown_page_is_an_error(method: Method) -> None:
    with pytest.raises(UnknownName):
        method(WEB, page="nowhere")


def test_undirected_is_the_textbook() -> None:
    found = adamic_adar(TEXTBOOK, page="1", undirected=True)
    assert {one.page: round(one.score, 10) for one in found.to} == {
        "4": 1.6315867471,
        "5": 0.7213475204,
    }
    assert found.options["undirected"] is True


def test_fused_tells_the_scores_of_all() -> None:
    [one] = fused(WEB, page="c", direction="to").to
    assert one.scores["text"] == 0
    assert set(one.scores) == set(SCORES)
    assert one.score == pytest.approx(len([m for m in FUSED if one.scores[m] > 0]) / 61)


def test_katz_says_its_weight_and_refuses_too_much() -> None:
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    assert katz(ring, page="a").notes == ("b = 0.5",)
    with pytest.raises(BadParameter, match="without end"):
        katz(ring, page="a", b=1.0)
    assert katz(ring, page="a", b=0.1).to[0].score == pytest.approx(0.01 / (1 - 0.001))
    with pytest.raises(BadParameter):
        find("suggest", "katz")(ring, page="a", b=-1)


def test_what_is_left_out_on_large_webs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("links", "scores"):
        monkeypatch.setattr(f"weft.suggest.{module}.SMALL", 0)
    assert "more than 4 clicks left out" in katz(WEB, page="c").notes[-1]
    assert "the last 1% of walks left out" in personalised_pagerank(WEB, page="c").notes[-1]


def test_options_of_their_own_are_read() -> None:
    links = [*WEB, ("d", "x"), ("d", "u"), ("d", "v")]
    near = linked_by_peers(links, page="c", nearest=2, direction="to")
    every = linked_by_peers(links, page="c", nearest=0, direction="to")
    assert {one.page for one in near.to} == {"y"}
    assert {one.page for one in every.to} == {"y", "u", "v"}
    walks = [
        personalised_pagerank([("a", "b"), ("b", "c")], page="a", follow=follow).to[0].score
        for follow in (0.5, 0.8)
    ]
    assert walks == pytest.approx([0.5 * 0.25, 0.2 * 0.64])
