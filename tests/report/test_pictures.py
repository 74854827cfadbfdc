"""Pictures of the topics report, read back from the markup."""

import re
from typing import Any

import numpy as np
from resiliparse.parse.html import HTMLTree

from weft.core.arrays import Floats
from weft.core.json import JsonObject
from weft.report.render import hub_authority_curves, template_environment
from weft.report.topics import HubAuthorityLinks, PageShare

PATH = re.compile(r"M0 ([\d.]+)C45 ([\d.]+) 55 ([\d.]+) 100 ([\d.]+)")


def render(template: str, macro: str, *values: object) -> Any:
    """The body of a page with what a macro prints."""
    made = getattr(template_environment().get_template(template).module, macro)(*values)
    body = HTMLTree.parse(str(made)).body
    assert body is not None
    return body


def page(url: str, title: str = "") -> JsonObject:
    return {"url": url, "title": title}


def links(weight: Floats) -> HubAuthorityLinks:
    hubs = [page(f"http://hub{k}.org/", f"Hub {k}") for k in range(weight.shape[0])]
    return HubAuthorityLinks(
        hubs, [page(f"http://to{k}.org/") for k in range(weight.shape[1])], weight
    )


def curves(weights: Floats) -> list[tuple[float, float, float]]:
    """Where each curve starts and ends, and how thick it is, in the order of drawing."""
    found = []
    for curve in hub_authority_curves(weights):
        place = PATH.fullmatch(curve.path)
        assert place is not None
        found.append((float(place[1]), float(place[4]), curve.width))
    return found


def test_a_curve_for_each_link_and_the_strongest_on_top() -> None:
    found = curves(np.array([[1.0, 0.5], [0.25, 0.0]]))
    assert len(found) == 3
    assert [thick for *_, thick in found] == sorted(thick for *_, thick in found)


def test_the_links_of_a_page_do_not_cross_where_they_leave() -> None:
    found = curves(np.ones((1, 5)))
    assert [start for start, _, _ in sorted(found)] == sorted({start for start, _, _ in found})
    assert sorted(found) == sorted(found, key=lambda curve: curve[1])


def test_curves_stay_in_the_rows_of_their_pages() -> None:
    found = curves(np.ones((3, 2)))
    assert {int(start // 48) for start, _, _ in found} == {0, 1, 2}
    assert {int(end // 48) for _, end, _ in found} == {0, 1}


def test_no_links_no_curves() -> None:
    assert curves(np.zeros((2, 2))) == []


def test_names_are_beside_the_curves() -> None:
    body = render("topic.html.j2", "link_figure", links(np.ones((2, 1))), 1)
    assert len(body.query_selector_all("path")) == 2
    assert [name.text for name in body.query_selector_all("ol.from a")] == ["Hub 0", "Hub 1"]
    assert [name.text for name in body.query_selector_all("ol.from small")] == [
        "hub0.org/",
        "hub1.org/",
    ]
    assert [name.text for name in body.query_selector_all("ol.to a")] == ["to0.org/"]


def test_shares_fill_the_bar() -> None:
    shares = [PageShare("one", 30, 1), PageShare("two", 60, 2), PageShare("rest", 30)]
    body = render("parts.html.j2", "stacked_bar", "by topic", shares, 120)
    rects = body.query_selector_all("svg.shares rect")
    assert [rect.getattr("x") for rect in rects] == ["0.00%", "25.00%", "75.00%"]
    assert [rect.getattr("width") for rect in rects] == ["25.00%", "50.00%", "25.00%"]
    assert [key.text for key in body.query_selector_all("li b")] == ["30", "60", "30"]
