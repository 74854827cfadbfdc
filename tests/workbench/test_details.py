"""Details of screens: counts, labels, ties, options, method cards."""

import re

import pytest
from playwright.sync_api import Route, expect
from tests.workbench.screens import OpenScreen, first_number, wait_until_loaded


@pytest.mark.slow
def test_all_pages_of_a_topic_are_listed(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    fact = page.locator(".topic > .facts a").first
    pages = first_number(fact.inner_text())
    fact.click()
    listed: list[str] = []
    while True:
        page.wait_for_selector("#members tbody tr")
        wait_until_loaded(page)
        listed += page.locator("#members tbody .title").evaluate_all("all => all.map(a => a.title)")
        next_rows = page.locator("#members").get_by_role("link", name="Next")
        if not next_rows.count():
            break
        next_rows.click()
    assert len(set(listed)) == len(listed) == pages > 50
    page.get_by_role("link", name="By hub").click()
    wait_until_loaded(page)
    best = page.locator("#members tbody .title").first.inner_text()
    with page.expect_download() as download:
        page.locator("#members").get_by_role("link", name="CSV").click()
    assert download.value.path().read_text().count("\n") == pages + 1
    page.get_by_role("link", name="Best authorities and hubs").click()
    assert page.locator(".roles > div").last.locator(".title").first.inner_text() == best


@pytest.mark.slow
def test_all_sites_of_a_topic_are_counted(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    page.wait_for_selector(".topic > .facts a")
    pages, sites = page.locator(".topic > .facts a").all()[:2]
    page_count, site_count = first_number(pages.inner_text()), first_number(sites.inner_text())
    sites.click()
    page.wait_for_selector("#members tbody tr")
    expect(page.locator("#members")).to_contain_text(f"{page_count} pages on {site_count} sites")


@pytest.mark.slow
def test_key_figures_link_to_what_they_count(open_screen: OpenScreen) -> None:
    page = open_screen()
    page.wait_for_selector(".numbers a")
    captured, _, _, uncaptured = page.locator(".numbers a").all()
    assert captured.get_attribute("href") == "/hosts"
    total = first_number(uncaptured.inner_text())
    uncaptured.click()
    page.wait_for_selector(".hosts tbody tr")
    cells = page.locator(".hosts tbody td:nth-child(3)").all_inner_texts()
    sizes = [first_number(text) for text in cells]
    assert sizes == sorted(sizes, reverse=True)
    assert 0 < sum(sizes) <= total
    page.get_by_role("link", name="By pages", exact=True).click()
    wait_until_loaded(page)
    pages = page.locator(".hosts tbody td:nth-child(2)").all_inner_texts()
    assert [first_number(text) for text in pages] == sorted(map(first_number, pages), reverse=True)


def test_pages_of_a_graph_without_text_are_listed(open_screen: OpenScreen) -> None:
    page = open_screen("")

    def listed(route: Route) -> None:
        summary = route.fetch().json()
        counts = summary["counts"]
        counts |= {"listed": counts["captured"], "captured": 0}
        route.fulfill(json=summary)

    page.route("**/api/collection/summary", listed)
    page.reload()
    expect(page.locator(".numbers a").first).to_contain_text("pages listed")


@pytest.mark.slow
def test_a_linking_page_is_listed_once(open_screen: OpenScreen) -> None:
    page = open_screen("page?url=http://jaguarmagazine.example/")
    wait_until_loaded(page)
    linking = first_number(page.locator("#in .tools .soft").inner_text())
    names = page.locator("#in .links .title").evaluate_all("all => all.map(a => a.title)")
    assert len(set(names)) == len(names) == min(10, linking)
    expect(page.locator("#in .pager")).to_contain_text(f"of {linking} pages")


@pytest.mark.slow
def test_scores_fit_a_narrow_screen(open_screen: OpenScreen) -> None:
    page = open_screen("page?url=http://jaguarmagazine.example/", width=400)
    wait_until_loaded(page)
    assert page.locator(".why .wide").evaluate("box => box.scrollWidth <= box.clientWidth")


@pytest.mark.slow
def test_ties_share_a_place_in_every_list(open_screen: OpenScreen) -> None:
    page = open_screen("rankings")
    page.wait_for_selector(".matrix td a")
    wait_until_loaded(page)
    places = page.locator(".columns > div").first.locator(".place").all_inner_texts()
    assert [int(place) for place in places] == sorted(map(int, places))
    listed = dict(zip(page.locator(".columns .title").all_inner_texts(), places, strict=False))
    page.locator(".columns h3 a").first.click()
    page.wait_for_selector("td a")
    wait_until_loaded(page)
    rows = page.locator("tbody tr").all()[:10]
    for row in rows:
        assert listed[row.locator(".title").inner_text()] == row.locator("td").first.inner_text()


def test_an_empty_result_says_what_to_try(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=zzyzx")
    empty = page.locator(".empty")
    expect(empty).to_contain_text("No page matches zzyzx. Try fewer or other words.")
    expect(empty).to_contain_text("The pages are in English")
    assert "root set" not in empty.inner_text()


@pytest.mark.slow
def test_an_unknown_topic_is_reported(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar&topic=99")
    expect(page.locator(".topic .run-changes")).to_have_text(
        "There is no topic 99: there are 6. This is topic 1."
    )


@pytest.mark.slow
def test_an_invalid_option_is_reported_at_its_field(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    wait_until_loaded(page)
    page.locator("details.base > summary").click()
    root = page.get_by_label("Root pages")
    root.fill("-5")
    root.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("The old value is still used.")
    expect(root).to_have_value("-5")
    expect(root).to_have_attribute("aria-invalid", "true")
    assert "root_size=" not in page.url
    root.fill("50")
    root.press("Tab")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert "root_size=50" in page.url


@pytest.mark.slow
def test_an_option_returns_to_its_default(open_screen: OpenScreen) -> None:
    """Dates are checked at their field; an emptied field is left out of the URL."""
    page = open_screen("communities?query=jaguar&per_domain=2&roots=first")
    wait_until_loaded(page)
    since = page.get_by_label("Since")
    since.fill("May")
    since.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("The old value is still used.")
    since.fill("2004-05")
    since.press("Tab")
    changed = page.locator(".field.set")
    expect(changed).to_have_count(3)
    assert "since=2004-05" in page.url
    page.get_by_label("Roots").select_option("default")
    for left, label in ((2, "Links per domain"), (1, "Since")):
        expect(changed).to_have_count(left)
        page.get_by_label(label).fill("")
        page.get_by_label(label).press("Tab")
    expect(page.get_by_role("link", name="Reset to the defaults")).to_have_count(0)
    assert page.url.endswith("/communities?query=jaguar")
    wait_until_loaded(page)


@pytest.mark.slow
def test_a_card_formats_formulas_and_code(open_screen: OpenScreen) -> None:
    page = open_screen("method?kind=rank&name=hits")
    expect(page.locator(".reading pre")).to_have_text(re.compile(r"^authority\(v\) = sum"))
    expect(page.locator(".reading p code").first).to_have_text("certainty")
    assert "`" not in page.locator(".reading").inner_text()


@pytest.mark.slow
def test_a_card_lists_differences_from_the_paper(open_screen: OpenScreen) -> None:
    page = open_screen("method?kind=topics&name=atd")
    expect(page.get_by_role("heading", name="Differences from the paper")).to_be_visible()
    expect(page.get_by_text("mirrors: links")).to_be_visible()


@pytest.mark.slow
def test_a_card_links_to_its_dimensions(open_screen: OpenScreen) -> None:
    page = open_screen("method?kind=rank&name=hits")
    facts = page.locator(".dimensions > div")
    expect(facts).to_have_count(6)
    expect(facts.nth(4)).to_have_text("Datalinks")
    expect(facts.last).to_have_text("Applicationweb search, topic distillation")
    page.get_by_role("link", name="Application", exact=True).click()
    expect(page.get_by_role("heading", name="Link prediction", level=2)).to_be_visible()
    choice = page.get_by_role("navigation", name="Group methods by")
    expect(choice.locator("[aria-current]")).to_have_text("Application")
    choice.get_by_role("link", name="Kind").click()
    expect(page.get_by_role("heading", name="Suggested links", level=2)).to_be_visible()


@pytest.mark.slow
def test_a_suggested_name_is_a_link(open_screen: OpenScreen) -> None:
    page = open_screen("page?url=http://jaguarmagazin.example/", fails=True)
    page.get_by_role("alert").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Jaguar Magazine", level=1)).to_be_visible()


@pytest.mark.slow
def test_micro_hubs_are_shown_as_text(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar&method=dom-hits")
    wait_until_loaded(page)
    block = page.locator(".entries .block").first
    links = first_number(block.locator("summary").inner_text())
    block.locator("summary").click()
    assert 0 < block.locator("li a").count() <= links
    href = block.locator("li a").first.get_attribute("href")
    assert href is not None
    assert href.startswith("/page?url=")


@pytest.mark.slow
def test_a_map_names_the_page_and_numbers_the_topics(open_screen: OpenScreen) -> None:
    page = open_screen("map?around=http%3A%2F%2Fjaguarmagazine.example%2F")
    expect(page.get_by_role("heading", name="Jaguar Magazine", level=1)).to_be_visible()
    page = open_screen("map?query=jaguar&topic=0")
    page.wait_for_selector(".legend li")
    keys = page.locator(".legend li:has(b)").all_inner_texts()
    assert [first_number(text) for text in keys[:4]] == [1, 2, 3, 4]
    expect(page.locator("figcaption p").first).to_have_text(re.compile(r"^.+: \d+ pages .+\.$"))
    expect(page.locator("figcaption bdi")).not_to_contain_text("among them")


@pytest.mark.slow
def test_rankings_follow_the_base_set(open_screen: OpenScreen) -> None:
    """The fields of the base set change the rankings, and links to pages keep them."""
    page = open_screen("rankings?query=jaguar&method=hits&method=indegree&root_size=5")
    wait_until_loaded(page)
    before = page.locator("section p.soft", has_text="Places of a page").inner_text()
    steps = page.get_by_label("Steps")
    expect(steps).to_have_value("1")
    steps.fill("2")
    steps.press("Enter")
    page.wait_for_url("**steps=2**")
    wait_until_loaded(page)
    assert "root_size=5" in page.url
    after = page.locator("section p.soft", has_text="Places of a page").inner_text()
    sizes = [int(re.findall(r"of ([\d,]+);", text)[0].replace(",", "")) for text in (before, after)]
    assert sizes[0] < sizes[1]
    page.locator(".columns h3 a", has_text="hits").click()
    page.wait_for_url("**/ranking?**steps=2**")
    wait_until_loaded(page)
    expect(page.locator(".tools span").first).to_contain_text(f"{sizes[1]:,} pages")
    page.locator("tbody th a.title").first.click()
    page.wait_for_url("**/page?**")
    wait_until_loaded(page)
    expect(page.locator(".why tbody td.number").nth(1)).to_contain_text(f"of {sizes[1]:,}")
