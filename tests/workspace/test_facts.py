"""A collection at a glance."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from weft.core.memory import format_bytes
from weft.gather.page import Link, Page
from weft.store.segment import pages_to_tables
from weft.store.writer import CollectionWriter
from weft.workspace.facts import collection_facts, format_non_numeric_facts
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
Interrupted = Callable[[Path], AbstractContextManager[CollectionWriter]]
DAY = 86_400


def test_facts(keep: Keep) -> None:
    keep(
        Page(
            "http://a.com/",
            time=DAY,
            language="en",
            mime="text/html",
            links=(Link("http://s.org/"),),
        ),
        Page("http://a.com/2", time=3 * DAY, language="en", mime="text/html"),
    )
    found = collection_facts(
        keep(Page("http://b.com/", time=2 * DAY, language="de", mime="text/plain"))
    )
    assert found["counts"]["captured"] == 3
    assert (found["segments"], found["snapshot"], found["counts"]["domains"]) == (2, 2, 2)
    assert found["languages"] == {"en": 2, "de": 1}
    assert found["types"] == {"text/html": 2, "text/plain": 1}
    assert found["captured"] == ["1970-01-02", "1970-01-04"]
    assert found["largest hosts"] == {"a.com": 2, "b.com": 1}
    assert (found["interrupted"], found["not folded"], found["problems"]) == (0, [], [])
    one_day = format_non_numeric_facts({**found, "captured": ["1970-01-02", "1970-01-02"]})
    assert one_day["captured"] == "1970-01-02"
    texts = format_non_numeric_facts(found)
    assert texts.pop("size").endswith(" kB")
    assert texts == {
        "languages": "en 2, de 1",
        "types": "text/html 2, text/plain 1",
        "captured": "1970-01-02 to 1970-01-04",
        "largest hosts": "a.com 2, b.com 1",
    }


def test_removed_captures_do_not_count(keep: Keep) -> None:
    workspace = keep(
        Page("http://a.com/", mime="text/html"), Page("http://b.com/", mime="text/plain")
    )
    workspace.remove(hosts=["a.com"])
    assert collection_facts(workspace)["types"] == {"text/plain": 1}


def test_an_empty_collection_has_facts(keep: Keep) -> None:
    found = collection_facts(keep())
    assert (found["captured"], found["largest hosts"], found["languages"]) == ([], {}, {})
    assert set(format_non_numeric_facts(found)) == {"size", "captured"}


def test_staged_pages_are_counted(keep: Keep, interrupted: Interrupted) -> None:
    workspace = keep(Page("http://a.com/"))
    with interrupted(workspace.folder) as writer:
        writer.append_pages(*pages_to_tables([Page("http://b.com/")], [1]))
        writer.flush()
    assert collection_facts(workspace)["interrupted"] == 1
    assert collection_facts(workspace)["counts"]["captured"] == 1


def test_problems_of_every_add_are_listed(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    for k in range(2):
        path = tmp_path / f"{k}.jsonl"
        path.write_text(f'{{"url": "http://a.com/{k}"}}\n' + "junk\n" * (k + 1))
        workspace.add(path)
    problems = collection_facts(workspace.refresh())["problems"]
    assert [(row["count"], row["damage"]) for row in problems] == [(1, True), (2, True)]
    assert problems[1]["places"] == [f"{tmp_path}/1.jsonl:2", f"{tmp_path}/1.jsonl:3"]


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (999, "999 bytes"),
        (1000, "1 kB"),
        (2_500_000, "2 MB"),
        (7.25e9, "7.2 GB"),
        (3e12, "3,000.0 GB"),
    ],
)
def test_sizes_are_rounded(count: float, words: str) -> None:
    assert format_bytes(count) == words
