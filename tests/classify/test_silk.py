"""Functional types: features by hand, the table of weights, and weights that are learned."""

from dataclasses import replace

import numpy as np
import pytest

from weft.classify import LabelledPages, silk
from weft.classify.labelled_pages import Visits
from weft.classify.silk import TypeWeights, describe_pages, read_weight_table, standardize
from weft.core.errors import BadParameter, UnknownName

FEATURES = ["size", "inlinks", "outlinks", "frequency", "sources", "csim", "cdepth"]
HOME = "http://a.example/"
STORIES = [f"http://a.example/news/{k}.html" for k in range(4)]


def make_site() -> LabelledPages:
    """A home page that links to four stories; two of these link to the first."""
    pages = [HOME, *STORIES]
    texts = ["menu", *["a long story about oaks " * (k + 5) for k in range(4)]]
    links = [(HOME, story) for story in STORIES] + [(story, STORIES[0]) for story in STORIES[1:3]]
    return LabelledPages.from_lists(pages, texts, [""] * 5, links=links)


def test_the_table_has_eight_types_of_seven_features() -> None:
    types, features = read_weight_table()
    assert list(features) == FEATURES
    assert len(types) == 8
    assert all(set(row) <= set(FEATURES) for row in types.values())
    table = TypeWeights.from_table()
    assert table.weights.shape == (8, 7)
    assert table.weights[table.types.index("content")].tolist() == [1, -1, -1, 0, 0, 1, 0]


def test_features_by_hand() -> None:
    found = dict(zip(FEATURES, describe_pages(make_site()).T, strict=True))
    outlinks = np.log1p([4, 0, 1, 1, 0])
    np.testing.assert_allclose(found["outlinks"], (outlinks - outlinks.mean()) / outlinks.std())
    inlinks = np.log1p([0, 3, 1, 1, 1])
    np.testing.assert_allclose(found["inlinks"], (inlinks - inlinks.mean()) / inlinks.std())
    assert found["size"].argmin() == 0
    # nobody is known to have visited; all children are two folders deep
    assert not found["frequency"].any()
    assert not found["cdepth"].any()
    # a story is like the story that it links to, and the home page is not like any
    assert found["csim"][2] > 0 > found["csim"][0]
    assert found["csim"][1] == found["csim"][4] == 0


def test_visits_are_features() -> None:
    views, entries = np.array([9, 1, 1, 1, 1]), np.array([5, 0, 0, 0, 0])
    site = replace(make_site(), read_visits=lambda: Visits(views, entries))
    found = dict(zip(FEATURES, describe_pages(site).T, strict=True))
    assert found["frequency"][0] == pytest.approx(2)  # one of five: (1 - 0.2) / 0.4
    assert found["sources"][0] == pytest.approx(2)
    kept = site.select(np.array([True, True, False, False, False]))
    visits = kept.read_visits()
    assert visits is not None
    assert visits.views.tolist() == [9, 1]


def test_sites_are_compared_with_themselves() -> None:
    values, sites = np.array([1.0, 3, 100, 300]), np.array([0, 0, 1, 1], np.int32)
    everything = np.ones(4, bool)
    assert standardize(values, sites, everything).tolist() == [-1, 1, -1, 1]
    assert standardize(values, sites, np.array([True, True, True, False])).tolist() == [-1, 1, 0, 0]


def test_types_have_reasons_and_ranks() -> None:
    found = silk(make_site())
    types = {page.page: page.class_ for page in found}
    assert types[HOME] == "personal-home"  # small, with links, and like none of these pages
    assert types[STORIES[3]] == "content"
    assert "high outlinks" in found.reasons(HOME)
    assert found.ranked("index", 1)[0].page == HOME
    assert found.ranked("reference", 1)[0].page == STORIES[0]
    with pytest.raises(UnknownName, match="no class is called 'nothing'"):
        found.ranked("nothing")
    assert repr(found).endswith("no examples>")


def test_weights_can_be_changed() -> None:
    heavy = silk(make_site(), weights=["content.outlinks=9"])
    assert heavy.ranked("content", 1)[0].page == HOME
    for wrong, message in (
        ("content.outlinks", "changes no weight"),
        ("content.outlinks=nan", "changes no weight"),
        ("outlinks=1", "changes no weight"),
    ):
        with pytest.raises(BadParameter, match=message):
            silk(make_site(), weights=[wrong])
    with pytest.raises(UnknownName, match="no functional type is called 'contents'"):
        silk(make_site(), weights=["contents.size=1"])
    with pytest.raises(UnknownName, match="no feature is called 'bytes'"):
        silk(make_site(), weights=["content.bytes=1"])


def test_weights_are_learned_from_examples() -> None:
    """Whoever calls pages with links menus gets menus; words do not matter."""
    random = np.random.default_rng(0)
    pages = [f"http://a.example/{k}" for k in range(60)]
    links = [
        (pages[k], pages[int(other)])
        for k in range(0, 60, 3)
        for other in random.choice(60, 8, replace=False)
        if other != k
    ]
    truth = ["menu" if k % 3 == 0 else "text" for k in range(60)]
    shown = [name if k < 40 else "" for k, name in enumerate(truth)]
    site = LabelledPages.from_lists(pages, ["word"] * 60, shown, links=links)
    found = silk(site)
    assert [page.class_ for page in sorted(found, key=lambda page: int(page.page[17:]))] == truth[
        40:
    ]
    assert found.estimate is not None
    assert found.estimate.accuracy > 0.95
    assert "high outlinks" in found.reasons(pages[42])
    with pytest.raises(BadParameter, match="learns its weights from the examples"):
        silk(site, weights=["index.size=1"])
