"""Every number opens what it counts, and what is shown can be read and told apart."""

import re

import pytest
from playwright.sync_api import Route, expect
from tests.show.page.screen import Look, number, settle

FITS = "box => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight"


def test_the_pages_of_a_topic_are_all_there(look: Look) -> None:
    page = look("topics?query=jaguar")
    fact = page.locator(".topic > .facts a").first
    pages = number(fact.inner_text())
    fact.click()
    listed: list[str] = []
    while True:
        page.wait_for_selector("#members tbody tr")
        settle(page)
        listed += page.locator("#members tbody .title").evaluate_all("all => all.map(a => a.title)")
        later = page.locator("#members").get_by_role("link", name="Later")
        if not later.count():
            break
        later.click()
    assert len(set(listed)) == len(listed) == pages > 50
    page.get_by_role("link", name="By hub").click()
    settle(page)
    best = page.locator("#members tbody .title").first.inner_text()
    with page.expect_download() as download:
        page.locator("#members").get_by_role("link", name="CSV").click()
    assert download.value.path().read_text().count("\n") == pages + 1
    page.get_by_role("link", name="Best authorities and hubs").click()
    assert page.locator(".roles > div").last.locator(".title").first.inner_text() == best


def test_the_sites_of_a_topic_have_all_its_pages(look: Look) -> None:
    page = look("topics?query=jaguar")
    page.wait_for_selector(".topic > .facts a")
    pages, sites = page.locator(".topic > .facts a").all()[:2]
    every, owners = number(pages.inner_text()), number(sites.inner_text())
    sites.click()
    page.wait_for_selector("#members tbody tr")
    expect(page.locator("#members")).to_contain_text(f"{owners} sites have its {every} pages")


def test_home_leads_to_what_it_counts(look: Look) -> None:
    page = look()
    page.wait_for_selector(".numbers a")
    fetched, _, _, seen = page.locator(".numbers a").all()
    assert fetched.get_attribute("href") == "/hosts"
    every = number(seen.inner_text())
    seen.click()
    page.wait_for_selector(".hosts tbody tr")
    cells = page.locator(".hosts tbody td:nth-child(3)").all_inner_texts()
    sizes = [number(words) for words in cells]
    assert sizes == sorted(sizes, reverse=True)
    assert 0 < sum(sizes) <= every
    page.get_by_role("link", name="By pages", exact=True).click()
    settle(page)
    pages = page.locator(".hosts tbody td:nth-child(2)").all_inner_texts()
    assert [number(words) for words in pages] == sorted(map(number, pages), reverse=True)


def test_pages_of_a_graph_without_text_are_listed(look: Look) -> None:
    page = look("")

    def listed(route: Route) -> None:
        told = route.fetch().json()
        told["counts"] |= {"listed": told["counts"]["fetched"], "fetched": 0}
        route.fulfill(json=told)

    page.route("**/api/collection/brief", listed)
    page.reload()
    expect(page.locator(".numbers a").first).to_contain_text("pages listed")


def test_a_page_that_links_is_named_once(look: Look) -> None:
    page = look("page?url=http://jaguarmagazine.example/")
    settle(page)
    linking = number(page.locator("#in .tools .soft").inner_text())
    names = page.locator("#in .links .title").evaluate_all("all => all.map(a => a.title)")
    assert len(set(names)) == len(names) == min(10, linking)
    expect(page.locator("#in .pager")).to_contain_text(f"of {linking} pages")


@pytest.mark.parametrize("width", [400, 1280])
def test_a_treemap_cuts_no_label(look: Look, width: int) -> None:
    page = look("topics?query=jaguar&view=treemap", width=width)
    page.wait_for_selector(".treemap a")
    settle(page)
    areas = page.locator(".treemap a")
    assert all(areas.evaluate_all(f"all => all.map({FITS})"))
    told = areas.evaluate_all("all => all.map(a => a.textContent)")
    assert sorted(number(words) for words in told) == list(range(1, len(told) + 1))
    room = page.locator(".treemap").bounding_box()
    assert room is not None
    assert room["width"] > 0.9 * width - 40


def test_scores_fit_a_narrow_screen(look: Look) -> None:
    page = look("page?url=http://jaguarmagazine.example/", width=400)
    settle(page)
    assert page.locator(".why .wide").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_equal_scores_share_a_place_in_every_list(look: Look) -> None:
    page = look("rankings")
    page.wait_for_selector(".heat td a")
    settle(page)
    places = page.locator(".columns > div").first.locator(".place").all_inner_texts()
    assert [int(at) for at in places] == sorted(map(int, places))
    listed = dict(zip(page.locator(".columns .title").all_inner_texts(), places, strict=False))
    page.locator(".columns h3 a").first.click()
    page.wait_for_selector("td a")
    settle(page)
    rows = page.locator("tbody tr").all()[:10]
    for row in rows:
        assert listed[row.locator(".title").inner_text()] == row.locator("td").first.inner_text()


def test_nothing_found_says_what_can_help(look: Look) -> None:
    page = look("topics?query=zzyzx")
    empty = page.locator(".empty")
    expect(empty).to_contain_text("No page is found by zzyzx. Try fewer or other words.")
    expect(empty).to_contain_text("The pages are in en")
    assert "root set" not in empty.inner_text()


def test_a_topic_that_is_not_there_is_told(look: Look) -> None:
    page = look("topics?query=jaguar&topic=99")
    expect(page.locator(".topic .changes")).to_have_text(
        "There is no topic 99: there are 4. This is topic 1."
    )


def test_a_wrong_option_is_told_beside_its_field(look: Look) -> None:
    page = look("topics?query=jaguar")
    settle(page)
    page.locator("details.base > summary").click()
    root = page.get_by_label("Root pages")
    root.fill("-5")
    root.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("It was not run again.")
    expect(root).to_have_value("-5")
    expect(root).to_have_attribute("aria-invalid", "true")
    assert "root=" not in page.url
    root.fill("50")
    root.press("Tab")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert "root=50" in page.url


def test_a_card_tells_words_from_formulas(look: Look) -> None:
    page = look("method?kind=rank&name=hits")
    expect(page.locator(".reading pre")).to_have_text(re.compile(r"^authority\(v\) = sum"))
    expect(page.locator(".reading p code").first).to_have_text("certainty")
    assert "`" not in page.locator(".reading").inner_text()


def test_a_card_says_where_it_differs_from_the_paper(look: Look) -> None:
    page = look("method?kind=topics&name=atd")
    expect(page.get_by_role("heading", name="Where it differs from the paper")).to_be_visible()
    expect(page.get_by_text("--mirrors links")).to_be_visible()


def test_a_card_leads_to_methods_of_its_dimensions(look: Look) -> None:
    page = look("method?kind=rank&name=hits")
    facts = page.locator(".dimensions > div")
    expect(facts).to_have_count(6)
    expect(facts.nth(4)).to_have_text("Datalinks")
    expect(facts.last).to_have_text("Applicationweb search, topic distillation")
    page.get_by_role("link", name="Application", exact=True).click()
    expect(page.get_by_role("heading", name="Link prediction", level=2)).to_be_visible()
    choice = page.get_by_role("navigation", name="Group methods by")
    expect(choice.locator("[aria-current]")).to_have_text("Application")
    choice.get_by_role("link", name="Kind").click()
    expect(page.get_by_role("heading", name="Missing links", level=2)).to_be_visible()


def test_a_name_that_was_perhaps_meant_is_a_link(look: Look) -> None:
    page = look("page?url=http://jaguarmagazin.example/", fails=True)
    page.get_by_role("alert").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Jaguar Magazine", level=1)).to_be_visible()


def test_blocks_that_are_hubs_are_shown_as_text(look: Look) -> None:
    page = look("topics?query=jaguar&method=dom-hits")
    settle(page)
    block = page.locator(".entries .block").first
    links = number(block.locator("summary").inner_text())
    block.locator("summary").click()
    assert 0 < block.locator("li a").count() <= links
    assert block.locator("li a").first.get_attribute("href").startswith("/page?url=")  # type: ignore[union-attr]


def test_a_map_names_the_page_and_numbers_the_topics(look: Look) -> None:
    page = look("map?around=http%3A%2F%2Fjaguarmagazine.example%2F")
    expect(page.get_by_role("heading", name="Jaguar Magazine", level=1)).to_be_visible()
    page = look("map?query=jaguar&topic=0")
    page.wait_for_selector(".keys li")
    keys = page.locator(".keys li:has(b)").all_inner_texts()
    assert [number(words) for words in keys[:4]] == [1, 2, 3, 4]
    expect(page.locator("figcaption p").first).to_have_text(re.compile(r"^.+: \d+ pages .+\.$"))
    expect(page.locator("figcaption bdi")).not_to_contain_text("among them")


def test_rankings_follow_the_base_set(look: Look) -> None:
    """The fields of the base set run the rankings again, and lead to pages with it."""
    page = look("rankings?query=jaguar&method=hits&method=indegree&root=5")
    settle(page)
    before = page.locator("section p.soft", has_text="The place of a page").inner_text()
    steps = page.get_by_label("Steps")
    expect(steps).to_have_value("1")
    steps.fill("2")
    steps.press("Enter")
    page.wait_for_url("**steps=2**")
    settle(page)
    assert "root=5" in page.url
    after = page.locator("section p.soft", has_text="The place of a page").inner_text()
    sizes = [int(re.findall(r"of ([\d,]+);", told)[0].replace(",", "")) for told in (before, after)]
    assert sizes[0] < sizes[1]
    page.locator(".columns h3 a", has_text="hits").click()
    page.wait_for_url("**/ranking?**steps=2**")
    settle(page)
    expect(page.locator(".tools span").first).to_contain_text(f"{sizes[1]:,} pages")
    page.locator("tbody th a.title").first.click()
    page.wait_for_url("**/page?**")
    settle(page)
    expect(page.locator(".why tbody td.number").nth(1)).to_contain_text(f"of {sizes[1]:,}")
