"""Everybody can use it: by keyboard, in both colour schemes, with a reader of screens."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.show.page.screen import BREADTH, Look, settle

SCREENS = [
    "",
    "topics?query=jaguar&inlinks=3&was=usual",
    "topics?query=jaguar&view=treemap&show=table",
    "topics?query=jaguar&list=pages",
    "topics?query=jaguar&list=sites&method=dom-hits",
    "search?query=jaguar",
    "page?url=http%3A%2F%2Fjaguarmagazine.example%2F&from=query%3Djaguar",
    "map?query=jaguar&topic=0",
    "structure?region=in",
    "communities?community=2",
    "communities?view=matrix&level=host",
    "communities?method=trawling&query=jaguar&view=map",
    "sites?mine=jaguarmagazine.example&theirs=www.basel-jaguar-club.example&show=terms",
    "hosts",
    "rankings?query=jaguar",
    "ranking?method=hits&query=jaguar",
    "method?kind=topics&name=atd",
    "method",
]
FINDINGS = """async () => {
    const found = await axe.run(document, {resultTypes: ['violations']});
    const told = (node) => node.html + ' ' + (node.any[0]?.message ?? '');
    return found.violations.map(({id, impact, nodes}) =>
        ({id, impact, where: nodes.slice(0, 3).map(told)}));
}"""


def serious(page: Page, axe: str) -> list[Any]:
    """What axe finds that keeps readers out."""
    page.evaluate(axe)
    found: list[Any] = page.evaluate(FINDINGS)
    return [one for one in found if one["impact"] in {"serious", "critical"}]


@pytest.mark.parametrize("path", SCREENS)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_nothing_keeps_a_reader_out(
    look: Look, axe: str, path: str, width: int, scheme: str
) -> None:
    page = look(path, width=width, scheme=scheme)
    settle(page)
    page.wait_for_timeout(200)
    assert page.evaluate(BREADTH) <= width
    assert serious(page, axe) == []


@pytest.mark.parametrize(
    "path",
    [
        "topics?query=jaguar",
        "map",
        "rankings",
        "communities?view=matrix",
        "communities?view=map",
        "communities?view=matrix&community=2&with=3",
        "communities?beside=hits",
        "sites?mine=jaguarmagazine.example&theirs=www.basel-jaguar-club.example&keywords=jaguar",
    ],
)
def test_a_narrow_screen_does_not_scroll_sideways(look: Look, path: str) -> None:
    page = look(path, width=400)
    settle(page)
    assert page.evaluate(BREADTH) <= 400


def test_axe_finds_what_is_wrong(look: Look, axe: str) -> None:
    page = look()
    page.evaluate("document.querySelector('input[type=search]').labels[0].remove()")
    page.evaluate("document.querySelector('input[type=search]').removeAttribute('placeholder')")
    assert [one["id"] for one in serious(page, axe)] == ["label"]


def test_the_keyboard_alone_leads_from_a_word_to_a_reason(look: Look) -> None:
    page = look()
    page.keyboard.press("/")
    page.keyboard.type("jaguar")
    page.keyboard.press("Enter")
    page.wait_for_selector("nav.topics li a")
    settle(page)
    reach(page, "nav.topics li:nth-child(2) a")
    page.keyboard.press("Enter")
    expect(page.locator(".topic > h2")).to_contain_text("2")
    reach(page, ".entries .speaks summary")
    page.keyboard.press("Enter")
    expect(page.locator(".entries .speaks[open]")).to_have_count(1)
    reach(page, ".entries .title")
    page.keyboard.press("Enter")
    page.wait_for_selector(".page-screen h1")
    assert page.evaluate("document.activeElement.id") == "main"
    page.wait_for_selector(".waterfall li")


def reach(page: Page, selector: str) -> None:
    """Press Tab until what is meant has the focus, which can be seen."""
    page.evaluate("window.scrollTo(0, 0)")
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            ring = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(ring) == "solid"
            return
    raise AssertionError(selector)


def test_the_map_moves_by_keyboard(look: Look) -> None:
    page = look("map?level=host&nodes=50")
    page.wait_for_selector(".stage canvas")
    page.wait_for_timeout(500)
    stage = page.locator(".stage")
    before = stage.screenshot()
    stage.focus()
    for key in ("+", "ArrowLeft"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert stage.screenshot() != before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_scheme_is_followed(look: Look, scheme: str) -> None:
    page = look(scheme=scheme)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(253, 253, 251)", "dark": "rgb(22, 24, 27)"}[scheme]
