"""The map of a graph for notebooks: what it draws, and that a browser draws it offline."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from weft.core.errors import WeftError
from weft.gather.page import Link, Page
from weft.graph.webgraph import WebGraph
from weft.rank import indegree
from weft.report import graph_map as module
from weft.report.graph_map import GraphMap, graph_map
from weft.topics import hits
from weft.workspace.workspace import Workspace

LINKS = [("http://a.org/", "http://x.com/"), ("http://b.org/", "http://x.com/"), ("c", "c2")]
HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m"


def names(shown: GraphMap) -> list[str]:
    return [node["name"] for node in shown.drawing["nodes"]]


def test_a_graph_is_drawn_with_its_links() -> None:
    graph = WebGraph.from_links(LINKS)
    shown = graph_map(graph)
    drawn, links = shown.drawing["nodes"], shown.drawing["links"]
    ends = {(drawn[s]["name"], drawn[t]["name"]) for s, t in links}
    assert ends == set(LINKS)
    sizes = {node["name"]: node["size"] for node in drawn}
    assert max(sizes, key=sizes.__getitem__) == "http://x.com/"
    assert shown.caption == "5 pages, 3 links among them"
    assert len({(node["x"], node["y"]) for node in drawn}) == 5


def test_only_the_best_nodes_are_drawn() -> None:
    links = [(f"p{k}", f"q{k % 7}") for k in range(300)]
    ranking = indegree(links)
    shown = graph_map(links, ranking=ranking, nodes=10)
    assert len(names(shown)) == 10
    assert {f"q{k}" for k in range(7)} <= set(names(shown))
    assert shown.caption.startswith("10 pages of 307")


def test_groups_give_colours_and_a_legend(demo: Workspace) -> None:
    topics = demo.topics("jaguar")
    shown = graph_map(topics)
    groups = {node["name"]: node["group"] for node in shown.drawing["nodes"]}
    first = topics.base.page_names(topics[0].authorities(1))[0]
    assert groups[first] == topics[0].name
    colors = {node["color"] for node in shown.drawing["nodes"] if node["group"] == topics[0].name}
    assert colors == {shown.legend[0][0]}
    assert [name for _, name in shown.legend] == [topic.name for topic in topics]
    titles = {node["name"]: node["label"] for node in shown.drawing["nodes"]}
    [title] = demo.collection.titles_of([first])
    assert titles[first] == title


@pytest.mark.parametrize(
    "words",
    [
        {"level": "host"},
        {"level": "domain", "group": "none"},
        {"query": "jaguar", "group": "topics", "rank": "pagerank"},
        {"group": "none", "nodes": 20},
    ],
)
def test_any_selection_has_a_map(demo: Workspace, words: dict[str, Any]) -> None:
    shown = demo.map(**words)
    count = len(shown.drawing["nodes"])
    assert 0 < count <= words.get("nodes", 400)
    assert all(0 <= end < count for link in shown.drawing["links"] for end in link)
    assert bool(shown.legend) == (words.get("group") != "none")


def test_an_empty_graph_is_a_map_too() -> None:
    assert graph_map([]).drawing == {"nodes": [], "links": []}
    assert graph_map(hits([])).legend == []


def test_a_map_without_anywidget_names_the_cure(
    demo: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "weft.report.graph_map", None)
    with pytest.raises(WeftError, match="anywidget") as caught:
        demo.map()
    assert "weft[notebook]" in caught.value.hint


def test_the_script_loads_nothing() -> None:
    script = (module.FOLDER / "graph_map.js").read_text("utf-8")
    for word in ("import ", "fetch(", "XMLHttpRequest", "innerHTML", "eval(", "http://", "cdn"):
        assert word not in script


INKED = """() => { const c = document.querySelector("canvas");
    const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let n = 0; for (let k = 0; k < d.length; k += 1) n += d[k] * (k % 9973); return n; }"""
PAGE = """<!doctype html><meta charset="utf-8"><style>STYLE</style><div id="map"></div>
<script type="module">
SCRIPT
const state = STATE, handlers = {};
window.model = {
  get: (name) => state[name],
  set: (name, value) => {
    state[name] = value;
    (handlers["change:" + name] ?? []).forEach((run) => run());
  },
  save_changes: () => { window.saved = state.selected; },
  on: (name, run) => (handlers[name] ??= []).push(run),
  off: (name, run) => { handlers[name] = handlers[name].filter((each) => each !== run); },
};
window.close = widget.render({ model: window.model, el: document.getElementById("map") });
</script>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    chromium = which("chromium") or which("google-chrome")
    if chromium is None:
        pytest.skip("needs chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, keep_at: Callable[..., Workspace], tmp_path: Path) -> Iterator[Any]:
    """A page that shows a map of three pages, and nothing else."""
    pages = [
        Page("http://a.org/", title=HOSTILE, links=(Link("http://b.org/"), Link("http://c.org/"))),
        Page("http://b.org/", title="Bees", links=(Link("http://c.org/"),)),
        Page("http://c.org/", title="Cats"),
    ]
    shown = keep_at(tmp_path / "c.weft", *pages).map()
    state = {n: getattr(shown, n) for n in ("drawing", "caption", "legend", "height", "selected")}
    script = (module.FOLDER / "graph_map.js").read_text("utf-8")
    text = (
        PAGE.replace("STYLE", (module.FOLDER / "graph_map.css").read_text("utf-8"))
        .replace("SCRIPT", script.replace("export default", "const widget ="))
        .replace("STATE", json.dumps(state).replace("<", "\\u003c"))
    )
    (tmp_path / "map.html").write_text(text, "utf-8")
    page = browser.new_page(viewport={"width": 800, "height": 700})
    requests, errors = list[str](), list[str]()
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    page.goto((tmp_path / "map.html").as_uri())
    yield page
    page.evaluate("window.close()")
    assert errors == []
    assert requests == [(tmp_path / "map.html").as_uri()], "it works without a network"
    page.close()


def find(page: Any, words: str) -> str:
    """Search for a node; the name of the selected one."""
    page.get_by_label("Find a node").fill(words)
    page.get_by_label("Find a node").press("Enter")
    selected: str = page.evaluate("window.saved")
    return selected


@pytest.mark.slow
def test_a_browser_draws_and_finds_nodes(page: Any) -> None:
    assert page.evaluate(INKED) > 200
    assert "3 pages" in page.locator(".weft-map-caption").inner_text()
    assert find(page, "cats") == "http://c.org/"
    assert "Cats" in page.locator(".weft-map-about").inner_text()
    assert "2 neighbours" in page.locator(".weft-map-about").inner_text()
    page.get_by_label("Find a node").fill("zebra")
    page.get_by_label("Find a node").press("Enter")
    assert "no node has zebra" in page.locator(".weft-map-about").inner_text()


@pytest.mark.slow
def test_titles_are_text_in_a_browser(page: Any) -> None:
    page.evaluate('window.model.set("selected", "http://a.org/")')
    assert "<img" in page.locator(".weft-map-about").inner_text()
    assert page.locator(".weft-map img").count() == 0


@pytest.mark.slow
def test_mouse_and_keys_move_zoom_and_select(page: Any) -> None:
    canvas = page.locator("canvas")
    assert find(page, "bees") == "http://b.org/"
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + 3, box["y"] + 3)
    assert page.evaluate("window.saved") == ""
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.evaluate("window.saved") == "http://b.org/", "search centres what it finds"
    canvas.focus()
    page.keyboard.press("Escape")
    assert page.evaluate("window.saved") == ""
    for key in ("+", "ArrowLeft", "0"):
        before = page.evaluate(INKED)
        page.keyboard.press(key)
        assert page.evaluate(INKED) != before, key
