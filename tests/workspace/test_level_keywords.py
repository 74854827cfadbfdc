"""Hosts and domains say what their pages say."""

from collections.abc import Callable

import numpy as np

from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BaseSet
from weft.graph.selection import Selection
from weft.store.collection import Collection
from weft.store.term_weights import MAX_STEMS_PER_PAGE, TermWeights, sum_term_weights
from weft.workspace.analyse import attach_keywords, load_selection
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def load_level(collection: Collection, selection: Selection) -> BaseSet:
    """What methods for communities are given."""
    loaded = load_selection(collection, selection.for_rankings(), "communities", BaseSet)
    assert isinstance(loaded.data, BaseSet)
    return loaded.data


def said(words: TermWeights, row: int) -> set[str]:
    inside = slice(words.matrix.starts[row], words.matrix.starts[row + 1])
    return {words.stems[int(k)].as_py().rpartition("/")[2] for k in words.matrix.ids[inside]}


def shop(keep: Keep) -> Workspace:
    texts = {"a.org/1": "zebra", "a.org/2": "lion", "b.org/": "lion zebra", "c.org/": "tiger"}
    return keep(
        *(
            Page(
                f"http://{url}",
                text=f"{text} word",
                language="en",
                links=(Link("http://x.net/", ""),),
            )
            for url, text in texts.items()
        ),
        Page("http://d.org/", text="tiger and more", language="en"),
    )


def test_a_host_says_what_its_pages_say(keep: Keep) -> None:
    collection = shop(keep).collection
    base = load_level(collection, Selection(level="host"))
    words = {name: said(base.term_weights, k) for k, name in enumerate(base.pages)}
    assert words["a.org"] >= {"zebra", "lion"}
    assert words["b.org"] >= {"zebra", "lion"}
    assert "tiger" in words["c.org"] & words["d.org"]
    assert words["x.net"] == set()


def test_hosts_that_are_left_out_have_no_row(keep: Keep) -> None:
    collection = shop(keep).collection
    base = load_level(collection, Selection(level="host", exclude=("a.org",)))
    assert "a.org" not in base.pages
    words = {name: said(base.term_weights, k) for k, name in enumerate(base.pages)}
    assert "tiger" in words["c.org"]
    assert "tiger" not in words["b.org"]


def test_pages_stay_as_they_are(keep: Keep) -> None:
    collection = shop(keep).collection
    base = load_level(collection, Selection())
    assert attach_keywords(collection, base) is base


def test_the_weightiest_are_kept() -> None:
    texts = [" ".join(f"w{chr(97 + k % 26)}{chr(97 + j)}" for j in range(20)) for k in range(10)]
    pages = TermWeights.from_texts([""] * 20, texts * 2, ["en"] * 20)
    owner = np.zeros(20, np.int32)
    assert len(sum_term_weights(pages, owner, 1).matrix.ids) == min(
        MAX_STEMS_PER_PAGE, len(pages.stems)
    )
