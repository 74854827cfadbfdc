"""Accessibility: axe, keyboard, colour schemes, narrow screens."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.workbench.screens import SCROLL_WIDTH, OpenScreen, wait_until_loaded

SCREENS = [
    "",
    "topics?query=jaguar&max_inlinks=3&was=default",
    "topics?query=jaguar&show=table",
    "topics?query=jaguar&compare=hits",
    "topics?query=jaguar&list=pages",
    "topics?query=jaguar&list=sites&method=dom-hits",
    "search?query=jaguar",
    "search?query=jaguar&language=de&language=fr&since=2004-03&until=2004-04",
    "map",
    "map?regions=language&colour=number:inlinks",
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
    "crawl",
]
RUN_AXE = """async () => {
    const found = await axe.run(document, {resultTypes: ['violations']});
    const describe = (node) => node.html + ' ' + (node.any[0]?.message ?? '');
    return found.violations.map(({id, impact, nodes}) =>
        ({id, impact, where: nodes.slice(0, 3).map(describe)}));
}"""


def violations(page: Page, axe: str) -> list[Any]:
    """What axe finds, whatever its impact."""
    page.evaluate(axe)
    found: list[Any] = page.evaluate(RUN_AXE)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", SCREENS)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_axe_finds_nothing(
    show_screen: OpenScreen, axe: str, path: str, width: int, scheme: str
) -> None:
    page = show_screen(path, width=width, scheme=scheme)
    wait_until_loaded(page)
    page.wait_for_timeout(200)
    assert page.evaluate(SCROLL_WIDTH) <= width
    assert violations(page, axe) == []


@pytest.mark.slow
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
def test_a_narrow_screen_does_not_scroll_sideways(show_screen: OpenScreen, path: str) -> None:
    page = show_screen(path, width=400)
    wait_until_loaded(page)
    assert page.evaluate(SCROLL_WIDTH) <= 400


@pytest.mark.slow
def test_axe_finds_a_missing_label(open_screen: OpenScreen, axe: str) -> None:
    page = open_screen()
    search = "document.querySelector('form[role=search] input')"
    page.evaluate(f"{search}.labels[0].remove()")
    page.evaluate(f"{search}.removeAttribute('placeholder')")
    assert [one["id"] for one in violations(page, axe)] == ["label"]


@pytest.mark.slow
def test_from_a_query_to_an_explanation_by_keyboard(open_screen: OpenScreen) -> None:
    page = open_screen()
    page.keyboard.press("/")
    page.keyboard.type("jaguar")
    page.keyboard.press("Enter")
    page.wait_for_selector("nav.topics li a")
    wait_until_loaded(page)
    tab_to(page, "nav.topics li:nth-child(2) a")
    page.keyboard.press("Enter")
    expect(page.locator(".topic > h2")).to_contain_text("2")
    tab_to(page, ".entries .evidence summary")
    page.keyboard.press("Enter")
    expect(page.locator(".entries .evidence[open]")).to_have_count(1)
    tab_to(page, ".entries .title")
    page.keyboard.press("Enter")
    page.wait_for_selector(".page-screen h1")
    assert page.evaluate("document.activeElement.id") == "main"
    page.wait_for_selector(".waterfall li")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus, and check that it is visible."""
    page.evaluate("window.scrollTo(0, 0)")
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            ring = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(ring) == "solid"
            return
    raise AssertionError(selector)


WALK = """() => {
    const main = document.querySelector('main');
    const all = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
    const shown = (node) => node.checkVisibility() && !node.disabled && node.tabIndex >= 0;
    window.reachable = [...main.querySelectorAll(all)].filter(shown);
    return window.reachable.length;
}"""
FOCUSED = """() => {
    const node = document.activeElement;
    const ring = getComputedStyle(node);
    const header = document.querySelector('header.top').getBoundingClientRect();
    const box = node.getBoundingClientRect();
    const inMain = document.querySelector('main').contains(node) && node.id !== 'main';
    const seen = ring.outlineStyle !== 'none' || ring.boxShadow !== 'none'
        || node.matches('a.region, svg a, [data-key]');
    return {
        number: window.reachable.indexOf(node), inMain, seen,
        covered: inMain && box.height < 400 && box.bottom < header.bottom + 1,
        html: node.outerHTML.slice(0, 200),
    };
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "",
        "topics?query=jaguar",
        "search?query=jaguar",
        "page?url=http%3A%2F%2Fjaguarmagazine.example%2F&from=query%3Djaguar",
        "map?query=jaguar&topic=0",
        "communities?view=map",
        "structure",
        "rankings?query=jaguar",
        "ranking?method=hits&query=jaguar",
        "sites?mine=jaguarmagazine.example&theirs=www.basel-jaguar-club.example",
        "hosts",
        "method?kind=topics&name=atd",
        "curate?show=decided",  # the list of open candidates grows as one goes through it
        "crawl",
        "usage",
    ],
)
def test_tab_reaches_everything_and_shows_where_it_is(open_screen: OpenScreen, path: str) -> None:
    """Forwards to the end and back again; what has the focus is never below the header."""
    page = open_screen(path)
    wait_until_loaded(page)
    total = page.evaluate(WALK)
    page.locator("main").focus()
    for key in ("Tab", "Shift+Tab"):
        reached = set[int]()
        for _ in range(3 * total + 20):
            page.keyboard.press(key)
            at = page.evaluate(FOCUSED)
            if not at["inMain"]:
                break
            assert at["seen"], at["html"]
            assert not at["covered"], (key, at["html"])
            reached.add(at["number"])
        assert not at["inMain"], "the focus never leaves"
        missing = "k => window.reachable[k].outerHTML.slice(0, 200)"
        unreached = [page.evaluate(missing, k) for k in sorted(set(range(total)) - reached)]
        radio = [html for html in unreached if 'type="radio"' not in html]
        assert radio == []


@pytest.mark.slow
def test_a_region_is_chosen_by_keyboard(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    page.wait_for_selector("a.region")
    region = page.locator("a.region[data-key=in]")
    region.focus()
    ring = region.locator("path").evaluate("path => getComputedStyle(path).strokeWidth")
    assert ring == "3.5px"
    page.keyboard.press("Enter")
    expect(page.locator("#region")).to_contain_text("In: ")
    expect(region).to_have_attribute("aria-current", "true")
    assert page.locator(".bowtie [aria-current]").count() == 1


@pytest.mark.slow
def test_the_map_moves_by_keyboard(open_screen: OpenScreen) -> None:
    page = open_screen("map?level=host&nodes=50")
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
def test_the_colour_scheme_is_used(open_screen: OpenScreen, scheme: str) -> None:
    page = open_screen(scheme=scheme)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(253, 253, 251)", "dark": "rgb(22, 24, 27)"}[scheme]
