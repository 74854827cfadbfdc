"""What a reader does: from a word to its topics, to a page, to the reason of its score."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Page, Route, expect
from tests.show.page.screen import Look, settle


def topics(page: Page) -> list[str]:
    """The names of the topics in the list."""
    page.wait_for_selector("nav.topics li a")
    settle(page)
    return page.locator("nav.topics .label").all_inner_texts()


def test_a_word_leads_to_its_topics(look: Look) -> None:
    page = look()
    page.get_by_label("Words to look for").fill("jaguar")
    page.get_by_role("button", name="Find topics").click()
    named = " ".join(topics(page))
    assert len(topics(page)) == 4
    assert "car" in named
    assert "atari" in named
    assert "cats" in named
    assert parse_qs(urlsplit(page.url).query) == {"query": ["jaguar"]}


def test_a_topic_leads_to_its_pages_and_a_page_to_why(look: Look) -> None:
    page = look("topics?query=jaguar")
    wanted = next(k for k, name in enumerate(topics(page)) if "car" in name.split(" "))
    page.locator("nav.topics li a").nth(wanted).click()
    settle(page)
    known = page.locator(".entries").first.get_by_role("link", name="Jaguar Magazine", exact=True)
    evidence = page.locator(".speaks").first
    evidence.locator("summary").click()
    assert evidence.locator("li").count() >= 5
    known.click()
    expect(page.get_by_role("heading", name="Jaguar Magazine", level=1)).to_be_visible()
    settle(page)
    assert page.locator("#in .links > li").count() == 10
    assert "says" in page.locator("#in .anchor").first.inner_text()
    shares = page.locator(".waterfall .number").all_inner_texts()
    total = sum(float(told.removesuffix(" %")) for told in shares)
    assert total == pytest.approx(100, abs=4)
    page.get_by_role("link", name="hits authority").click()
    expect(page.get_by_role("heading", name="Why by hits")).to_be_visible()
    page.get_by_role("link", name="Anchor text").click()
    expect(page.locator(".waterfall q").first).to_be_visible()
    page.go_back()
    page.go_back()
    page.go_back()
    assert len(topics(page)) == 4


def test_another_cap_moves_pages(look: Look) -> None:
    page = look("topics?query=jaguar")
    topics(page)
    before = page.locator(".story summary").inner_text()
    page.locator("details.base > summary").click()
    cap = page.get_by_label("In-link cap")
    expect(cap).to_have_value("50")
    cap.fill("2")
    cap.press("Tab")
    expect(page.locator(".changes")).to_contain_text("Compared with the usual options")
    settle(page)
    assert page.locator(".story summary").inner_text() != before
    assert page.locator(".arrow").count() > 0
    assert "inlinks=2" in page.url
    page.reload()
    expect(page.locator(".changes")).to_contain_text("Compared with the usual options")
    page.get_by_role("link", name="Back to the usual options").click()
    expect(page.locator(".story summary")).to_have_text(before)
    expect(page.locator(".changes")).to_have_count(0)


def test_a_deep_link_shows_the_same_again(look: Look) -> None:
    page = look("topics?query=jaguar&topic=3&show=table&view=treemap")
    page.wait_for_selector(".treemap a")
    settle(page)
    heading = page.locator(".topic > h2").inner_text()
    rows = page.locator(".drawing tbody tr").count()
    assert heading.startswith("3")
    assert rows > 20
    page.reload()
    page.wait_for_selector(".drawing tbody tr")
    assert page.locator(".topic > h2").inner_text() == heading
    assert page.locator(".drawing tbody tr").count() == rows


def test_what_is_looked_at_can_be_kept(look: Look, tmp_path: Path) -> None:
    page = look("topics?query=jaguar")
    page.wait_for_selector(".stage canvas")
    figure = page.locator("figure.drawing")
    kept = {}
    for name in ("PNG", "SVG", "GEXF", "CSV"):
        with page.expect_download() as download:
            figure.get_by_text(name, exact=True).click()
        kept[name] = tmp_path / name
        download.value.save_as(kept[name])
    assert kept["PNG"].read_bytes().startswith(b"\x89PNG")
    svg = ET.parse(kept["SVG"]).getroot()
    drawn = svg.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(drawn) > 50
    assert "topic 1, " in kept["SVG"].read_text()
    assert kept["GEXF"].read_text().startswith("<?xml")
    assert kept["CSV"].read_text().startswith('"source","target","weight"')


def test_the_report_is_a_step_away(look: Look) -> None:
    page = look("topics?query=jaguar")
    topics(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Report").click()
    assert "jaguar" in download.value.path().read_text()


def test_the_caption_says_what_is_drawn(look: Look) -> None:
    page = look("map?level=host&nodes=50")
    page.wait_for_selector(".stage canvas")
    expect(page.locator("figcaption")).to_contain_text("50 hosts of")
    page.get_by_label("At most").select_option("150")
    expect(page.locator("figcaption")).to_contain_text("150 hosts of")


def test_pages_only_seen_are_hollow(look: Look) -> None:
    page = look("topics?query=jaguar")
    topics(page)
    hollow = page.locator(".entries .named:has(.mark)")
    assert hollow.count() > 0
    expect(hollow.first).to_contain_text("only seen in links, not fetched")


def test_rankings_stand_side_by_side(look: Look) -> None:
    page = look("rankings?query=jaguar")
    page.wait_for_selector(".heat td a")
    settle(page)
    assert page.locator(".columns h3").all_inner_texts() == [
        "indegree",
        "pagerank",
        "hits",
        "salsa",
    ]
    page.get_by_role("link", name="pagerank and hits").first.click()
    expect(page.get_by_role("heading", name="pagerank and hits")).to_be_visible()
    page.get_by_label("Another method").select_option("onorm")
    expect(page.locator(".columns h3")).to_have_count(5)
    page.locator(".columns h3 a").first.click()
    expect(page.get_by_role("heading", name="indegree", level=1)).to_be_visible()


def test_degrees_lead_to_the_pages_that_have_them(look: Look) -> None:
    page = look("structure")
    page.wait_for_selector(".plot circle")
    page.locator(".plot").first.get_by_text("The numbers").click()
    row = page.locator(".plot").first.locator("tbody tr").last
    assert row.locator("td").first.inner_text() == "1"
    row.locator("a").click()
    expect(page.get_by_role("heading", name="indegree", level=1)).to_be_visible()
    page.wait_for_selector("td a")


def test_long_work_tells_how_far_it_is_and_can_be_cancelled(look: Look) -> None:
    page = look("topics")
    settle(page)
    job = {
        "job": "j1",
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
    page.get_by_label("Words to look for").fill("leopard")
    page.keyboard.press("Enter")
    working = page.locator(".working").first
    expect(working).to_contain_text("hits 12 of 48")
    working.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert").first).to_contain_text("This was cancelled.")
    page.wait_for_timeout(200)
    assert set(cancelled) == {"DELETE"}, "and whatever else on the screen waits for the same job"
    page.get_by_role("alert").first.get_by_role("button", name="Try again").click()
    expect(working).to_contain_text("hits 12 of 48")


def test_communities_that_take_long_leave_something_to_look_at(look: Look) -> None:
    job: dict[str, object] = {"job": "j2", "state": "running", "steps": [], "problem": None}
    page = look("")
    page.route("**/api/communities/**", lambda route: route.fulfill(status=202, json=job))
    page.route("**/api/jobs/j2*", lambda route: route.fulfill(json=job))
    page.get_by_role("link", name="Communities", exact=True).click()
    expect(page.locator(".working")).to_be_visible()
    expect(page.locator(".meanwhile tbody tr").first).to_be_visible()


def test_an_error_is_a_sentence_and_a_cure(look: Look) -> None:
    page = look("page?url=http://jaguarmagazin.example/", fails=True)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("jaguarmagazin.example")
    assert len(alert.locator("p").all()) == 2
    expect(alert.get_by_role("button", name="Try again")).to_be_visible()


def test_words_that_nobody_wrote_find_nothing_and_say_so(look: Look) -> None:
    page = look("topics?query=zzyzx")
    expect(page.locator(".empty")).to_be_visible()
    page = look("search?query=zzyzx")
    expect(page.locator(".empty")).to_contain_text("No page has these words")
