"""Plots of usage: every session is in the flow, every day has its bar, titles are escaped."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from weft.graph.transitions import Sessions
from weft.report.plots.svg import Frame
from weft.report.plots.usage import draw_usage_plots
from weft.usage import Usage, overview

SVG = "{http://www.w3.org/2000/svg}"
HOME, OTHER = "http://site.example/", "http://site.example/<b>&"
PATHS = [[HOME, OTHER], [HOME, OTHER, HOME], [OTHER]]


def result(paths: list[list[str]] = PATHS, day: int = 86_400) -> Usage:
    sessions = Sessions.from_paths(paths)
    times = np.repeat(np.arange(1, len(sessions) + 1) * day, np.diff(sessions.starts))
    return overview(replace(sessions, times=times))


def titles(svg: str, element: str) -> list[str]:
    tree = ET.fromstring(svg)
    found = [node.find(f"{SVG}title") for node in tree.iter(f"{SVG}{element}")]
    return [title.text or "" for title in found if title is not None]


def test_bands_add_up_to_the_sessions() -> None:
    plots = draw_usage_plots(result())
    bands = titles(str(plots["flow"]), "path")
    assert f"2 sessions: {HOME} → {OTHER}" in bands
    assert f"1 session: {OTHER} → left the site" in bands
    assert f"1 session: {OTHER} → {HOME}" in bands


def test_pages_link_by_their_names() -> None:
    tree = ET.fromstring(str(draw_usage_plots(result())["flow"]))
    keys = {node.get("data-key") for node in tree.iter(f"{SVG}a")}
    assert keys == {HOME, OTHER}


def test_a_bar_a_day_also_where_nobody_came() -> None:
    plots = draw_usage_plots(result(day=3 * 86_400))
    assert titles(str(plots["visits"]), "rect") == [
        "1970-01-04: 1 session",
        "1970-01-07: 1 session",
        "1970-01-10: 1 session",
    ]
    one_day = draw_usage_plots(result([[HOME]]))
    assert titles(str(one_day["visits"]), "rect") == ["1970-01-02: 1 session"]


def texts(svg: object) -> list[str]:
    return [text.text or "" for text in ET.fromstring(str(svg)).iter(f"{SVG}text")]


def test_pages_are_labelled_by_titles_of_their_own() -> None:
    def labels(titles: dict[str, str]) -> list[str]:
        return texts(draw_usage_plots(result(), titles=titles)["flow"])

    assert "Start & more" in labels({HOME: "Start & more"})
    assert "/<b>&" in labels({HOME: "Start & more"})
    assert "Start" not in labels({HOME: "Start", OTHER: "Start"})


def test_a_long_address_keeps_its_end() -> None:
    page = "http://www.a-site-with-a-long-name.example/some/folders/links.html"
    root = "http://www.another-site-with-quite-a-long-name.example/"
    shown = texts(draw_usage_plots(result([[page, root], [root]]), Frame(360.0))["flow"])
    assert "a-site-…/links.html" in shown
    assert "another-site-with-…" in shown
    assert all(text.endswith(("…", "/links.html")) for text in shown if "…" in text)


@pytest.mark.parametrize("days", [1, 2, 9, 28, 90, 500, 4000])
@pytest.mark.parametrize("width", [360.0, 640.0])
def test_dates_are_evenly_spaced_and_inside(days: int, width: float) -> None:
    every_day = result([[HOME]] * days)
    tree = ET.fromstring(str(draw_usage_plots(every_day, Frame(width))["visits"]))
    dates = [
        (float(text.get("x", "0")), np.datetime64(text.text or "", "D"))
        for text in tree.iter(f"{SVG}text")
        if (text.text or "").count("-") == 2
    ]
    steps = np.diff([day for _, day in dates]).astype(int)
    assert len(set(steps.tolist())) <= 1
    assert 1 <= len(dates) <= 8
    assert all(step in {1, 2} or step % 7 == 0 for step in steps.tolist())
    assert all(at + 29 <= width for at, _ in dates)
    assert all(np.diff([at for at, _ in dates]) > 58)


def test_without_times_there_are_no_days() -> None:
    assert list(draw_usage_plots(overview(Sessions.from_paths(PATHS)))) == ["flow"]


def test_without_sessions_nothing_is_drawn() -> None:
    plots = draw_usage_plots(overview(Sessions.from_paths([])))
    assert "nothing to draw" in str(plots["flow"])


@pytest.mark.parametrize("width", [360.0, 640.0])
def test_everything_is_inside_the_frame(width: float) -> None:
    many = [
        [f"{HOME}{a}", f"{HOME}{b}/{'x' * 90}", f"{HOME}{a}{b}"] for a in range(9) for b in range(9)
    ]
    for plot in draw_usage_plots(result(many), Frame(width)).values():
        tree = ET.fromstring(str(plot))
        for rect in tree.iter(f"{SVG}rect"):
            right = float(rect.get("x", "0")) + float(rect.get("width", "0"))
            assert right <= width + 0.1


def test_short_sessions_are_drawn_on_a_phone() -> None:
    drawn = draw_usage_plots(result([[HOME], [OTHER]]), Frame(360.0))["flow"]
    assert "page 2" in texts(drawn)
    assert "page 3" not in texts(drawn)


def test_other_methods_have_no_plots() -> None:
    assert draw_usage_plots(replace(result(), method="around")) == {}
