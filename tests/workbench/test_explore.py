"""Ways to explore a collection: home, topics with their map, facets, maps, captures, themes."""

import re
import shutil
from collections.abc import Iterator
from gzip import compress
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.workbench.conftest import ServeAt
from tests.workbench.screens import OpenScreen, Screens, first_number, wait_until_loaded

from weft.workspace.workspace import Workspace

MAGAZINE = f"page?url={quote('http://jaguarmagazine.example/', safe='')}"
MAX_BUNDLE_BYTES = 400_000
ABOVE_FOLD = (
    "box => { const {top, left, right} = box.getBoundingClientRect(); return [top, left, right] }"
)


def params(page: Page) -> dict[str, list[str]]:
    """The parameters in the address."""
    return parse_qs(urlsplit(page.url).query)


@pytest.fixture
def edited(
    browser: Browser, demo: Workspace, serve_at: ServeAt, tmp_path: Path, built: Path
) -> Iterator[Screens]:
    """Screens of a copy of the small demo web, which tests may change."""
    assert built.exists()
    folder = Path(shutil.copytree(demo.folder, tmp_path / "edited.weft"))
    with serve_at(folder) as address:
        screens = Screens(browser, address)
        yield screens
        screens.close()


@pytest.mark.slow
def test_home_shows_regions_captures_and_queries(open_screen: OpenScreen) -> None:
    page = open_screen()
    regions = page.locator(".region-picture a.region")
    expect(regions.first).to_be_visible()
    assert regions.count() > 4
    name = regions.nth(1).locator("title").text_content() or ""
    queries = page.locator(".examples a")
    expect(queries).to_have_count(5)
    expect(page.locator(".histogram figcaption")).to_be_visible()
    bars = page.locator(".histogram-bars a").all()
    counted = sum(
        first_number((bar.get_attribute("aria-label") or "").split(": ")[1]) for bar in bars
    )
    assert counted == first_number(page.locator(".histogram figcaption").inner_text()) == 1512
    regions.nth(1).click()
    expect(page.locator(".topic > h2")).to_contain_text(name.rsplit(", ", 1)[0])
    page.go_back()
    query = page.locator(".examples a").first.inner_text()
    page.locator(".examples a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(query)
    wait_until_loaded(page)
    assert page.locator("nav.topics ol li").count() > 0, "an example finds topics"


@pytest.mark.slow
def test_list_map_and_evidence_are_side_by_side(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    page.wait_for_selector(".topics-map .stage canvas")
    wait_until_loaded(page)
    parts = [
        page.locator(where).first.evaluate(ABOVE_FOLD)
        for where in ("nav.topics ol", ".topics-map .stage", ".entries")
    ]
    assert all(top < 400 for top, _, _ in parts)
    for (_, _, right), (_, left, _) in pairwise(parts):
        assert right <= left
    first = page.locator(".entries > li").first
    line = first.locator("> .named .title").evaluate(
        "a => parseFloat(getComputedStyle(a).lineHeight)"
    )
    box = first.bounding_box()
    assert box is not None
    assert box["height"] < 3 * line, "two lines"


@pytest.mark.slow
def test_pointing_at_a_hub_highlights_it_on_the_map(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    stage = page.locator(".topics-map .stage")
    page.wait_for_selector(".topics-map .stage canvas")
    hub = page.locator(".roles > div").last.locator(".entries > li").first
    url = (hub.locator("> .named .title").get_attribute("title") or "").strip()
    hub.hover()
    expect(stage).to_have_attribute("data-highlighted", url)
    page.mouse.move(5, 5)
    expect(stage).not_to_have_attribute("data-highlighted", url)


@pytest.mark.slow
def test_topics_are_renamed_merged_and_hidden(edited: Screens) -> None:
    page = edited("topics?query=jaguar")
    wait_until_loaded(page)
    labels = page.locator("nav.topics .label")
    before = labels.all_inner_texts()
    page.locator(".edit-topic > summary").click()
    page.get_by_label("Name", exact=True).fill("Felines")
    page.get_by_role("button", name="Rename").click()
    expect(labels.first).to_have_text("Felines")
    page.reload()
    expect(labels.first).to_have_text("Felines")
    page.locator(".edit-topic > summary").click()
    page.get_by_label("Merge into").select_option("2")
    expect(labels).to_have_count(len(before) - 1)
    page.locator(".edit-topic > summary").click()
    page.get_by_role("button", name="Hide").click()
    expect(labels).to_have_count(len(before) - 2)
    for made, shown in ((3, len(before) - 1), (2, len(before)), (1, len(before))):
        if not page.locator(".edit-topic[open]").count():
            page.locator(".edit-topic > summary").click()
        page.get_by_role("button", name=f"Undo the last of {made} change").click()
        expect(labels).to_have_count(shown)
        wait_until_loaded(page)
    expect(labels).to_have_text(before)


@pytest.mark.slow
def test_regions_stay_below_their_pages_when_the_window_changes(open_screen: OpenScreen) -> None:
    """They are drawn for the size that the picture has now: drawing them again changes nothing."""
    page = open_screen("topics?query=jaguar")
    wait_until_loaded(page)
    page.set_viewport_size({"width": 820, "height": 900})
    page.wait_for_timeout(1000)
    drawn = "document.querySelector('canvas.sigma-regions').toDataURL()"
    after_resize = ""
    while (now := page.evaluate(drawn)) != after_resize:  # until it draws no more
        after_resize = now
        page.wait_for_timeout(1000)
    page.locator(".entries .title").first.hover()
    stage = page.locator(".topics-map .stage")
    expect(stage).to_have_attribute("data-highlighted", re.compile("http"))
    page.mouse.move(1, 1)
    expect(stage).not_to_have_attribute("data-highlighted", re.compile("http"))
    for _ in range(20):  # the next frames draw it
        if page.evaluate(drawn) == after_resize:
            break
        page.wait_for_timeout(500)
    assert page.evaluate(drawn) == after_resize


@pytest.mark.slow
def test_two_methods_side_by_side(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    wait_until_loaded(page)
    page.get_by_label("Compare with").select_option("hits")
    table = page.locator(".method-comparison table")
    expect(table.locator("thead")).to_contain_text("hits")
    assert table.locator("tbody tr").count() >= page.locator("nav.topics ol li").count()
    assert params(page)["compare"] == ["hits"]
    with page.expect_download() as download:
        page.locator(".method-comparison").get_by_role("link", name="CSV").click()
    assert download.value.path().read_text().startswith('"number","other","label"')
    table.locator("td:nth-child(3) a").first.click()
    expect(page.locator("details.base > summary").first).to_contain_text("hits")


@pytest.mark.slow
def test_facets_narrow_a_search_down(open_screen: OpenScreen) -> None:
    page = open_screen("search?query=jaguar")
    wait_until_loaded(page)
    everything = first_number(page.locator(".tools span").first.inner_text())
    german = page.locator(".facet", has_text="language").locator("li", has_text="German")
    count = first_number(german.locator(".facet-count").inner_text())
    german.get_by_role("link").click()
    expect(page.locator(".tools span").first).to_have_text(f"{count} pages")
    assert params(page) == {"query": ["jaguar"], "language": ["de"]}
    expect(page.locator(".hit-facts").first).to_contain_text("German")
    expect(page.locator(".facet", has_text="language").locator("li")).not_to_have_count(1)
    page.reload()
    expect(page.locator(".tools span").first).to_have_text(f"{count} pages")
    bar = page.locator(".histogram-bars a").first
    in_bar = first_number((bar.get_attribute("aria-label") or "").split(": ")[1])
    bar.click()
    page.wait_for_url("**since=**")
    wait_until_loaded(page)
    assert first_number(page.locator(".tools span").first.inner_text()) <= in_bar
    page.get_by_role("link", name="Clear all").or_(
        page.get_by_label("Remove the dates")
    ).first.click()
    page.get_by_label("Remove language de").or_(page.locator(".no-such")).first.click()
    expect(page.locator(".tools span").first).to_have_text(f"{everything} pages")


@pytest.mark.slow
def test_the_next_rows_are_read_from_their_beginning(open_screen: OpenScreen) -> None:
    page = open_screen("search?query=jaguar")
    wait_until_loaded(page)
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".pager")).to_contain_text("40 of")
    page.wait_for_timeout(500)
    assert page.evaluate("scrollY") < 100


@pytest.mark.slow
def test_a_node_of_the_map_is_found_coloured_and_filtered(open_screen: OpenScreen) -> None:
    page = open_screen("map")
    page.wait_for_selector(".stage canvas")
    expect(page.locator("figcaption")).to_contain_text("communities")
    assert page.locator(".legend-toggle").count() > 4, "more than one colour"
    option = page.locator("#node-names option").first.get_attribute("value") or ""
    page.get_by_label("Find").fill(option)
    expect(page.locator(".card")).to_contain_text(option.split(" · ")[0])
    page.get_by_label("Colour", exact=True).select_option("number:inlinks")
    expect(page.locator(".legend-toggle").first).to_have_text(re.compile(r"^0\D\d+ "))
    page.get_by_label("Size", exact=True).select_option("outlinks")
    expect(page.locator(".legend")).to_contain_text("more out-links")
    toggle = page.locator(".legend-toggle").first
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "false")
    assert params(page)["colour"] == ["number:inlinks"]
    page.get_by_label("Regions").select_option("language")
    expect(page.locator("figcaption")).to_contain_text("by language")
    page.get_by_role("link", name="Hosts", exact=True).click()
    expect(page.locator("figcaption")).to_contain_text("hosts")
    slider = page.get_by_label("Links ≥")
    slider.fill("3")
    expect(page.locator("label[for=min-weight]")).to_have_text("Links ≥ 3")


COUNT_READS = """() => {
    window.reads = 0;
    for (const {prototype} of [WebGLRenderingContext, WebGL2RenderingContext]) {
        const read = prototype.readPixels;
        prototype.readPixels = function (...all) {
            window.reads += 1;
            return read.apply(this, all);
        };
    }
}"""
POINTS = [(k / 24, row / 12) for row in range(3, 10) for k in range(1, 24)]


def point_at_a_node(page: Page) -> str:
    """Move over the map until a node is below the pointer; its URL."""
    stage = page.locator(".stage")
    box = stage.bounding_box()
    assert box is not None
    for x, y in POINTS:
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        if url := stage.get_attribute("data-highlighted"):
            return url
    raise AssertionError("no node below the pointer")


@pytest.mark.slow
def test_a_map_knows_its_nodes_without_the_graphics_card(open_screen: OpenScreen) -> None:
    """To read a pixel waits until all is drawn: on a large map longer than a frame."""
    page = open_screen("map")
    page.wait_for_selector(".stage canvas")
    wait_until_loaded(page)
    page.evaluate(COUNT_READS)
    url = point_at_a_node(page)
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(".card .title")).to_have_attribute("title", url)
    assert params(page)["node"] == [url]
    page.get_by_role("button", name="Close").click()
    stage = page.locator(".stage")
    expect(stage).not_to_have_attribute("data-highlighted", url)
    stage.hover(position={"x": 5, "y": 5})
    page.mouse.down()
    page.mouse.move(300, 400, steps=5)
    page.mouse.up()
    page.mouse.wheel(0, -200)
    assert page.evaluate("window.reads") == 0


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_marks_of_the_legend_are_in_sight(open_screen: OpenScreen, width: int) -> None:
    """However many regions are listed above them."""
    page = open_screen("map", width=width)
    page.wait_for_selector(".stage canvas")
    marks = page.locator(".legend .marks li")
    expect(marks.first).to_have_text("larger: more authority")
    for mark in marks.all():
        mark.scroll_into_view_if_needed()
        assert mark.evaluate("""mark => {
            const {left, top, height} = mark.getBoundingClientRect();
            return mark.contains(document.elementFromPoint(left + 30, top + height / 2));
        }""")


@pytest.mark.slow
def test_the_map_of_a_topic_says_which(open_screen: OpenScreen) -> None:
    page = open_screen("map?query=jaguar&topic=2")
    expect(page.get_by_role("heading", level=1)).to_have_text("Map of topic 2 of jaguar")
    page.get_by_role("link", name="All topics").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Map of the topics of jaguar")


@pytest.mark.slow
def test_many_links_between_regions_are_one_line_a_pair(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    page.wait_for_selector(".stage canvas")
    expect(page.locator(".legend")).not_to_contain_text("line: links between regions")
    page = open_screen("map")
    page.wait_for_selector(".stage canvas")
    expect(page.locator(".legend")).to_contain_text("line: links between regions")


@pytest.mark.slow
def test_one_site_is_drawn_by_folder(
    browser: Browser, keep_at: object, serve_at: ServeAt, tmp_path: Path, built: Path
) -> None:
    from weft.gather.page import Link  # noqa: PLC0415
    from weft.gather.page import Page as Captured  # noqa: PLC0415

    assert built.exists()
    assert callable(keep_at)
    urls = [f"http://one.example/{folder}/{k}" for folder in ("a", "b", "c") for k in range(4)]
    workspace = keep_at(
        tmp_path,
        *(Captured(url, text="x", links=tuple(map(Link, urls[:6]))) for url in urls),
    )
    with serve_at(workspace.folder) as address:
        screens = Screens(browser, address)
        page = screens("map")
        expect(page.locator("figcaption")).to_contain_text("by folder")
        expect(page.locator(".legend-toggle")).to_have_count(3)
        screens.close()


@pytest.mark.slow
def test_a_page_has_its_captures_text_and_replay_links(open_screen: OpenScreen) -> None:
    page = open_screen(MAGAZINE)
    wait_until_loaded(page)
    rows = page.locator(".captures tbody tr")
    expect(rows).to_have_count(2)
    live = rows.filter(has_text="used here")
    expect(live).to_have_count(1)
    replay = live.get_by_role("link", name="Replay")
    assert (replay.get_attribute("href") or "").startswith("https://web.archive.org/web/2004")
    page.locator(".replay-settings > summary").click()
    template = page.get_by_label("Address of a capture")
    template.fill("http://localhost:8080/mine/{timestamp}/{url}")
    expect(replay).to_have_attribute(
        "href", re.compile(r"^http://localhost:8080/mine/2004\d{10}/http")
    )
    template.fill("javascript:alert(1)//{url}")
    expect(page.get_by_role("alert")).to_contain_text("begins with http")
    expect(replay).to_have_count(0)
    page.get_by_label("Archive").select_option("ReplayWeb.page")
    expect(replay).to_have_attribute("href", re.compile("url=http%3A%2F%2Fjaguarmagazine"))
    page.locator("#text summary").click()
    expect(page.locator(".stored-text")).to_contain_text("The monthly for owners")


@pytest.mark.slow
def test_the_menu_of_a_page_leads_to_its_sections(open_screen: OpenScreen) -> None:
    page = open_screen(MAGAZINE)
    wait_until_loaded(page)
    menu = page.get_by_role("navigation", name="Sections of the page")
    for name in ("Captures", "Similar pages", "Neighbourhood"):
        menu.get_by_role("link", name=name).click()
        wait_until_loaded(page)  # what loads when it comes into view may move the section
        menu.get_by_role("link", name=name).click()
        expect(menu.locator("[aria-current]")).to_have_text(name)
        expect(menu).to_be_in_viewport()
    expect(page.locator("#neighbourhood")).to_be_in_viewport()


def test_the_colour_scheme_is_chosen_and_kept(open_screen: OpenScreen) -> None:
    page = open_screen("hosts")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    button = page.get_by_role("button", name="Colours")
    button.click()
    expect(button).to_have_accessible_name("Colours: light")
    button.click()
    assert page.evaluate(paper) != light
    page.reload()
    expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    assert page.evaluate(paper) != light
    page.keyboard.press("d")
    assert page.evaluate(paper) == light, "as the system"


@pytest.mark.slow
def test_names_are_completed_while_one_types(open_screen: OpenScreen) -> None:
    page = open_screen()
    box = page.get_by_label("Search words")
    box.press_sequentially("jaguar mag")
    options = page.get_by_role("option")
    expect(options.first).to_contain_text("Jaguar Magazine")
    box.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    box.press("Enter")
    expect(page.get_by_role("heading", name="Jaguar Magazine", level=1)).to_be_visible()
    box = page.get_by_label("Search words")
    box.fill("freespace")
    sites = options.filter(has=page.locator(".completion-kind", has_text="site"))
    sites.first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("site:")
    box.fill("freespa")
    expect(options.first).to_be_visible()
    box.press("Escape")
    expect(options).to_have_count(0)


@pytest.mark.slow
def test_keys_open_help_and_screens(open_screen: OpenScreen) -> None:
    page = open_screen("topics?query=jaguar")
    wait_until_loaded(page)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard")
    expect(dialog).to_contain_text("Search")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("j")
    page.wait_for_url("**topic=2**")
    page.keyboard.press("k")
    page.wait_for_url(re.compile(r"query=jaguar$"))
    page.keyboard.press("/")
    expect(page.get_by_label("Search words")).to_be_focused()
    page.keyboard.press("Tab")
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/structure")


def test_the_bundle_is_small(built: Path) -> None:
    """All scripts, styles and fonts together, compressed."""
    files = [file for file in built.rglob("*") if file.is_file()]
    size = sum(len(compress(file.read_bytes(), 9)) for file in files)
    assert 50_000 < size < MAX_BUNDLE_BYTES
