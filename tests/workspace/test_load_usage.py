"""What usage methods read from a collection: cues, needs, titles, entries."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from weft.gather.page import Link, Page
from weft.graph.baseset.expand import whole_base_set
from weft.graph.levels import load_graph
from weft.graph.transitions import Sessions, Transitions
from weft.store.collection import Collection
from weft.usage import ScentData, TitledSessions, absorption, index_pages, need, scent
from weft.workspace import usage_data
from weft.workspace.usage_data import build_scent_data, load_scent_data, load_usage_data
from weft.workspace.workspace import Workspace

HOME, SHOES, NEWS, BIKE = (
    "http://shop.org/",
    "http://shop.org/running-shoes.html",
    "http://shop.org/n1.html",
    "http://shop.org/b.html",
)


@pytest.fixture
def shop(keep: Callable[..., Workspace]) -> Workspace:
    def page(url: str, title: str, text: str, *links: Link) -> Page:
        return Page(url, title=title, text=text, language="en", links=links)

    return keep(
        page(
            HOME,
            "Shop",
            "Welcome to the shop where we sell many things",
            Link(SHOES, "Shoes", before="for people who run there are", after="of all sizes"),
            Link(NEWS, "", before="", after=""),
            Link(BIKE, "the", before="", after=""),
        ),
        page(SHOES, "Running shoes", "shoes for runners", Link(HOME, "Home")),
        page(NEWS, "News", "bicycles were invented", Link(BIKE, "our bicycle")),
        page(BIKE, "Bicycles", "bicycles with two wheels", Link(HOME, "Home")),
    )


def collection_of(workspace: Workspace) -> Collection:
    return workspace.collection


def counts_of(data: ScentData, source: str, target: str, *stems: str) -> list[float]:
    start, end = data.graph.page_numbers([source, target])
    rows = data.graph.outlinks
    link = int(rows.starts[start]) + rows.row(int(start)).tolist().index(end)
    counts = data.cues.count_stems([f"en/{stem}" for stem in stems]).toarray()
    found: list[float] = counts[link].tolist()
    return found


def test_cues_are_anchors_the_words_around_and_those_of_the_address(shop: Workspace) -> None:
    data = load_scent_data(collection_of(shop))
    # in the anchor and in the address; before the link; not at all
    assert counts_of(data, HOME, SHOES, "shoe", "run", "size", "welcom") == [2, 2, 1, 0]
    cued = dict(
        zip(
            [
                (data.graph.pages[s], data.graph.pages[t])
                for s, t in zip(data.graph.outlinks.row_ids(), data.graph.outlinks.ids, strict=True)
            ],
            data.has_cues.tolist(),
            strict=True,
        )
    )
    assert cued[HOME, SHOES]
    assert not cued[HOME, NEWS]
    assert not cued[HOME, BIKE]


def test_the_need_is_stemmed_like_a_query(shop: Workspace) -> None:
    data = load_scent_data(collection_of(shop))
    assert "en/shoe" in data.stem_need("the Shoes")
    assert "en/the" not in data.stem_need("the Shoes")
    assert data.stem_need("the")  # where all words are stop words, they are kept


def test_scent_leads_by_cues_and_by_texts(shop: Workspace) -> None:
    data = load_scent_data(collection_of(shop))
    shoes = scent(data, need="shoe", source=HOME, target=[SHOES])
    plain = scent(data, source=HOME, target=[SHOES])
    assert shoes["reach a target"] > plain["reach a target"]
    # links without cues smell by the text of their targets
    bicycles = absorption(data, need="bicycle", source=HOME, target=[BIKE])
    assert bicycles["success"] > absorption(data, source=HOME, target=[BIKE])["success"]
    assert shoes.to_table().to_pylist()[1]["title"] == "Running shoes"


def test_users_start_on_the_home_page_without_usage_data(shop: Workspace) -> None:
    data = load_scent_data(collection_of(shop))
    assert data.names(np.flatnonzero(data.entries)) == [HOME]
    assert "users start on 1 home page" in scent(data).notes[-1]


def test_the_need_of_a_path_is_in_words_of_its_pages(shop: Workspace) -> None:
    found = need(load_scent_data(collection_of(shop)), path=[NEWS, BIKE])
    assert found.to_table()["term"].to_pylist()[0] == "bicycles"
    assert "bicycles" in found.to_table("cues")["term"].to_pylist()


def test_entries_of_sessions_are_where_users_start(shop: Workspace) -> None:
    base = whole_base_set(collection_of(shop))
    entries = np.zeros(len(base))
    entries[base.graph.page_numbers([NEWS])] = 3
    data = build_scent_data(base, entries)
    assert scent(data, alpha=0).to_table()["page"].to_pylist() == [NEWS]
    assert not data.entry_note


def test_sessions_and_transitions_are_loaded_by_type(
    shop: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = collection_of(shop)
    graph = load_graph(collection)
    paths = [[HOME, SHOES, BIKE], [NEWS, BIKE, SHOES], [SHOES, BIKE]]
    stored = _sessions_on(graph, paths)

    def load_sessions(_: Collection) -> Sessions:
        return stored

    def load_transitions(_: Collection) -> Transitions:
        return stored.transitions

    monkeypatch.setattr(usage_data, "load_sessions", load_sessions)
    monkeypatch.setattr(usage_data, "load_transitions", load_transitions)
    counts = {**collection.manifest.counts, "sessions": 3}
    logged = replace(collection, manifest=replace(collection.manifest, counts=counts))
    assert load_usage_data(logged, Sessions) is stored
    assert load_usage_data(logged, Transitions) is stored.transitions
    found = index_pages(load_usage_data(logged, TitledSessions), min_together=0.9)
    assert found.to_table()["pages"].to_pylist() == [[BIKE, SHOES]]
    data: ScentData = load_usage_data(logged, ScentData)
    assert data.entries.sum() == 3
    with pytest.raises(TypeError):
        load_usage_data(logged, int)


def _sessions_on(graph: Any, paths: list[list[str]]) -> Sessions:
    plain = Sessions.from_paths(paths)
    return replace(plain, graph=graph, pages=graph.page_numbers(plain.names(plain.pages)))


def test_links_that_smell_and_that_few_follow_are_neglected(shop: Workspace) -> None:
    """Home smells of shoes, but readers go from there to the bicycles."""
    collection = collection_of(shop)
    paths = [[HOME, BIKE]] * 60 + [[HOME, SHOES]]
    measured = _sessions_on(load_graph(collection), paths).transitions
    base = whole_base_set(collection)
    data = build_scent_data(base, measured.entries, measured.counts)
    found = scent(data, need="running shoes").to_table("neglected links").to_pylist()
    assert [(row["source"], row["target"], row["clicks"]) for row in found] == [(HOME, SHOES, 1)]
    assert found[0]["measured share"] == pytest.approx(1 / 61)
    assert found[0]["expected clicks"] > 30
    assert "neglected links" not in scent(build_scent_data(base), need="shoes").tables
