"""The words of a snapshot: what is written is what the pages by themselves would tell."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from weft.gather.page import Link, Page
from weft.run.workspace import Workspace
from weft.store import index, teller, telling
from weft.store.telling import Words

Keep = Callable[..., Workspace]
TEXTS = ["cats and dogs", "dogs", "cats cats", "Häuser und Katzen", "Katzen", "", "x " * 40]
PAGES = [
    Page(
        f"http://a.com/{k}",
        title=text[:4],
        text=text,
        language="de" if "K" in text else "en",
        links=(Link("http://seen.com/", "never read"),),
    )
    for k, text in enumerate(TEXTS)
]


def as_lists(words: Words) -> list[list[tuple[str, float]]]:
    names = words.stems.to_pylist()
    pairs = [(names[k], w) for k, w in zip(words.rows.ids, words.weights.tolist(), strict=True)]
    starts = words.rows.starts.tolist()
    return [pairs[a:b] for a, b in pairwise(starts)]


def written(workspace: Workspace) -> Words:
    collection = workspace.refresh().collection
    return collection.words(np.arange(len(collection), dtype=np.int32))


def test_what_is_written_is_what_pages_tell(keep: Keep) -> None:
    workspace = keep(*PAGES)
    rows = workspace.collection.pages.to_pylist()
    texts = workspace.collection.texts(range(len(rows)))
    alone = Words.of([r["title"] for r in rows], texts, [r["language"] for r in rows])
    assert as_lists(written(workspace)) == as_lists(alone)
    assert as_lists(alone)[-1] == [], "a page that was only seen says nothing"


def test_portions_and_order_do_not_matter(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = as_lists(written(keep(*PAGES, name="whole")))
    monkeypatch.setattr(teller, "MANY", 2)
    monkeypatch.setattr(telling, "BLOCK", 2)
    monkeypatch.setattr(index, "PORTION", 10)
    keep(*PAGES[4:], name="parts")
    assert as_lists(written(keep(*PAGES[:4], name="parts"))) == whole
    monkeypatch.setattr(index, "MOST_KNOWN", 1)
    assert as_lists(written(keep(*PAGES, name="forgetful"))) == whole


def test_no_pages_no_words(keep: Keep, tmp_path: Path) -> None:
    assert as_lists(written(keep(Page("http://a.com/", kind="error", status=404)))) == [[]]
    with teller.Teller(tmp_path / "words", 0):
        pass
    assert sorted(path.name for path in (tmp_path / "words").iterdir()) == [
        "ids.npy", "row.npy", "starts.npy", "stems.arrow", "weights.npy",
    ]  # fmt: skip
