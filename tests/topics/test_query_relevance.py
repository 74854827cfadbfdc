"""Query relevance: pages found, with a keyword, with the word in the URL; and unknown."""

from dataclasses import replace

import numpy as np
import pytest

from weft.graph.baseset.baseset import LINKED_FROM, ROOT, BaseSet
from weft.graph.webgraph import WebGraph
from weft.topics.query_relevance import query_relevance
from weft.workspace.workspace import Workspace

PAGES = {
    "http://found.example/": "nothing to do with it at all",
    "http://says.example/": "the fine cheese of the alps",
    "http://cheesy.example/": "",
    "http://off.example/": "fine roads of the alps",
    "http://uncaptured.example/": "",
}


def base_of(query: str) -> BaseSet:
    graph = WebGraph.from_arrays(list(PAGES), np.zeros(0, np.int32), np.zeros(0, np.int32))
    # words on a single page are no keywords
    texts = [f"{text} {text}" for text in PAGES.values()]
    base = BaseSet.from_graph(graph, query=query, read_texts=lambda: texts)
    origin = np.array([ROOT] + [LINKED_FROM] * 4, np.int32)
    return replace(base, origin=origin)


def test_found_keyword_url_and_unknown() -> None:
    found = query_relevance(base_of("cheese alps"))
    assert found == pytest.approx([1, 1, 1, 1, np.nan], nan_ok=True)
    found = query_relevance(base_of("cheese"))
    assert found == pytest.approx([1, 0, 1, 0, np.nan], nan_ok=True)


def test_a_short_word_must_be_a_whole_word_in_a_url() -> None:
    assert np.isnan(query_relevance(base_of("she"))[2])


def test_without_a_search_every_page_is_relevant() -> None:
    assert query_relevance(BaseSet.from_any([("a", "b")])).tolist() == [1, 1]


def test_forms_of_a_word_count_in_a_collection(demo: Workspace) -> None:
    base = demo.topics("jaguar").base
    found = query_relevance(base)
    texts = [text.lower() for text in base.texts]
    plural = [k for k, text in enumerate(texts) if "jaguars" in text and base.origin[k] == ROOT]
    assert plural
    assert (found[plural] == 1).all()
    known_off = np.flatnonzero(found == 0)
    assert not any("jaguar" in base.pages[k] for k in known_off.tolist())
