"""Methods that suggest missing links."""

import pytest

from weft.core.errors import BadParameter, UnknownName
from weft.core.register import METHODS, Method, find_method
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.similar import adamic_adar, katz, personalised_pagerank, rank_fusion, suggest_by_coupling
from weft.similar.link_prediction import FUSED_METHODS, LINK_SCORES

TEXTBOOK = [("1", "2"), ("1", "3"), ("2", "3"), ("2", "4"), ("3", "4"), ("3", "5"), ("4", "5")]
WEB = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")]
ALL = [method for method in METHODS.values() if method.kind == "suggest"]
every_method = pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)


def test_all_are_there() -> None:
    assert {method.name for method in ALL} == {*LINK_SCORES, "fused", "katz"}


@every_method
def test_missing_links_of_one_page(method: Method) -> None:
    """Every method sees the one link that is missing where all others are there."""
    links = [("a", "b"), ("b", "c"), ("d", "b"), ("d", "c"), ("d", "a"), ("e", "b"), ("e", "c")]
    texts = ["jaguar engines", "cats", "jaguar engines", "dogs", "dogs"]
    web = BaseSet.from_graph(WebGraph.from_links(links), read_texts=lambda: texts)
    found = method(web, page="a")
    assert "c" in [one.page for one in found.to]  # type: ignore[attr-defined]
    best = found.to[0]  # type: ignore[attr-defined]
    assert best.page == "c"
    assert best.score > 0
    assert best.direction == "to"
    assert method.name in best.scores or method.name == "fused"
    assert len(method(web, page="a", top=1, direction="to")) == 1  # type: ignore[arg-type]


@every_method
def test_page_order_does_not_matter(method: Method) -> None:
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


def test_fused_has_the_scores_of_all_methods() -> None:
    [one] = rank_fusion(WEB, page="c", direction="to").to
    assert one.scores["text"] == 0
    assert set(one.scores) == set(LINK_SCORES)
    assert one.score == pytest.approx(len([m for m in FUSED_METHODS if one.scores[m] > 0]) / 61)


def test_katz_notes_beta_and_refuses_a_divergent_one() -> None:
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    assert katz(ring, page="a").notes == ("beta = 0.5",)
    with pytest.raises(BadParameter, match="diverges"):
        katz(ring, page="a", beta=1.0)
    assert katz(ring, page="a", beta=0.1).to[0].score == pytest.approx(0.01 / (1 - 0.001))
    with pytest.raises(BadParameter):
        find_method("suggest", "katz")(ring, page="a", beta=-1)


def test_notes_on_what_large_webs_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("link_prediction", "link_scores"):
        monkeypatch.setattr(f"weft.similar.{module}.MAX_EXACT_PAGES", 0)
    assert "more than 4 links left out" in katz(WEB, page="c").notes[-1]
    assert "the last 1% of walks left out" in personalised_pagerank(WEB, page="c").notes[-1]


def test_options_of_their_own_are_read() -> None:
    links = [*WEB, ("d", "x"), ("d", "u"), ("d", "v")]
    near = suggest_by_coupling(links, page="c", neighbours=2, direction="to")
    every = suggest_by_coupling(links, page="c", neighbours=0, direction="to")
    assert {one.page for one in near.to} == {"y"}
    assert {one.page for one in every.to} == {"y", "u", "v"}
    walks = [
        personalised_pagerank([("a", "b"), ("b", "c")], page="a", damping=damping).to[0].score
        for damping in (0.5, 0.8)
    ]
    assert walks == pytest.approx([0.5 * 0.25, 0.2 * 0.64])
