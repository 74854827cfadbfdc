"""All pages and sites of a topic."""

from collections.abc import Callable
from typing import Any

import pyarrow.csv as pc
import pytest

from weft.core.errors import UnknownName
from weft.graph.levels import encode_domains
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
DEFAULT = "topics/auto"


@pytest.mark.parametrize(("by", "role"), [("authority", "authorities"), ("hub", "hubs")])
def test_all_pages_of_a_topic_come_in_pages(ask: Ask, demo: Workspace, by: str, role: str) -> None:
    topic = demo.topics("jaguar")[1]
    params = {"query": "jaguar", "number": 2, "by": by, "top": 40}
    starts = range(0, len(topic), 40)
    rows = [row for at in starts for row in ask(f"{DEFAULT}/members", offset=at, **params)["rows"]]
    named = demo.topics("jaguar").base.pages
    assert sorted(row["url"] for row in rows) == sorted(named[k] for k in topic.members)
    assert [row["place"] for row in rows] == list(range(1, len(topic) + 1))
    best = ask(f"{DEFAULT}/group", query="jaguar", number=2)["group"][role]
    assert best
    assert [row["url"] for row in rows[: len(best)]] == [one["url"] for one in best]
    scored = [row[by] > 0 for row in rows]
    assert scored == sorted(scored, reverse=True)


def test_all_sites_of_a_topic_are_counted(ask: Ask, demo: Workspace) -> None:
    topic, [one] = demo.topics("jaguar")[0], ask(DEFAULT, query="jaguar", topics=1)["topics"]
    found = ask(f"{DEFAULT}/sites", query="jaguar", top=500)
    assert found["total"] == len(found["rows"]) == one["sites"]["count"]
    sizes = [row["pages"] for row in found["rows"]]
    assert sum(sizes) == found["pages"] == len(topic)
    assert sizes == sorted(sizes, reverse=True)
    for row in found["rows"]:
        assert encode_domains(demo.topics("jaguar").base.graph.names)[1].count(row["site"]) == 1
        assert row["site"] in row["best"]["url"]


def test_files_have_all_rows(ask: Ask, demo: Workspace) -> None:
    topic = demo.topics("jaguar")[0]
    pages = ask(f"{DEFAULT}/members", query="jaguar", top=1, format="csv")
    assert pages.name == "topics-1-pages.csv"
    assert pc.read_csv(pages.path).num_rows == len(topic)
    sites = pc.read_csv(ask(f"{DEFAULT}/sites", query="jaguar", top=1, format="csv").path)
    assert sum(sites["pages"].to_pylist()) == len(topic)


def test_hosts_have_topics_too(ask: Ask) -> None:
    every = ask(DEFAULT, level="host")["topics"]
    found = ask(f"{DEFAULT}/members", level="host")
    assert found["total"] == every[0]["pages"]
    assert {row["kind"] for row in found["rows"]} == {"host"}


def test_an_unknown_topic_is_an_error(ask: Ask) -> None:
    for path in ("members", "sites"):
        with pytest.raises(UnknownName, match="no topic is called '99'"):
            ask(f"{DEFAULT}/{path}", query="jaguar", number=99)
