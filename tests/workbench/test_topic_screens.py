"""From a query to its topics, to a page, to the explanation of its score."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Page, Route, expect
from tests.workbench.screens import OpenScreen, wait_until_loaded


def topic_labels(page: Page) -> list[str]:
    """The labels of the topics in the list."""
    page.wait_for_selector("nav.topics li a")
    wait_until_loaded(page)
    return page.locator("nav.topics .label").all_inner_texts()


@pytest.mark.slow
def test_a_query_leads_to_its_topics(open_screen: OpenScreen) -> None:
    page = open_screen()
    page.get_by_label("Search words").fill("jaguar")
    page.get_by_role("button", name="Find topics").click()
    labels = " ".join(topic_labels(page)).lower()
    assert len(topic_labels(page)) == 6
    assert "car" in labels
    assert "atari" in labels
    assert "conservation" in labels
    assert "jacksonville" in labels
    assert parse_qs(urlsplit(page.url).query) == {"query": ["jaguar"]}


@pytest.mark.slow
def test_a_topic_leads_to_its_pages_and_their_scores(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    wanted = next(k for k, name in enumerate(topic_labels(page)) if "Cars" in name.split(" "))
    page.locator("nav.topics li a").nth(wanted).click()
    wait_until_loaded(page)
    known = page.locator(".entries").first.get_by_role("link", name="Jaguar Magazine", exact=True)
    evidence = page.locator(".entries .evidence").first
    evidence.locator("summary").click()
    assert evidence.locator("li").count() >= 5
    known.click()
    expect(page.get_by_role("heading", name="Jaguar Magazine", level=1)).to_be_visible()
    wait_until_loaded(page)
    assert page.locator("#in .links > li").count() == 10
    assert "anchor text" in page.locator("#in .anchor").first.inner_text()
    shares = page.locator(".waterfall .number").all_inner_texts()
    total = sum(float(share.removesuffix(" %")) for share in shares)
    assert total == pytest.approx(100, abs=4)
    page.get_by_role("link", name="hits authority").click()
    expect(page.get_by_role("heading", name="Contributions by hits")).to_be_visible()
    page.get_by_role("link", name="Anchor text").click()
    expect(page.locator(".waterfall q").first).to_be_visible()
    page.go_back()
    page.go_back()
    page.go_back()
    assert len(topic_labels(page)) == 6


@pytest.mark.slow
def test_another_option_is_compared_with_the_default(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    topic_labels(page)
    before = page.locator(".base-summary summary").inner_text()
    page.locator("details.base > summary").click()
    cap = page.get_by_label("Max. in-links")
    expect(cap).to_have_value("50")
    cap.fill("2")
    cap.press("Tab")
    expect(page.locator(".run-changes")).to_contain_text("Compared with the default options")
    wait_until_loaded(page)
    assert page.locator(".base-summary summary").inner_text() != before
    assert page.locator(".arrow").count() > 0
    assert "max_inlinks=2" in page.url
    page.reload()
    expect(page.locator(".run-changes")).to_contain_text("Compared with the default options")
    page.get_by_role("link", name="Reset to the defaults").click()
    expect(page.locator(".base-summary summary")).to_have_text(before)
    expect(page.locator(".run-changes")).to_have_count(0)


@pytest.mark.slow
def test_a_deep_link_restores_the_screen(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar&topic=3&show=table")
    page.wait_for_selector(".drawing tbody tr")
    wait_until_loaded(page)
    heading = page.locator(".topic > h2").inner_text()
    rows = page.locator(".drawing tbody tr").count()
    assert heading.startswith("3")
    assert rows > 20
    page.reload()
    page.wait_for_selector(".drawing tbody tr")
    assert page.locator(".topic > h2").inner_text() == heading
    assert page.locator(".drawing tbody tr").count() == rows


@pytest.mark.slow
def test_a_node_of_the_drawing_is_no_option(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar&node=http%3A%2F%2Fjaguarmagazine.example%2F")
    assert len(topic_labels(page)) == 6


@pytest.mark.slow
def test_drawing_downloads(open_screen: OpenScreen, tmp_path: Path) -> None:
    page = open_screen("topics?query=jaguar")
    page.wait_for_selector(".stage canvas")
    figure = page.locator("figure.drawing")
    files = {}
    for name in ("PNG", "SVG", "GEXF", "CSV"):
        with page.expect_download() as download:
            figure.get_by_text(name, exact=True).click()
        files[name] = tmp_path / name
        download.value.save_as(files[name])
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    svg = ET.parse(files["SVG"]).getroot()
    drawn = svg.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(drawn) > 50
    assert "all topics: " in files["SVG"].read_text()
    assert files["GEXF"].read_text().startswith("<?xml")
    assert files["CSV"].read_text().startswith('"source","target","weight"')


@pytest.mark.slow
def test_the_report_is_downloaded(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    topic_labels(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Report").click()
    assert "jaguar" in download.value.path().read_text()


@pytest.mark.slow
def test_the_caption_says_what_is_drawn(open_screen: OpenScreen) -> None:
    page = open_screen("map?level=host&nodes=50")
    page.wait_for_selector(".stage canvas")
    caption = page.locator("figcaption")
    expect(caption).to_have_text(re.compile(r"^All communities: 4\d hosts of 237, and \d+ links"))
    page.get_by_label("At most").select_option("150")
    expect(caption).to_have_text(re.compile(r"^All communities: 1[2-5]\d hosts of 237"))


@pytest.mark.slow
def test_uncaptured_pages_are_hollow(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    topic_labels(page)
    hollow = page.locator(".entries .named:has(.mark)")
    assert hollow.count() > 0
    expect(hollow.first).to_contain_text("linked, not captured")


@pytest.mark.slow
def test_rankings_side_by_side(open_screen: OpenScreen) -> None:
    page = open_screen("rankings?query=jaguar")
    page.wait_for_selector(".matrix td a")
    wait_until_loaded(page)
    assert page.locator(".columns h3").all_inner_texts() == [
        "indegree",
        "pagerank",
        "hits",
        "salsa",
    ]
    page.get_by_role("link", name="pagerank and hits").first.click()
    expect(page.get_by_role("heading", name="pagerank and hits")).to_be_visible()
    page.get_by_label("Add a method").select_option("onorm")
    expect(page.locator(".columns h3")).to_have_count(5)
    page.locator(".columns h3 a").first.click()
    expect(page.get_by_role("heading", name="indegree", level=1)).to_be_visible()


@pytest.mark.slow
def test_degrees_link_to_the_ranking(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    figure = page.locator("#degrees figure").first
    figure.get_by_text("Table", exact=True).click()
    row = figure.locator("tbody tr").last
    assert row.locator("td").first.inner_text() == "1"
    row.locator("a").click()
    expect(page.get_by_role("heading", name="indegree", level=1)).to_be_visible()
    page.wait_for_selector("td a")


@pytest.mark.slow
def test_points_of_a_plot_are_described_and_linked(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    figure = page.locator("#degrees figure").first
    most = figure.locator("a[data-key]").last
    expect(figure.locator(".described-part")).to_have_text(
        most.locator("title").text_content() or "?"
    )
    first = figure.locator("a[data-key='1']")
    first.locator("circle").hover()
    expect(figure.locator(".described-part")).to_contain_text("linked by 1;")
    first.locator("circle").click()
    expect(page.get_by_role("heading", name="indegree", level=1)).to_be_visible()
    assert "offset=" in page.url


@pytest.mark.slow
def test_a_long_request_shows_progress_and_can_be_cancelled(open_screen: OpenScreen) -> None:
    page = open_screen("topics")
    wait_until_loaded(page)
    job = {
        "id": "j1",
        "state": "running",
        "steps": [{"label": "hits", "done": 12, "total": 48}],
        "problem": None,
    }
    cancelled: list[str] = []

    def stop(route: Route) -> None:
        if route.request.method == "GET":
            route.fulfill(json=job)
        else:
            cancelled.append(route.request.method)
            route.fulfill(status=204)

    page.route("**/api/topics/**", lambda route: route.fulfill(status=202, json=job))
    page.route("**/api/jobs/j1/result", lambda route: route.fulfill(status=202, json=job))
    page.route("**/api/jobs/j1", stop)
    page.get_by_label("Search words").fill("leopard")
    page.keyboard.press("Enter")
    progress = page.locator(".progress").first
    expect(progress).to_contain_text("hits 12 of 48")
    progress.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert").first).to_contain_text("The request was cancelled.")
    page.wait_for_timeout(200)
    assert set(cancelled) == {"DELETE"}, "also by other parts that wait for the same job"
    page.get_by_role("alert").first.get_by_role("button", name="Try again").click()
    expect(progress).to_contain_text("hits 12 of 48")


def test_hosts_are_shown_while_communities_are_computed(open_screen: OpenScreen) -> None:
    job: dict[str, object] = {"id": "j2", "state": "running", "steps": [], "problem": None}
    page = open_screen("")
    page.route("**/api/communities/**", lambda route: route.fulfill(status=202, json=job))
    page.route("**/api/jobs/j2*", lambda route: route.fulfill(json=job))
    screens = page.get_by_role("navigation", name="Screens")
    screens.get_by_role("link", name="Communities", exact=True).click()
    expect(page.locator(".progress")).to_be_visible()
    expect(page.locator(".while-waiting tbody tr").first).to_be_visible()


def test_an_error_has_a_message_and_a_hint(open_screen: OpenScreen) -> None:
    page = open_screen("page?url=http://jaguarmagazin.example/", fails=True)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("jaguarmagazin.example")
    assert len(alert.locator("p").all()) == 2
    expect(alert.get_by_role("button", name="Try again")).to_be_visible()


@pytest.mark.slow
def test_a_query_without_results(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=zzyzx")
    expect(page.locator(".empty")).to_be_visible()
    page = open_screen("search?query=zzyzx")
    expect(page.locator(".empty")).to_contain_text("No page contains these words")
