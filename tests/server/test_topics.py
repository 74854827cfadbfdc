"""Topics equal those of the command; single topics, topics of a page, reports."""

import json
from collections.abc import Callable
from typing import Any

import pyarrow.csv as pc
import pytest
from typer.testing import CliRunner

from weft.cli import app
from weft.core.errors import UnknownName
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
METHOD = "eigen"
DEFAULT = f"topics/{METHOD}"


@pytest.fixture(scope="module")
def found(ask: Ask) -> Any:
    return ask(DEFAULT, query="jaguar", top=5, snippets="all")


def test_topics_are_those_of_the_command(found: Any, demo: Workspace) -> None:
    words = ["-q", "topics", METHOD, str(demo.folder), "jaguar", "--topics", "20"]
    printed = json.loads(CliRunner().invoke(app, [*words, "--format", "json"]).stdout)
    assert len(printed["topics"]) == len(found["topics"]) > 1
    for topic, other_topic in zip(found["topics"], printed["topics"], strict=True):
        assert topic["label"] == other_topic["label"]
        for role in ("authorities", "hubs"):
            for page, other in zip(topic[role], other_topic[role], strict=True):
                assert page["url"] == other["url"]
                for name in ("title", "score", "count", "sites", "anchors", "snippet"):
                    assert page[name] == pytest.approx(other[name]), name
    assert found["base"] == printed["base"]
    assert len(found["set_aside"]) == len(printed["set_aside"])


def test_the_first_results_have_a_place_each(ask: Ask, demo: Workspace) -> None:
    """Best results, then those that are also found; no page is listed twice."""
    found = ask("topics/auto", query="jaguar", top=3)
    results = [page["url"] for page in found["results"]]
    also_found = [page["url"] for page in found["also_found"]]
    authorities = {page["url"] for topic in found["topics"] for page in topic["authorities"]}
    assert len(results) == 6
    assert len(also_found) > 3
    assert len({*results, *also_found}) == len(results) + len(also_found)
    assert not authorities & set(also_found)
    groups = {page["group"] for page in (*found["results"], *found["also_found"])}
    assert groups > {1, 2}
    assert groups <= set(range(found["total"] + 1))
    first = set(demo.search("jaguar", 5).to_table()["url"].to_pylist())
    assert first <= authorities | {*results, *also_found}


def test_the_base_set_has_notes(found: Any) -> None:
    base = found["base"]
    assert base["root"] <= base["pages"]
    assert base["notes"][0].startswith("root")
    assert found["provenance"]["selection"]["root_size"] == 200
    assert "collection" not in found["provenance"], "the folder is private"


def test_base_set_options_change_what_is_found(ask: Ask, found: Any) -> None:
    fewer = ask(DEFAULT, query="jaguar", root_size=20, max_inlinks=3)
    assert fewer["base"]["pages"] < found["base"]["pages"]


def test_uncaptured_pages_are_listed_or_members(ask: Ask, demo: Workspace) -> None:
    dropped = ask("topics/hits", query="jaguar", top=50)["topics"][0]
    kept = ask("topics/hits", query="jaguar", top=50, uncaptured="keep")["topics"][0]
    topic = demo.topics("jaguar", "hits")[0]
    assert len(topic.uncaptured)
    assert [page["votes"] for page in dropped["uncaptured"]] == topic.uncaptured_votes.tolist()
    assert {page["kind"] for page in dropped["uncaptured"]} == {"uncaptured"}
    assert not any(page["kind"] == "uncaptured" for page in dropped["authorities"])
    assert kept["uncaptured"] == []
    authorities = [page["url"] for page in kept["authorities"]]
    assert dropped["uncaptured"][0]["url"] in authorities


def test_snippets_only_where_requested(ask: Ask) -> None:
    topics = ask(DEFAULT, query="jaguar", snippets="first")["topics"]
    first, *others = [topic["authorities"] + topic["hubs"] for topic in topics]
    known = {page["url"] for page in first}
    assert all(page["snippet"] for page in first if page["kind"] == "captured")
    assert not any(
        page["snippet"] for topic in others for page in topic if page["url"] not in known
    )
    second = ask(f"{DEFAULT}/group", query="jaguar", number=2)["group"]
    assert second["label"] == topics[1]["label"]
    assert all(page["snippet"] for page in second["authorities"] if page["kind"] == "captured")


def test_an_unknown_topic_is_an_error(ask: Ask) -> None:
    for path in ("group", "map"):
        with pytest.raises(UnknownName, match="no topic is called '99'"):
            ask(f"{DEFAULT}/{path}", query="jaguar", number=99)


def test_a_page_knows_its_topics(ask: Ask, found: Any) -> None:
    best = found["topics"][1]["authorities"][0]
    rows = ask(f"{DEFAULT}/of", query="jaguar", url=best["url"])["roles"]
    [row] = [row for row in rows if row["number"] == 2 and row["role"] == "authority"]
    assert (row["place"], row["count"], row["sites"]) == (1, best["count"], best["sites"])
    assert row["score"] == pytest.approx(best["score"])


def test_a_page_knows_what_was_set_aside(ask: Ask, demo: Workspace) -> None:
    found = demo.topics("jaguar", "atd")
    first = found.set_aside[0]
    page = found.base.pages[int(first.authorities(1)[0])]
    row = ask("topics/atd/of", query="jaguar", url=page)["set_aside"][0]
    assert (row["number"], row["role"], row["place"]) == (len(found) + 1, "authority", 1)
    assert row["reason"] == first.reason


def test_a_page_without_topic_gets_a_reason(ask: Ask, demo: Workspace) -> None:
    every = demo.topics("jaguar", METHOD)
    scored = {page for topic in (*every, *every.set_aside) for page in topic.members.tolist()}
    page = every.base.pages[next(k for k in range(len(every.base)) if k not in scored)]
    response = ask(f"{DEFAULT}/of", query="jaguar", url=page)
    assert (response["roles"], response["set_aside"]) == ([], [])
    assert response["unassigned_reason"].startswith("in no topic: ")


def test_a_page_outside_the_base_set_gets_a_reason(ask: Ask, demo: Workspace) -> None:
    inside = set(demo.topics("jaguar").base.pages)
    outside = next(url for url in demo.collection.pages["url"].to_pylist() if url not in inside)
    answer = ask(f"{DEFAULT}/of", query="jaguar", url=outside)
    assert not answer["roles"]
    assert "not in the base set" in answer["origin"]


def test_no_topic_has_a_reason(ask: Ask) -> None:
    nothing = ask(DEFAULT, query="zyzzyva")
    assert (nothing["topics"], nothing["total"]) == ([], 0)
    assert "no page matches zyzzyva" in nothing["notes"][-1]


def test_topics_as_rows_and_as_a_report(ask: Ask, found: Any) -> None:
    rows = pc.read_csv(ask(DEFAULT, query="jaguar", top=5, format="csv").path)
    assert rows.num_rows == sum(len(t["authorities"]) + len(t["hubs"]) for t in found["topics"])
    report = ask(f"{DEFAULT}/report", query="jaguar")
    assert report.media_type.startswith("text/html")
    assert found["topics"][0]["authorities"][0]["title"] in report.path.read_text("utf-8")
