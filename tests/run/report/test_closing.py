"""The end of a report tells of overlap, of what is missing and why, and how to repeat it."""

import re
from dataclasses import replace

import numpy as np
import pytest

from weft.run.report.closing import MOST_PAIRS, closing
from weft.run.report.contents import Report, assemble
from weft.run.workspace import Workspace
from weft.topics.topic import Topic


@pytest.fixture
def report(two: Workspace) -> Report:
    return assemble(two.collection, two.topics("jaguar", method="atd", least=5), top=3, most=5)


def parts(report: Report) -> dict[str, str]:
    """The text of each part by its heading, and its markup under `<heading>`."""
    found = {}
    for part in closing(report):
        heading, rest = part.partition("</h2>")[::2]
        heading = re.sub("<[^>]*>", "", heading)
        found[heading] = " ".join(re.sub("<[^>]*>", " ", rest).split())
        found[f"<{heading}>"] = rest
    return found


def test_overlap_needs_two_topics(report: Report) -> None:
    told = parts(report)
    assert told["Overlap between topics"] == "No page is in two topics."
    alone = parts(replace(report, sections=report.sections[:1]))
    assert set(told) - set(alone) == {"Overlap between topics", "<Overlap between topics>"}


def test_pairs_are_told_with_their_share_and_the_rest_counted(report: Report) -> None:
    pair = {"topic": 1, "other": 2, "pages": 1200, "share": 0.25}
    told = parts(replace(report, shared=[pair] * (MOST_PAIRS + 1)))
    words = told["Overlap between topics"]
    assert words.startswith("topics pages in both share of the smaller 1 2 1,200 25%")
    assert words.count("25%") == MOST_PAIRS
    assert words.endswith("And 1 smaller overlap.")
    assert 'href="#topic-2"' in told["<Overlap between topics>"]


def test_what_was_set_aside_says_why(report: Report) -> None:
    assert parts(report)["What was set aside"] == "Nothing was set aside."
    nothing = np.zeros(2)
    members = np.array([0, 1], np.int32)
    named = Topic(members, nothing, nothing, 1.0, ("cats",), "", {"sites": 1}, "one site alone")
    other = replace(named, facts={}, reason="3 pages without links")
    told = parts(replace(report, found=replace(report.found, aside=(named, other))))
    assert told["What was set aside"] == "cats (2 pages) : one site alone 3 pages without links"


def test_what_was_left_out_is_counted(report: Report) -> None:
    left = [
        {"reason": "links inside sites", "pages": 0, "links": 1234},
        {"reason": "stop pages", "pages": 0, "links": 0},
    ]
    kept = {**report.found.provenance, "left_out": left}
    told = parts(replace(report, found=replace(report.found, provenance=kept)))
    assert told["What was left out"].endswith("links inside sites 1,234 stop pages nothing")
    none = {**report.found.provenance, "left_out": []}
    told = parts(replace(report, found=replace(report.found, provenance=none)))
    assert told["What was left out"] == "Nothing was left out."


def test_every_work_that_is_cited_is_listed_once(report: Report) -> None:
    markup = parts(report)["<Methods>"]
    cited = re.findall('href="#(work-[0-9]+)"', markup)
    listed = re.findall('id="(work-[0-9]+)"', markup)
    assert cited
    assert listed == sorted(set(listed)) == sorted(set(cited))


def test_where_it_comes_from(report: Report) -> None:
    told = parts(replace(report, history=[{"time": "2026-01-02T03:04:05Z"}]))["Where it comes from"]
    assert told.startswith("collection c.weft: 12 pages snapshot 1, of 2026-01-02 digest sha256:")
    assert "method atd: " in told
    assert re.search("repeat weft report .*--method atd", told)
