"""What a reader does with the whole graph: its structure, its communities, pages near a page."""

import re
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from tests.show.page.screen import Look, Watch, number, settle

MAGAZINE = f"page?url={quote('http://jaguarmagazine.example/', safe='')}"

AREAS = """() => {
    const around = (shape) => {
        const at = (k) => shape.getPointAtLength((k % 2000) / 2000 * shape.getTotalLength());
        const dots = Array.from({length: 2001}, (_, k) => at(k));
        const twice = dots.slice(1).reduce(
            (sum, dot, k) => sum + dots[k].x * dot.y - dot.x * dots[k].y, 0);
        return Math.abs(twice) / 2;
    };
    const regions = [...document.querySelectorAll('.bowtie a.region')];
    return Object.fromEntries(regions.map((link) => {
        const pages = Number(/[\\d,]+/.exec(link.ariaLabel)[0].replace(',', ''));
        return [link.ariaLabel, around(link.querySelector('circle, path')) / pages];
    }));
}"""


def test_from_the_bow_tie_to_a_region_to_a_page(look: Look) -> None:
    page = look("structure")
    region = page.locator(".bowtie a.region", has_text="In")
    told = region.get_attribute("aria-label") or ""
    region.click()
    pages = page.locator("#region")
    expect(pages.get_by_role("heading")).to_have_text(f"In: {number(told)} pages")
    expect(pages.locator("tbody tr")).to_have_count(min(20, number(told)))
    assert parse_qs(urlsplit(page.url).query) == {"region": ["in"]}
    page.reload()
    expect(pages.locator("tbody tr")).to_have_count(min(20, number(told)))
    pages.get_by_role("link", name="Later").click()
    expect(pages.locator("tbody tr")).to_have_count(number(told) - 20)
    pages.locator("tbody a").first.click()
    place = page.locator("#place")
    expect(place.locator(".title").first).to_have_text("In")
    assert place.locator(".way li").count() >= 2


def test_areas_of_the_bow_tie_are_to_scale(look: Look) -> None:
    page = look("structure")
    page.wait_for_selector(".bowtie a.region")
    area: dict[str, float] = page.evaluate(AREAS)
    assert len(area) == 3
    assert max(area.values()) == pytest.approx(min(area.values()), rel=0.03)


def test_a_law_is_shown_with_its_doubt(look: Look) -> None:
    page = look("structure")
    law = page.locator("#degrees figure").first
    expect(law.locator(".told")).to_have_text(re.compile(r"^Exponent \d\.\d+ ± .*p [<=] 0\.\d+$"))
    expect(law).to_contain_text("A power law is ruled out")
    assert law.locator("polyline.fit").count() == 4
    law.get_by_text("Other laws beside it").click()
    expect(law.get_by_role("row", name="log-normal")).to_be_visible()


def test_distances_say_how_they_were_measured(look: Look) -> None:
    page = look("structure")
    distances = page.locator("#distances figure").first
    expect(distances.locator(".told")).to_contain_text("exact")
    expect(distances.locator("rect").first).to_be_visible()
    expect(distances.locator(".measures")).to_contain_text("Effective diameter")
    orphans = page.locator("#lost > div").first
    expect(orphans.locator(".links > li")).to_have_count(10)
    expect(orphans.locator(".links > li").first).to_contain_text("nothing links to it")


def test_the_structure_can_be_kept(look: Look, tmp_path: Path) -> None:
    page = look("structure?region=out&level=host")
    settle(page)
    for where, name, begins in [
        ("#bow-tie > .tools", "CSV", '"region","pages"'),
        ("#region", "CSV", '"page","inlinks","outlinks"'),
        ("#distances", "CSV", '"distance","pairs","share"'),
    ]:
        with page.expect_download() as download:
            page.locator(where).get_by_role("link", name=name).first.click()
        download.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(begins)
    with page.expect_download() as download:
        page.locator("#bow-tie > .tools").get_by_role("link", name="SVG").click()
    download.value.save_as(tmp_path / "tie.svg")
    assert ET.parse(tmp_path / "tie.svg").getroot().tag.endswith("svg")


def test_another_level_has_another_shape(look: Look) -> None:
    page = look("structure")
    settle(page)
    pages = page.locator(".regions tbody tr").first.inner_text()
    page.get_by_role("link", name="Hosts", exact=True).click()
    expect(page.locator(".regions thead")).to_contain_text("hosts")
    settle(page)
    assert page.locator(".regions tbody tr").first.inner_text() != pages
    assert "level=host" in page.url


def test_from_the_communities_to_a_member(look: Look) -> None:
    page = look("communities")
    chosen = page.locator("nav.topics li").nth(1)
    label = chosen.locator(".label").inner_text()
    size = number(chosen.locator(".facts").first.inner_text())
    chosen.locator("a").click()
    heading = page.locator(".topic > h2")
    expect(heading).to_contain_text(label)
    settle(page)
    assert parse_qs(urlsplit(page.url).query) == {"community": ["2"]}
    expect(page.locator("#members .pager")).to_contain_text(f"20 of {size} pages")
    page.locator("#members").get_by_role("link", name="Later").click()
    expect(page.locator("#members .pager")).to_contain_text("40 of")
    member = page.locator("#members tbody a").first
    name = member.inner_text()
    member.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator("#community .title").first).to_have_text(label)
    page.locator("#community .title").first.click()
    expect(page.locator(".topic > h2")).to_contain_text(label)


def test_in_a_large_collection_a_community_is_found_when_somebody_asks(look: Look) -> None:
    page = look("")

    def large(route: Route) -> None:
        told = route.fetch().json()
        told["counts"]["links"] = 9_000_000
        route.fulfill(json=told)

    def unknown(route: Route) -> None:
        route.fulfill(json={"snapshot": 1, "known": False, "rows": []})

    page.route("**/api/collection/brief", large)
    page.route("**/api/communities/*/of?*kept=true*", unknown)
    page.goto(f"{page.url}{MAGAZINE}")
    offer = page.locator("#community")
    expect(offer).to_contain_text("all 9,000,000 links are looked at")
    offer.get_by_role("button", name="Find its community").click()
    expect(page.locator("#community .title").first).to_be_visible()


def test_communities_as_a_matrix_and_on_a_map(look: Look) -> None:
    page = look("communities?view=matrix")
    page.wait_for_selector(".links-heat td a")
    cells = page.locator(".links-heat tbody td")
    rows = page.locator(".links-heat tbody tr").count()
    assert cells.count() == rows * rows > 4
    inside = page.get_by_role("link", name="from community 2 to itself")
    links = number(inside.inner_text())
    counted = page.get_by_role("link", name="from community 2 to 3")
    across = number(counted.inner_text())
    counted.click()
    behind = page.locator("#cell")
    expect(behind.get_by_role("heading")).to_contain_text(f"{across} links from 2")
    expect(behind.locator("tbody tr")).to_have_count(min(20, across))
    assert parse_qs(urlsplit(page.url).query)["with"] == ["3"]
    behind.get_by_role("heading").get_by_role("link").first.click()
    expect(page.locator(".topic .facts").first).to_contain_text(f"{links:,} links inside")
    page.get_by_role("link", name="Map", exact=True).last.click()
    page.wait_for_selector(".stage canvas")
    expect(page.locator("figcaption")).to_contain_text("All communities")
    page.get_by_role("link", name="Community 2 alone").click()
    expect(page.get_by_role("heading", name="Community 2 on the map")).to_be_visible()
    page.get_by_role("link", name="Table", exact=True).click()
    assert page.locator(".drawing tbody tr").count() > 10


def test_plots_can_be_kept_as_dots(look: Look, tmp_path: Path) -> None:
    """Each plot as PNG, made in the browser from the SVG of the server or of the page."""
    page = look("structure")
    settle(page)
    for where, name in [
        ("#bow-tie > .tools", "bow-tie.png"),
        ("#degrees", "in-degrees.png"),
        ("#distances figure:first-child", "distances.png"),
        ("#distances figure:last-child", "depth.png"),
        ("#parts", "components.png"),
    ]:
        button = page.locator(where).get_by_role("button", name="PNG").first
        assert keep(page, button, tmp_path / name) == (name, 1280)
    page = look("communities?view=matrix")
    settle(page)
    button = page.get_by_role("button", name="PNG")
    name, wide = keep(page, button, tmp_path / "matrix.png")
    assert name == "matrix.png"
    assert wide > 600


def keep(page: Page, button: Locator, into: Path) -> tuple[str, int]:
    """Keep a PNG: its name, and how wide it is."""
    with page.expect_download() as download:
        button.click()
    download.value.save_as(into)
    head = into.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return download.value.suggested_filename, int.from_bytes(head[16:20], "big")


def test_another_method_beside_it(look: Look) -> None:
    page = look("communities")
    page.locator("details.story > summary").click()
    page.get_by_label("Agreement with").select_option("hits")
    facts = page.locator(".agreement")
    expect(facts).to_contain_text(re.compile(r"NMI.*0\.\d{3}.*ARI.*0\.\d{3}", re.DOTALL))
    assert parse_qs(urlsplit(page.url).query) == {"beside": ["hits"]}


def test_after_ten_colours_numbers_are_framed(look: Look) -> None:
    page = look("communities?resolution=3")
    settle(page)
    badges = page.locator("nav.topics .badge")
    assert badges.count() > 10
    styles = [badges.nth(k).evaluate("one => getComputedStyle(one).boxShadow") for k in (0, 10)]
    assert styles[0] == "none" != styles[1]


def test_another_method_around_a_word(look: Look) -> None:
    page = look("communities")
    settle(page)
    page.get_by_label("Pages around").fill("jaguar")
    page.get_by_role("button", name="Find", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("pages around jaguar")
    page.locator("details.base > summary").click()
    page.get_by_label("Method", exact=True).select_option("trawling")
    fans = page.get_by_label("Fans")
    expect(fans).to_have_value("3")
    expect(page.locator(".proofs")).to_contain_text("Cores: ")
    before = page.locator(".proofs").inner_text()
    fans.fill("5")
    fans.press("Tab")
    page.wait_for_url("**fans=5**")
    expect(page.locator(".proofs")).not_to_have_text(before)
    asked = parse_qs(urlsplit(page.url).query)
    assert asked == {"query": ["jaguar"], "method": ["trawling"], "fans": ["5"]}


def test_a_method_that_needs_pages_says_so(look: Look) -> None:
    page = look("communities?method=flow")
    expect(page.locator(".empty")).to_contain_text("write their addresses under Seeds")
    page.get_by_label("Seeds").fill(
        "http://jaguarmagazine.example/\nhttp://www.jaguarcars.example/"
    )
    page.get_by_label("Seeds").press("Tab")
    expect(page.locator(".proofs")).to_contain_text("Seeds: 2")


def test_similar_pages_name_their_witnesses(look: Look) -> None:
    page = look(MAGAZINE)
    similar = page.locator("#similar")
    first = similar.locator(".entries > li").first
    expect(first.locator(".title").first).to_have_text("Jaguar Cars")
    first.locator("summary").click()
    assert first.locator(".speaks li").count() >= 5
    expect(first.locator(".speaks q").first).to_be_visible()
    similar.get_by_role("link", name="Same words").click()
    expect(similar.locator(".entries")).to_contain_text("both say")
    assert "similar=text" in page.url


def test_missing_links_have_a_reason_and_words_to_copy(look: Look) -> None:
    page = look(MAGAZINE)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sides = page.locator("#suggest .missing")
    expect(sides).to_have_count(2)
    for side in range(2):
        row = sides.nth(side).locator("> li").first
        assert "link" in row.locator("summary").inner_text()
        row.locator("summary").click()
        assert row.locator(".speaks li").count() > 0
        words = row.locator(".proposed q").inner_text().strip("“”")
        row.get_by_role("button").click()
        expect(row.get_by_role("status")).to_have_text("Copied")
        copied: str = page.evaluate("navigator.clipboard.readText()")
        assert copied.endswith(f">{words}</a>")
        target = "http://jaguarmagazine.example/"
        assert (f'href="{target}"' in copied) == (side == 1)
    page.get_by_label("by", exact=True).select_option("katz")
    expect(page.locator("#suggest > p").first).to_contain_text("longer ones counting less")


def test_two_sites_are_compared(look: Look) -> None:
    page = look("sites")
    expect(page.locator(".empty")).to_contain_text("Name two hosts")
    page.get_by_label("Mine").fill("jaguarmagazine.example")
    page.get_by_label("Theirs").fill("www.basel-jaguar-club.example")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("tbody tr").first).to_contain_text("Jaguar Magazine")
    page.get_by_role("link", name="Terms").click()
    expect(page.locator("thead")).to_contain_text("term of theirs")
    page.get_by_role("link", name="The other way round").click()
    expect(page.get_by_label("Mine")).to_have_value("www.basel-jaguar-club.example")


def test_sites_are_asked_for_keywords_and_what_is_known(look: Look) -> None:
    page = look("sites?mine=www.basel-jaguar-club.example&theirs=jaguarmagazine.example&show=terms")
    known = page.locator("tbody tr").first.locator("a").first.inner_text()
    page.get_by_text("What is expected and looked for").click()
    page.get_by_label("Expected anyway").fill(known)
    page.get_by_label("Expected anyway").press("Tab")
    expect(page.locator("tbody tr").first.locator("a").first).not_to_have_text(known)
    page.get_by_label("Keywords").fill("jaguar")
    page.get_by_label("Keywords").press("Tab")
    page.get_by_role("link", name="Keywords", exact=True).click()
    expect(page.locator("tbody tr").first).to_contain_text("jaguar")
    page.get_by_label("Least likeness").fill("0.9")
    page.get_by_label("Least likeness").press("Tab")
    page.wait_for_url("**threshold=0.9**")
    asked = parse_qs(urlsplit(page.url).query)
    assert (asked["known"], asked["keywords"], asked["threshold"]) == ([known], ["jaguar"], ["0.9"])


def test_no_core_is_said(browser: Browser, hostile_address: str) -> None:
    """No page of these is linked back."""
    watching = Watch(browser, hostile_address)
    page = watching("structure")
    expect(page.locator(".no-core")).to_contain_text("No core, no bow-tie.")
    expect(page.locator("#region tbody tr")).to_have_count(9)
    assert page.locator(".bowtie").count() == 0
    settle(page)
    watching.end()
