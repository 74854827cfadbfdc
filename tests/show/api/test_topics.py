"""Topics as the command gives them, and what the page needs besides."""

import json
from collections.abc import Callable
from typing import Any

import pyarrow.csv as pc
import pytest
from typer.testing import CliRunner

from weft.core.errors import UnknownName
from weft.run.workspace import Workspace
from weft.show.cli import app

Ask = Callable[..., Any]
METHOD = "eigen"
USUAL = f"topics/{METHOD}"


@pytest.fixture(scope="module")
def found(ask: Ask) -> Any:
    return ask(USUAL, query="jaguar", top=5, snippets="all")


def test_topics_are_those_of_the_command(found: Any, demo: Workspace) -> None:
    words = ["-q", "topics", str(demo.folder), "jaguar", "--method", METHOD, "--topics", "20"]
    said = json.loads(CliRunner().invoke(app, [*words, "--format", "json"]).stdout)
    assert len(said["topics"]) == len(found["topics"]) > 1
    for one, two in zip(found["topics"], said["topics"], strict=True):
        assert one["label"] == two["label"]
        for role in ("authorities", "hubs"):
            for page, other in zip(one[role], two[role], strict=True):
                for name in ("page", "title", "score", "count", "sites", "said", "snippet"):
                    assert page[name] == pytest.approx(other[name]), name
    assert found["base"]["root"] == said["provenance"]["base"]["root"]
    assert len(found["aside"]) == len(said["aside"])


def test_the_base_set_tells_its_story(found: Any) -> None:
    base = found["base"]
    assert base["root"] <= base["pages"]
    assert base["story"][0].startswith("root")
    assert base["options"]["root"] == 200
    assert "collection" not in found["provenance"], "the folder is nobody's business"


def test_base_set_options_change_what_is_found(ask: Ask, found: Any) -> None:
    fewer = ask(USUAL, query="jaguar", root=20, inlinks=3)
    assert fewer["base"]["pages"] < found["base"]["pages"]


def test_texts_are_read_only_where_wanted(ask: Ask) -> None:
    usual = ask(USUAL, query="jaguar")["topics"]
    first, *others = [topic["authorities"] + topic["hubs"] for topic in usual]
    known = {page["page"] for page in first}
    assert all(page["snippet"] for page in first if page["kind"] == "fetched")
    assert not any(
        page["snippet"] for topic in others for page in topic if page["page"] not in known
    )
    second = ask(f"{USUAL}/topic", query="jaguar", topic=2)["topic"]
    assert second["label"] == usual[1]["label"]
    assert all(page["snippet"] for page in second["authorities"] if page["kind"] == "fetched")


def test_a_topic_that_is_not_there_is_told(ask: Ask) -> None:
    for path in ("topic", "map"):
        with pytest.raises(UnknownName, match="no topic is called '99'"):
            ask(f"{USUAL}/{path}", query="jaguar", topic=99)


def test_a_page_knows_its_topics(ask: Ask, found: Any) -> None:
    best = found["topics"][1]["authorities"][0]
    rows = ask(f"{USUAL}/of", query="jaguar", url=best["page"])["rows"]
    [row] = [row for row in rows if row["topic"] == 2 and row["role"] == "authority"]
    assert (row["place"], row["count"], row["sites"]) == (1, best["count"], best["sites"])
    assert row["score"] == pytest.approx(best["score"])


def test_a_page_knows_what_was_set_aside(ask: Ask, demo: Workspace) -> None:
    found = demo.topics("jaguar", "atd")
    first = found.aside[0]
    page = found.base.pages[int(first.authorities(1)[0])]
    row = ask("topics/atd/of", query="jaguar", url=page)["aside"][0]
    assert (row["topic"], row["role"], row["place"]) == (len(found) + 1, "authority", 1)
    assert row["reason"] == first.reason


def test_a_page_that_is_in_no_topic_is_told_why(ask: Ask, demo: Workspace) -> None:
    every = demo.topics("jaguar", METHOD)
    scored = {page for topic in (*every, *every.aside) for page in topic.members.tolist()}
    page = every.base.pages[next(k for k in range(len(every.base)) if k not in scored)]
    told = ask(f"{USUAL}/of", query="jaguar", url=page)
    assert (told["rows"], told["aside"]) == ([], [])
    assert told["alone"].startswith("in no topic: ")


def test_a_page_outside_is_told_why(ask: Ask, demo: Workspace) -> None:
    inside = set(demo.topics("jaguar").base.pages)
    outside = next(url for url in demo.collection.pages["url"].to_pylist() if url not in inside)
    answer = ask(f"{USUAL}/of", query="jaguar", url=outside)
    assert not answer["rows"]
    assert "not in the base set" in answer["origin"]


def test_no_topic_has_a_reason(ask: Ask) -> None:
    nothing = ask(USUAL, query="zyzzyva")
    assert (nothing["topics"], nothing["total"]) == ([], 0)
    assert "no page is found by zyzzyva" in nothing["note"]


def test_topics_as_rows_and_as_a_report(ask: Ask, found: Any) -> None:
    rows = pc.read_csv(ask(USUAL, query="jaguar", top=5, format="csv").path)
    assert rows.num_rows == sum(len(t["authorities"]) + len(t["hubs"]) for t in found["topics"])
    report = ask(f"{USUAL}/report", query="jaguar")
    assert report.media.startswith("text/html")
    assert found["topics"][0]["authorities"][0]["title"] in report.path.read_text("utf-8")
