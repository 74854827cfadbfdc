"""Tags in the workbench: they colour the map, and limit topics, rankings and structure."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.workbench.screens import OpenScreen, Screens, first_number, wait_until_loaded

from weft.demo import DemoWeb, write_warc
from weft.store.tags import Tag, append_tags
from weft.workspace.workspace import Workspace

VALUES = {"in": 10, "out": 7, "undecided": 4}
HOSTILE = "<b>bold</b>"


@pytest.fixture(scope="module")
def tagged_address(
    request: pytest.FixtureRequest,
    serve_at: Callable[[Path], AbstractContextManager[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """The address of a server of the demo web, with tags on the hosts that have most pages."""
    for needed in ("built", "chromium"):
        request.getfixturevalue(needed)
    warc = tmp_path_factory.mktemp("tags") / "demo.warc.gz"
    write_warc(DemoWeb(pages=600), warc)
    workspace = Workspace(warc.with_name("demo.weft"))
    workspace.add(warc, workers=1)
    hosts = iter(workspace.rank("indegree", level="host").to_table()["page"].to_pylist())
    tags = [
        Tag("host", next(hosts), "decision", value) for value, n in VALUES.items() for _ in range(n)
    ]
    tags.append(Tag("host", tags[0].target, "topic", HOSTILE))
    append_tags(workspace.folder, tags)
    with serve_at(workspace.folder) as address:
        yield address


@pytest.fixture
def open_tagged(browser: Browser, tagged_address: str) -> Iterator[Screens]:
    """`open_tagged(path)` opens a screen of the tagged web."""
    screens = Screens(browser, tagged_address)
    yield screens
    screens.close()


def legend(page: Page) -> dict[str, tuple[int, str]]:
    """The count and colour of each entry of the legend that has a count."""
    rows = page.locator(".legend li", has=page.locator("b")).all()
    colour = "node => getComputedStyle(node).backgroundColor"
    return {
        row.inner_text().rsplit(maxsplit=1)[0]: (
            int(row.locator("b").inner_text().replace(",", "")),
            row.locator(".dot").evaluate(colour),
        )
        for row in rows
    }


@pytest.mark.slow
def test_a_facet_colours_the_map(open_tagged: OpenScreen) -> None:
    page = open_tagged("map?level=host")
    page.wait_for_selector(".legend")
    page.get_by_label("Colour", exact=True).select_option("tag:decision")
    expect(page.locator(".legend")).to_contain_text("without this tag")
    found = legend(page)
    api = page.url.partition("/map")[0] + "/api/communities/modularity/map"
    drawn = httpx.get(f"{api}?level=host&number=0&nodes=300", timeout=60).json()
    counts = dict.fromkeys(VALUES, 0)
    for node in drawn["nodes"]:
        if "decision" in node["tags"]:
            counts[node["tags"]["decision"]] += 1
    assert {name: count for name, (count, _) in found.items() if name in VALUES} == counts
    assert all(0 < counts[value] <= most for value, most in VALUES.items())
    assert found["without this tag"][0] == len(drawn["nodes"]) - sum(counts.values())
    assert len({colour for _, colour in found.values()}) == len(found) == 4
    assert parse_qs(urlsplit(page.url).query)["colour"] == ["tag:decision"]
    page.reload()
    expect(page.get_by_label("Colour", exact=True)).to_have_value("tag:decision")
    page.get_by_role("link", name="Table").click()
    table = page.get_by_role("region", name="Nodes of the drawing")
    expect(table.get_by_role("columnheader", name="tag decision")).to_be_visible()
    expect(table.locator("tbody tr", has_text="undecided")).to_have_count(counts["undecided"])


@pytest.mark.slow
def test_values_are_text_on_the_map(open_tagged: OpenScreen) -> None:
    page = open_tagged("map?colour=tag%3Atopic")
    expect(page.locator(".legend li", has_text=HOSTILE)).to_have_count(1)
    assert page.locator(".legend bdi b").count() == 0


@pytest.mark.slow
def test_topics_of_a_tag_only(open_tagged: OpenScreen) -> None:
    page = open_tagged("topics?query=jaguar")
    wait_until_loaded(page)
    summary = page.locator(".base-summary summary").first
    whole = first_number(summary.inner_text())
    page.get_by_label("Only tag").first.select_option("decision=in")
    expect(summary).not_to_contain_text(f"{whole:,} pages")
    wait_until_loaded(page)
    assert parse_qs(urlsplit(page.url).query)["only_tag"] == ["decision=in"]
    assert 0 < first_number(summary.inner_text()) < whole


@pytest.mark.slow
def test_structure_without_a_tag(open_tagged: OpenScreen) -> None:
    page = open_tagged("structure?level=host")
    wait_until_loaded(page)
    size = page.locator(".structure-screen section").first.locator("p").last
    whole = first_number(size.inner_text())
    page.get_by_label("Without tag").select_option("decision=in")
    expect(size).to_contain_text(f"{whole - VALUES['in']:,} hosts")
    wait_until_loaded(page)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["rankings?level=host", "ranking?method=indegree&level=host"])
def test_rankings_of_a_tag_only(open_tagged: OpenScreen, path: str) -> None:
    page = open_tagged(path)
    wait_until_loaded(page)
    with page.expect_response(
        lambda response: "/api/rank/indegree" in response.url and "only_tag" in response.url
    ) as answered:
        page.get_by_label("Only tag").first.select_option("decision=undecided")
    assert answered.value.json()["total"] == VALUES["undecided"]
    wait_until_loaded(page)


@pytest.mark.slow
def test_communities_of_a_tag_only(open_tagged: OpenScreen) -> None:
    page = open_tagged("communities?level=host")
    wait_until_loaded(page)
    with page.expect_response(
        lambda response: "/api/communities/" in response.url and "exclude_tag" in response.url
    ) as answered:
        page.get_by_label("Without tag").first.select_option("decision=out")
    assert answered.value.ok
    wait_until_loaded(page)


@pytest.mark.slow
def test_without_tags_there_is_nothing_to_choose(open_screen: OpenScreen) -> None:
    page = open_screen("structure")
    wait_until_loaded(page)
    expect(page.get_by_label("Only tag")).to_have_count(0)
