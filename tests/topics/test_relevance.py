"""Which pages are about the query: found, said, named; and which nobody knows."""

from dataclasses import replace

import numpy as np
import pytest

from weft.graph.baseset import LINKED, ROOT, BaseSet
from weft.graph.webgraph import WebGraph
from weft.run.workspace import Workspace
from weft.topics.relevance import relevance

PAGES = {
    "http://found.example/": "nothing to do with it at all",
    "http://says.example/": "the fine cheese of the alps",
    "http://cheesy.example/": "",
    "http://off.example/": "fine roads of the alps",
    "http://seen.example/": "",
}


def base_of(query: str) -> BaseSet:
    graph = WebGraph.from_arrays(list(PAGES), np.zeros(0, np.int32), np.zeros(0, np.int32))
    # words that one page alone says do not tell
    texts = [f"{text} {text}" for text in PAGES.values()]
    base = BaseSet.whole(graph, query=query, read_texts=lambda: texts)
    origin = np.array([ROOT] + [LINKED] * 4, np.int32)
    return replace(base, origin=origin)


def test_found_said_named_and_unknown() -> None:
    found = relevance(base_of("cheese alps"))
    assert found == pytest.approx([1, 1, 1, 1, np.nan], nan_ok=True)
    found = relevance(base_of("cheese"))
    assert found == pytest.approx([1, 0, 1, 0, np.nan], nan_ok=True)


def test_a_short_word_must_stand_by_itself_in_an_address() -> None:
    assert np.isnan(relevance(base_of("she"))[2])


def test_without_a_search_every_page_is_as_good() -> None:
    assert relevance(BaseSet.of([("a", "b")])).tolist() == [1, 1]


def test_forms_of_a_word_count_in_a_collection(demo: Workspace) -> None:
    base = demo.topics("jaguar").base
    found = relevance(base)
    texts = [text.lower() for text in base.texts]
    plural = [k for k, text in enumerate(texts) if "jaguars" in text and base.origin[k] == ROOT]
    assert plural
    assert (found[plural] == 1).all()
    known_off = np.flatnonzero(found == 0)
    assert not any("jaguar" in base.pages[k] for k in known_off.tolist())
