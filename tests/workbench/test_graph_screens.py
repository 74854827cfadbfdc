"""Screens about the graph: structure, communities, similar pages, two sites."""

import re
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from tests.workbench.screens import OpenScreen, Screens, first_number, wait_until_loaded

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


@pytest.mark.slow
def test_from_the_bow_tie_to_a_region_to_a_page(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    region = page.locator(".bowtie a.region", has_text="In")
    label = region.get_attribute("aria-label") or ""
    region.click()
    pages = page.locator("#region")
    expect(pages.get_by_role("heading")).to_have_text(f"In: {first_number(label)} pages")
    expect(pages.locator("tbody tr")).to_have_count(min(20, first_number(label)))
    assert parse_qs(urlsplit(page.url).query) == {"region": ["in"]}
    page.reload()
    expect(pages.locator("tbody tr")).to_have_count(min(20, first_number(label)))
    pages.get_by_role("link", name="Next").click()
    expect(pages.locator("tbody tr")).to_have_count(first_number(label) - 20)
    pages.locator("tbody a").first.click()
    place = page.locator("#bow-tie-region")
    expect(place.locator(".title").first).to_have_text("In")
    assert place.locator(".path li").count() >= 2


@pytest.mark.slow
def test_areas_of_the_bow_tie_are_to_scale(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    page.wait_for_selector(".bowtie a.region")
    area: dict[str, float] = page.evaluate(AREAS)
    assert len(area) == 3
    assert max(area.values()) == pytest.approx(min(area.values()), rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_regions_have_the_colour_of_their_row(open_screen: OpenScreen, scheme: str) -> None:
    page = open_screen("structure", scheme=scheme)
    page.wait_for_selector(".bowtie a.region")
    page.wait_for_selector(".regions .dot")
    fill = "node => getComputedStyle(node).fill"
    colours = [
        page.locator(f".bowtie a.region[data-key={region}] > :first-child").evaluate(fill)
        for region in ("core", "in", "out")
    ]
    ground = "node => getComputedStyle(node).backgroundColor"
    assert colours == [dot.evaluate(ground) for dot in page.locator(".regions .dot").all()[:3]]
    assert len(set(colours)) == len(colours)


@pytest.mark.slow
def test_a_power_law_is_shown_with_its_p_value(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    degrees = page.locator("#degrees figure").first
    expect(degrees.locator(".result")).to_have_text(
        re.compile(r"^Exponent \d\.\d+ ± .*p [<=] 0\.\d+$")
    )
    expect(degrees).to_contain_text("A power law is ruled out")
    expect(degrees.locator("svg.plot path.stroke[d*='L']")).to_have_count(4)
    degrees.get_by_text("Alternative distributions").click()
    expect(degrees.get_by_role("row", name="log-normal")).to_be_visible()


@pytest.mark.slow
def test_distances_name_their_algorithm(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    distances = page.locator("#distances figure").first
    expect(distances.locator(".result")).to_contain_text("exact")
    expect(distances.locator("rect").first).to_be_visible()
    expect(distances.locator(".measures")).to_contain_text("Effective diameter")
    orphans = page.locator("#orphans > div").first
    expect(orphans.locator(".links > li")).to_have_count(10)
    expect(orphans.locator(".links > li").first).to_contain_text("no in-links")


@pytest.mark.slow
def test_structure_downloads(open_screen: OpenScreen, tmp_path: Path) -> None:
    page = open_screen("structure?region=out&level=host")
    wait_until_loaded(page)
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


@pytest.mark.slow
def test_structure_of_another_level(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    wait_until_loaded(page)
    pages = page.locator(".regions tbody tr").first.inner_text()
    page.get_by_role("link", name="Hosts", exact=True).click()
    expect(page.locator(".regions thead")).to_contain_text("hosts")
    wait_until_loaded(page)
    assert page.locator(".regions tbody tr").first.inner_text() != pages
    assert "level=host" in page.url


@pytest.mark.slow
def test_from_the_communities_to_a_member(open_screen: OpenScreen) -> None:
    page = open_screen("communities")
    chosen = page.locator("nav.topics li").nth(1)
    label = chosen.locator(".label").inner_text()
    size = first_number(chosen.locator(".facts").first.inner_text())
    chosen.locator("a").click()
    heading = page.locator(".topic > h2")
    expect(heading).to_contain_text(label)
    wait_until_loaded(page)
    assert parse_qs(urlsplit(page.url).query) == {"community": ["2"]}
    expect(page.locator("#members .pager")).to_contain_text(f"20 of {size} pages")
    page.locator("#members").get_by_role("link", name="Next").click()
    expect(page.locator("#members .pager")).to_contain_text("40 of")
    member = page.locator("#members tbody a").first
    name = member.inner_text()
    member.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator("#community .title").first).to_have_text(label)
    page.locator("#community .title").first.click()
    expect(page.locator(".topic > h2")).to_contain_text(label)


@pytest.mark.slow
def test_evidence_among_hosts_is_counted_in_hosts(open_screen: OpenScreen) -> None:
    page = open_screen("communities?level=host")
    wait_until_loaded(page)
    evidence = page.locator(".topic .roles > div").first.locator(".evidence summary").first
    expect(evidence).to_have_text(re.compile(r"^←linked by \d+ hosts?$"))


@pytest.mark.slow
def test_authorities_of_a_community_have_evidence(open_screen: OpenScreen) -> None:
    page = open_screen("communities?query=jaguar&root_size=50")
    wait_until_loaded(page)
    expect(page.get_by_label("Root pages")).to_have_value("50")
    authorities = page.locator(".topic .roles > div").first
    expect(authorities.get_by_role("heading")).to_have_text("Authorities")
    evidence = authorities.locator(".evidence").first
    evidence.locator("summary").click()
    assert evidence.locator("li").count() >= 5
    names = authorities.locator(".entries > li > .named .title").all_inner_texts()
    members = page.locator("#members tbody .title").all_inner_texts()
    assert members[:3] == names[:3]
    page.locator("#members").get_by_role("link", name="By hub").click()
    wait_until_loaded(page)
    hubs = page.locator(".topic .roles > div").last.locator(".entries > li > .named .title")
    members = page.locator("#members tbody .title").all_inner_texts()
    assert members[:3] == hubs.all_inner_texts()[:3]


@pytest.mark.slow
def test_in_a_large_collection_communities_are_computed_on_request(open_screen: OpenScreen) -> None:
    page = open_screen("")

    def large(route: Route) -> None:
        summary = route.fetch().json()
        summary["counts"]["links"] = 9_000_000
        route.fulfill(json=summary)

    def unknown(route: Route) -> None:
        route.fulfill(json={"snapshot": 1, "computed": False, "rows": []})

    page.route("**/api/collection/summary", large)
    page.route("**/api/communities/*/of?*cached_only=true*", unknown)
    page.goto(f"{page.url}{MAGAZINE}")
    offer = page.locator("#community")
    expect(offer).to_contain_text("for all 9,000,000 links")
    offer.get_by_role("button", name="Compute communities").click()
    expect(page.locator("#community .title").first).to_be_visible()


@pytest.mark.slow
def test_communities_as_a_matrix_and_on_a_map(open_screen: OpenScreen) -> None:
    page = open_screen("communities?view=matrix")
    page.wait_for_selector(".link-matrix td a")
    cells = page.locator(".link-matrix tbody td")
    rows = page.locator(".link-matrix tbody tr").count()
    assert cells.count() == rows * rows > 4
    inside = page.get_by_role("link", name="from community 2 to itself")
    links = first_number(inside.inner_text())
    counted = page.get_by_role("link", name="from community 2 to 3")
    across = first_number(counted.inner_text())
    counted.click()
    behind = page.locator("#cell")
    expect(behind.get_by_role("heading")).to_contain_text(f"{across} links from 2")
    expect(behind.locator("tbody tr")).to_have_count(min(20, across))
    assert parse_qs(urlsplit(page.url).query)["with"] == ["3"]
    behind.get_by_role("heading").get_by_role("link").first.click()
    expect(page.locator(".topic .facts").first).to_contain_text(f"{links:,} internal links")
    page.get_by_role("link", name="Map", exact=True).last.click()
    page.wait_for_selector(".stage canvas")
    expect(page.locator("figcaption")).to_contain_text("All communities")
    page.get_by_role("link", name="Only community 2").click()
    expect(page.get_by_role("heading", name="Community 2 on the map")).to_be_visible()
    page.get_by_role("link", name="Table", exact=True).click()
    assert page.locator(".drawing tbody tr").count() > 10


@pytest.mark.slow
def test_plots_as_png(open_screen: OpenScreen, tmp_path: Path) -> None:
    """Each plot as PNG, rendered in the browser from an SVG of the server or the workbench."""
    page = open_screen("structure")
    wait_until_loaded(page)
    for where, name in [
        ("#bow-tie > .tools", "bow-tie.png"),
        ("#degrees", "in-degrees.png"),
        ("#distances figure:first-child", "distances.png"),
        ("#distances figure:last-child", "depth.png"),
        ("#components", "components.png"),
    ]:
        button = page.locator(where).get_by_role("button", name="PNG").first
        assert download_png(page, button, tmp_path / name) == (name, 1280)
    page = open_screen("communities?view=matrix")
    wait_until_loaded(page)
    button = page.get_by_role("button", name="PNG")
    name, wide = download_png(page, button, tmp_path / "matrix.png")
    assert name == "matrix.png"
    assert wide > 600


def download_png(page: Page, button: Locator, path: Path) -> tuple[str, int]:
    """Download a PNG; return its name and width."""
    with page.expect_download() as download:
        button.click()
    download.value.save_as(path)
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return download.value.suggested_filename, int.from_bytes(head[16:20], "big")


@pytest.mark.slow
def test_agreement_with_another_method(open_screen: OpenScreen) -> None:
    page = open_screen("communities")
    page.locator("details.base-summary > summary").click()
    page.get_by_label("Agreement with").select_option("hits")
    facts = page.locator(".agreement")
    expect(facts).to_contain_text(re.compile(r"NMI.*0\.\d{3}.*ARI.*0\.\d{3}", re.DOTALL))
    assert parse_qs(urlsplit(page.url).query) == {"beside": ["hits"]}


@pytest.mark.slow
def test_repeated_colours_are_framed(open_screen: OpenScreen) -> None:
    page = open_screen("communities?resolution=3")
    wait_until_loaded(page)
    badges = page.locator("nav.topics .badge")
    assert badges.count() > 12
    colours, fills = (
        [badges.nth(k).evaluate(f"one => getComputedStyle(one).{name}") for k in (0, 1, 12)]
        for name in ("borderColor", "backgroundColor")
    )
    assert colours[0] == colours[2] != colours[1]
    assert fills[0] != fills[2], "filled, then only framed"


@pytest.mark.slow
def test_another_method_around_a_query(open_screen: OpenScreen) -> None:
    page = open_screen("communities")
    wait_until_loaded(page)
    page.get_by_label("Pages around").fill("jaguar")
    page.get_by_role("button", name="Find", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("pages around jaguar")
    page.locator("details.base > summary").click()
    page.get_by_label("Method", exact=True).select_option("trawling")
    fans = page.get_by_label("Min fans")
    expect(fans).to_have_value("3")
    expect(page.locator(".community-evidence")).to_contain_text("Cores: ")
    wait_until_loaded(page)
    before = page.locator(".community-evidence").inner_text()
    fans.fill("5")
    fans.press("Tab")
    page.wait_for_url("**min_fans=5**")
    expect(page.locator(".community-evidence")).not_to_have_text(before)
    params = parse_qs(urlsplit(page.url).query)
    assert params == {"query": ["jaguar"], "method": ["trawling"], "min_fans": ["5"]}


@pytest.mark.slow
def test_a_method_asks_for_its_seeds(open_screen: OpenScreen) -> None:
    page = open_screen("communities?method=flow")
    expect(page.locator(".empty")).to_contain_text("enter their URLs under Seeds")
    page.get_by_label("Seeds").fill(
        "http://jaguarmagazine.example/\nhttp://www.jaguarcars.example/"
    )
    page.get_by_label("Seeds").press("Tab")
    expect(page.locator(".community-evidence")).to_contain_text("Seeds: 2")


@pytest.mark.slow
def test_bars_of_known_terms_are_what_the_text_says(open_screen: OpenScreen) -> None:
    page = open_screen(MAGAZINE)
    terms = page.locator("#known-for .known-terms li")
    expect(terms.first).to_be_visible()
    for term in terms.all():
        percent = first_number(term.locator(".small").inner_text())
        width = term.locator(".bar > span").evaluate("bar => parseFloat(bar.style.width)")
        assert abs(width - percent) <= 0.5


@pytest.mark.slow
def test_similar_pages_name_their_witnesses(open_screen: OpenScreen) -> None:
    page = open_screen(MAGAZINE)
    similar = page.locator("#similar")
    first = similar.locator(".entries > li").first
    expect(first.locator(".title").first).to_have_text("Jaguar Cars")
    first.locator("summary").click()
    assert first.locator(".evidence li").count() >= 5
    expect(first.locator(".evidence q").first).to_be_visible()
    similar.get_by_role("link", name="Text", exact=True).click()
    expect(similar.locator(".entries")).to_contain_text("shared keywords")
    assert "similar=text" in page.url


@pytest.mark.slow
def test_suggested_links_have_a_reason_and_an_anchor_to_copy(open_screen: OpenScreen) -> None:
    page = open_screen(MAGAZINE)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sides = page.locator("#suggest .suggestions")
    expect(sides).to_have_count(2)
    for side in range(2):
        row = sides.nth(side).locator("> li").first
        assert "link" in row.locator("summary").inner_text()
        row.locator("summary").click()
        assert row.locator(".evidence li").count() > 0
        words = row.locator(".proposed-anchor q").inner_text().strip("“”")
        row.get_by_role("button").click()
        expect(row.get_by_role("status")).to_have_text("Copied")
        copied: str = page.evaluate("navigator.clipboard.readText()")
        assert copied.endswith(f">{words}</a>")
        target = "http://jaguarmagazine.example/"
        assert (f'href="{target}"' in copied) == (side == 1)
    page.get_by_label("by", exact=True).select_option("katz")
    expect(page.locator("#suggest > p").first).to_contain_text("Katz index")


@pytest.mark.slow
def test_two_sites_are_compared(open_screen: OpenScreen) -> None:
    page = open_screen("sites")
    expect(page.locator(".empty")).to_contain_text("Enter two hosts")
    page.get_by_label("Mine").fill("jaguarmagazine.example")
    page.get_by_label("Theirs").fill("www.basel-jaguar-club.example")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("tbody tr").first).to_contain_text("Jaguar Magazine")
    page.get_by_role("link", name="Terms").click()
    expect(page.locator("thead")).to_contain_text("term of theirs")
    page.get_by_role("link", name="Swap sites").click()
    expect(page.get_by_label("Mine")).to_have_value("www.basel-jaguar-club.example")


@pytest.mark.slow
def test_options_of_the_comparison_of_sites(open_screen: OpenScreen) -> None:
    page = open_screen(
        "sites?mine=www.basel-jaguar-club.example&theirs=jaguarmagazine.example&show=terms"
    )
    known = page.locator("tbody tr").first.locator("a").first.inner_text()
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Expected").fill(known)
    page.get_by_label("Expected").press("Tab")
    expect(page.locator("tbody tr").first.locator("a").first).not_to_have_text(known)
    page.get_by_label("Keywords").fill("jaguar")
    page.get_by_label("Keywords").press("Tab")
    page.get_by_role("link", name="Keywords", exact=True).click()
    expect(page.locator("tbody tr").first).to_contain_text("jaguar")
    page.get_by_label("Min. similarity").fill("0.9")
    page.get_by_label("Min. similarity").press("Tab")
    page.wait_for_url("**threshold=0.9**")
    params = parse_qs(urlsplit(page.url).query)
    assert (params["known"], params["keywords"], params["threshold"]) == (
        [known],
        ["jaguar"],
        ["0.9"],
    )


@pytest.mark.slow
def test_without_a_core_there_is_no_bow_tie(browser: Browser, hostile_address: str) -> None:
    """No page of these has a reciprocal link."""
    screens = Screens(browser, hostile_address)
    page = screens("structure")
    expect(page.locator(".no-core")).to_contain_text("No core, no bow-tie.")
    expect(page.locator("#region tbody tr")).to_have_count(9)
    assert page.locator(".bowtie").count() == 0
    wait_until_loaded(page)
    screens.close()
