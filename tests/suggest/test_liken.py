"""Words that pages share, and who vouches for a likeness."""

import numpy as np
import pyarrow as pa
import pytest

from weft.graph.alike import Pattern
from weft.graph.baseset import ANCHORS, BaseSet
from weft.graph.webgraph import WebGraph
from weft.suggest.around import Around
from weft.suggest.liken import Asked, liken, shared_words

TEXTS = ["jaguar cars and engines", "jaguar engines", "cats and dogs", "dogs", ""]
LINKS = [("a", "b"), ("a", "c"), ("a", "d"), ("a", "e")]


def talking() -> Around:
    graph = WebGraph.from_links(LINKS)
    return Around(BaseSet.whole(graph, read_texts=lambda: TEXTS))


def test_the_cosine_of_words_is_symmetric_and_not_with_oneself() -> None:
    around = talking()
    table = np.array([shared_words(around, page)[0] for page in range(5)])
    np.testing.assert_allclose(table, table.T)
    assert (np.diag(table) == 0).all()
    assert table.max() <= 1 + 1e-12


def test_what_two_pages_say_counts_the_same_wherever_they_stand() -> None:
    graph = WebGraph.from_arrays(301, [], [])
    texts = [" ".join(f"word{k * page % 97}" for k in range(page % 40)) for page in range(150)]
    around = Around(BaseSet.whole(graph, read_texts=lambda: ["word1 word2 word3", *texts, *texts]))
    cosine, _ = shared_words(around, 0)
    assert np.count_nonzero(cosine) > 100
    assert cosine[1:151].tolist() == cosine[151:].tolist()


def test_pages_that_say_the_same_are_alike() -> None:
    found = liken(talking(), "text", Asked(page="a"), (), text=True)
    assert found.found[0].page == "b"
    assert set(found.found[0].words) == {"jaguar", "engines"}
    assert found.found[0].parts == {"text": pytest.approx(found.found[0].score)}


def test_a_silent_page_is_told() -> None:
    found = liken(talking(), "text", Asked(page="e"), (), text=True)
    assert not len(found)
    assert found.notes == ("e says nothing that is known",)


def test_words_add_to_links() -> None:
    links = liken(talking(), "combined", Asked(page="b"), ("co-citation",))
    both = liken(talking(), "combined", Asked(page="b"), ("co-citation",), text=True)
    assert {one.page: one.score for one in links} == {"c": 1.0, "d": 1.0, "e": 1.0}
    assert both.parts == ("co-citation", "text")
    for one in both:
        assert one.score == pytest.approx(sum(one.parts.values()))


def said(*rows: tuple[int, int, str]) -> pa.Table:
    columns = [list(column) for column in zip(*rows, strict=True)]
    blank = [""] * len(rows)
    return pa.table([*columns, blank, blank], schema=ANCHORS)


@pytest.mark.parametrize(
    ("pattern", "page", "other", "words"),
    [
        ("co-citation", "x", "y", ("to x", "to y")),
        ("coupling", "w", "v", ("to y", "also y")),
        ("indirect", "w", "z", ("to y", "on to z")),
        ("indirect from", "z", "w", ("on to z", "to y")),
    ],
)
def test_witnesses_say_what_their_links_say(
    pattern: Pattern, page: str, other: str, words: tuple[str, str]
) -> None:
    graph = WebGraph.from_links([("w", "x"), ("w", "y"), ("v", "y"), ("y", "z")])
    number = {name: graph.number(name) for name in "wxyvz"}
    table = said(
        (number["w"], number["x"], "to x"),
        (number["w"], number["y"], "to y"),
        (number["v"], number["y"], "also y"),
        (number["y"], number["z"], "on to z"),
    )
    around = Around(BaseSet.whole(graph, read_anchors=lambda: table))
    found = liken(around, "test", Asked(page=page), (pattern,))
    [one] = [one for one in found if one.page == other]
    assert one.shared == {pattern: 1}
    [tie] = one.witnesses
    assert (tie.pattern, tie.page) == (pattern, {"co-citation": "w"}.get(pattern, "y"))
    assert (tie.anchor, tie.other) == words


def test_sites_are_witnesses_by_their_names() -> None:
    hubs = ["http://a.org/1", "http://a.org/2"]
    links = [(hub, target) for hub in hubs for target in ("http://x.org/", "http://y.org/")]
    asked = Asked(page="http://x.org/", vote="site")
    found = liken(Around.of(links), "test", asked, ("co-citation",))
    assert found.found[0].shared == {"co-citation": 1}
    assert [tie.page for tie in found.found[0].witnesses] == ["a.org"]


def test_what_was_not_asked_is_told() -> None:
    links = [("list", f"p{k}") for k in range(6)]
    found = liken(Around.of(links), "test", Asked(page="p0", cap=5), ("co-citation",))
    assert found.notes == ("co-citation: 1 page with too many links not asked (cap 5)",)
    assert not len(found)
