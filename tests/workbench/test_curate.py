"""The Curate screen: candidates by keyboard, two browsers at once, a server that is killed."""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.command import COMMAND
from tests.workbench.screens import SCROLL_WIDTH, OpenScreen, Screens, wait_until_loaded
from tests.workbench.test_accessibility import violations

from weft.gather.page import Link
from weft.gather.page import Page as Captured
from weft.store.entities import Entities, write_entities
from weft.store.tags import Tag, append_tags, read_tags
from weft.workspace.workspace import Workspace

pytestmark = pytest.mark.slow
PAGES, DECIDED = 240, 200
WORDS = {"cars": "engine wheel motor", "cats": "fur paw whisker"}
HOSTILE = "<b>bold</b>"
START_SECONDS = 120


def subject(k: int) -> str:
    return "cats" if k % 2 else "cars"


def url(k: int) -> str:
    """The URL of a page; in the order of in-links, and of their names where these are equal."""
    return f"http://{subject(k)}{k}.example/"


@pytest.fixture(scope="module")
def curated(
    built: Path,  # noqa: ARG001
    keep_at: Callable[..., Workspace],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Pages on two subjects; page k is linked from those of its subject after it."""
    pages = [
        Captured(
            url(k),
            title=f"{subject(k)} {k} {HOSTILE if k == 3 else ''}",
            text=f"{WORDS[subject(k)]} number{k}",
            links=tuple(Link(url(j), anchor="my favourites") for j in range(k % 2, k, 2)),
        )
        for k in range(PAGES)
    ]
    return keep_at(tmp_path_factory.mktemp("curated") / "curated.weft", *pages).folder


@pytest.fixture(scope="module")
def address(curated: Path, serve_at: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    """The address of one server for all tests."""
    with serve_at(curated) as address:
        yield address


@pytest.fixture
def folder(curated: Path) -> Iterator[Path]:
    """The collection, without tags and entities."""
    yield curated
    (curated / "tags.jsonl").unlink(missing_ok=True)
    for rules in (curated / "entities").glob("*.toml"):
        rules.unlink()


@pytest.fixture
def open_curate(browser: Browser, folder: Path, address: str) -> Iterator[Screens]:  # noqa: ARG001
    """`open_curate(path)` opens a screen of the collection."""
    screens = Screens(browser, address)
    yield screens
    screens.close()


def decisions(folder: Path, facet: str = "decision") -> dict[str, str]:
    tags = read_tags(folder).in_force().values()
    return {tag.target: tag.value for tag in tags if tag.facet == facet}


def ready(page: Page) -> Page:
    wait_until_loaded(page)
    page.wait_for_selector(".candidates > li")
    return page


def wait_for_saved(page: Page, count: int) -> None:
    noun = "decision" if count == 1 else "decisions"
    expect(page.locator(".saving").first).to_contain_text(f"{count} {noun} saved")
    expect(page.locator(".saving").first).not_to_contain_text("saving…")


def current(page: Page) -> str:
    return page.locator(".candidates > li[aria-current] .title").get_attribute("title") or ""


def test_two_hundred_candidates_by_keyboard(open_curate: OpenScreen, folder: Path) -> None:
    page = ready(open_curate("curate"))
    page.get_by_label("You are").fill("ann")
    page.locator(".candidates > li").first.focus()
    wanted = {}
    for k in range(DECIDED):
        key, value = (("i", "in"), ("o", "out"), ("u", "undecided"))[k % 3]
        expect(page.locator(".candidates > li[aria-current]")).to_have_count(1)
        wanted[current(page)] = value
        page.keyboard.press(key)
    wait_for_saved(page, DECIDED)
    assert len(wanted) == DECIDED
    assert decisions(folder) == wanted
    assert {tag.by for tag in read_tags(folder).in_force().values()} == {"ann"}
    counts = Counter(wanted.values())
    expect(page.locator(".value-counts")).to_contain_text(f"{counts['in']} in")
    expect(page.locator(".value-counts")).to_contain_text(f"{counts['undecided']} undecided")
    page.reload()
    ready(page)
    expect(page.get_by_label("You are")).to_have_value("ann")
    total = PAGES - counts["in"] - counts["out"]
    expect(page.locator(".curating")).to_contain_text(f"of {total} pages")


def test_keys_tags_and_notes(open_curate: OpenScreen, folder: Path, axe: str) -> None:
    page = ready(open_curate("curate"))
    first, second = url(0), url(1)
    press = page.keyboard.press
    press("?")
    expect(page.get_by_role("dialog")).to_contain_text("take the value away")
    assert violations(page, axe) == []
    press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator(".candidates > li").first.focus()
    press("i")
    press("n")  # on the second: it becomes undecided
    expect(page.get_by_label("Why")).to_be_focused()
    page.keyboard.type(HOSTILE)
    assert violations(page, axe) == []
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".preview .note")).to_have_text(HOSTILE)
    press("t")
    expect(page.get_by_label("Facet", exact=True)).to_be_focused()
    page.keyboard.type("topic")
    press("Tab")
    page.keyboard.type("science/physics")
    press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".candidates > li[aria-current]")).to_contain_text("topic: science/physics")
    wait_for_saved(page, 3)
    assert decisions(folder) == {first: "in", second: "undecided"}
    assert decisions(folder, "topic") == {second: "science/physics"}


def test_several_at_once_and_undo(open_curate: OpenScreen, folder: Path) -> None:
    page = ready(open_curate("curate"))
    first, second, third = (url(k) for k in (0, 1, 2))
    press = page.keyboard.press
    page.locator(".candidates > li").first.focus()
    press("i")
    press("Shift+ArrowDown")  # selects the second, and goes to the third
    press("x")
    expect(page.locator(".saving").first).to_contain_text("2 selected")
    press("o")
    wait_for_saved(page, 2)
    assert decisions(folder) == {first: "in", second: "out", third: "out"}
    assert [len(batch.tags) for batch in read_tags(folder).batches] == [1, 2]
    press("z")
    wait_for_saved(page, 1)
    assert decisions(folder) == {first: "in"}
    page.locator(".candidates > li").first.focus()
    press("c")
    wait_for_saved(page, 2)
    assert decisions(folder) == {}
    press("Enter")
    expect(page).to_have_url(re.compile("/page"))


def test_facets_have_their_values_as_numbers(open_curate: OpenScreen, folder: Path) -> None:
    append_tags(folder, [Tag("page", url(0), "topic", value) for value in ("x", "science/a")])
    append_tags(folder, [Tag("page", url(2), "topic", "x")])
    page = ready(open_curate("curate?facet=topic"))
    expect(page.get_by_role("group", name="Current row")).to_contain_text("science/a")
    page.locator(".candidates > li").first.focus()
    page.keyboard.press("2")
    wait_for_saved(page, 1)
    assert decisions(folder, "topic")[url(1)] == "x"
    page.get_by_label("Decide on", exact=True).select_option("a new facet…")
    page.get_by_role("textbox", name="New facet").fill("mood")
    page.keyboard.press("Enter")
    ready(page)
    assert "facet=mood" in page.url


@pytest.mark.parametrize("level", ["host", "domain", "entity"])
def test_other_levels(open_curate: OpenScreen, folder: Path, level: str) -> None:
    write_entities(folder, Entities().with_added("All of them", [url(0)[7:-1], url(1)[7:-1]]))
    page = ready(open_curate(f"curate?level={level}"))
    page.locator(".candidates > li").first.focus()
    page.keyboard.press("i")
    wait_for_saved(page, 1)
    [tag] = read_tags(folder).in_force().values()
    names = {"host": url(0)[7:-1], "domain": url(0)[7:-1], "entity": "All of them"}
    assert (tag.scope, tag.target) == (level, names[level])


def test_two_browsers_lose_nothing(open_curate: OpenScreen, folder: Path) -> None:
    ann, bob = ready(open_curate("curate")), ready(open_curate("curate"))
    for page, name in ((ann, "ann"), (bob, "bob")):
        page.get_by_label("You are").fill(name)
        page.locator(".candidates > li").first.focus()
    for _ in range(20):  # bob skips what ann decides on
        bob.keyboard.press("j")
    for _ in range(20):
        ann.keyboard.press("i")
        bob.keyboard.press("o")
    ann.keyboard.press("z")
    wait_for_saved(ann, 19)
    wait_for_saved(bob, 20)
    state = read_tags(folder)
    # ann's last decision and its undoing are two batches, or none if it was still to be sent
    assert len(state.batches) in {39, 41}
    by = Counter((tag.by, tag.value) for tag in state.in_force().values())
    assert by == {("ann", "in"): 19, ("bob", "out"): 20}


@contextmanager
def killable(folder: Path, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process group of its own, and its address."""
    command = [*COMMAND, "serve", str(folder), "--no-browser", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert server.stdout is not None
    with server.stdout:
        try:
            yield server, server.stdout.readline().strip()
        finally:
            kill(server)


def kill(server: subprocess.Popen[str]) -> None:
    """Kill a server and its workers at once, as by kill -9."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def test_a_killed_server_loses_nothing_that_was_saved(browser: Browser, folder: Path) -> None:
    with killable(folder) as (server, address):
        screens = Screens(browser, address)
        page = ready(screens("curate", fails=True))
        page.locator(".candidates > li").first.focus()
        for _ in range(15):
            page.keyboard.press("i")
        wait_for_saved(page, 15)
        for _ in range(5):
            page.keyboard.press("o")
        kill(server)
        kept = Counter(decisions(folder).values())
        assert kept["in"] == 15
        page.keyboard.press("u")  # nobody is there to save it
        expect(page.locator(".saving.failing")).to_contain_text("not saved yet")
        assert Counter(decisions(folder).values()) == kept
        with killable(folder, urlsplit(address).port or 0) as (_, again):
            assert again == address
            wait_for_server(address)
            wait_for_saved(page, 21)
            assert Counter(decisions(folder).values()) == {"in": 15, "out": 5, "undecided": 1}
        screens.errors = [text for text in screens.errors if "ERR_CONNECTION" not in text]
        screens.close()


def wait_for_server(address: str) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            httpx.get(address + "api/collection/summary")
        except httpx.TransportError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(address)


def test_proposals_are_accepted_and_rejected(
    open_curate: OpenScreen, folder: Path, axe: str
) -> None:
    values = {1: "in", 3: "in", 5: "in", 0: "out", 2: "out", 4: "out"}
    append_tags(folder, [Tag("page", url(k), "decision", value) for k, value in values.items()])
    page = ready(open_curate("curate?order=certainty&method=linear"))
    expect(page.locator(".curate-screen")).to_contain_text("Learned by linear from 3 in, 3 out")
    reasons = page.locator(".reasons")
    expect(reasons).to_contain_text("Its words:")
    expect(reasons).to_contain_text("my favourites")
    assert violations(page, axe) == []
    page.locator(".candidates > li").first.focus()
    accepted = current(page)
    page.keyboard.press("a")
    rejected = current(page)
    page.keyboard.press("r")
    wait_for_saved(page, 2)
    [tag] = [tag for tag in read_tags(folder).in_force().values() if tag.target == accepted]
    assert tag.value == ("in" if "cats" in accepted else "out")
    assert tag.why.startswith("proposed by linear, certainty")
    [value] = decisions(folder, "decision-rejected").values()
    expect(page.locator(".value.rejected")).to_contain_text(f"not {value}")
    page.get_by_role("button", name="Learn again").first.click()
    ready(page)
    expect(page.locator(".curate-screen")).to_contain_text(
        re.compile("from (4 in, 3 out|3 in, 4 out)")
    )
    others = page.locator(".candidates > li", has=page.locator(f".title[title='{rejected}']"))
    other = "in" if value == "out" else "out"
    if others.count():  # the other value is proposed for it, if it is among the first
        expect(others.locator(".value.proposed")).to_contain_text(f"{other}?")


def test_entities_are_added_merged_split_and_undone(
    open_curate: OpenScreen, folder: Path, axe: str
) -> None:
    page = open_curate("curate?view=entities")
    wait_until_loaded(page)
    for name, prefix in (("One", url(0)), (HOSTILE, url(1)), ("Three", url(2))):
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Prefixes").fill(prefix)
        page.get_by_role("button", name="Add").click()
        expect(page.locator(".entities tbody tr", has_text=name)).to_have_count(1)
    assert page.locator(".entities bdi b").count() == 0
    assert violations(page, axe) == []
    page.get_by_label("Select One").check()
    page.get_by_label("Select Three").check()
    page.get_by_role("button", name="Merge 2").click()
    page.get_by_label("Name of the whole").fill("Both")
    page.get_by_role("dialog").get_by_role("button", name="Merge").click()
    expect(page.locator(".entities tbody tr")).to_have_count(2)
    rules = Workspace(folder).entities
    assert rules.find("Both").prefixes == (url(0)[7:-1], url(2)[7:-1])
    page.get_by_label("Select Both").check()
    page.get_by_role("button", name="Split").click()
    expect(page.locator(".entities tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".entities tbody tr")).to_have_count(2)
    page.get_by_label("Pages of no entity are grouped by").select_option("domain")
    wait_until_loaded(page)
    expect(page.get_by_label("Pages of no entity are grouped by")).to_have_value("domain")
    assert Workspace(folder).entities.default == "domain"
    page.get_by_label("CSV file").set_input_files(
        {
            "name": "h.csv",
            "mimeType": "text/csv",
            "buffer": b"NAME;PREFIXES\nFour;s:http|h:org|h:x|",
        }
    )
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".entities tbody tr")).to_have_count(3)
    assert Workspace(folder).entities.find("Four").prefixes == ("x.org",)


def test_all_tags_and_conflicts_of_an_import(
    open_curate: OpenScreen, folder: Path, axe: str
) -> None:
    append_tags(folder, [Tag("page", url(0), "topic", HOSTILE, "ann", "why not")])
    page = open_curate("curate?view=tags")
    wait_until_loaded(page)
    page.get_by_text("Tag a domain, an entity, a pattern").click()
    for label, text in {"What": "*/login*", "Facet": "decision", "Value": "out"}.items():
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Tag", exact=True).click()
    expect(page.locator(".tags tbody tr")).to_have_count(2)
    assert violations(page, axe) == []
    rows = f"url,facet,value,by\n{url(0)},topic,other,bob\n{url(1)},topic,new,bob\n"
    page.get_by_label("CSV file").set_input_files(
        {"name": "t.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    )
    page.get_by_role("button", name="Import").click()
    imported = page.get_by_role("status").filter(has_text="imported")
    expect(imported).to_contain_text("1 tag imported; 1 tag differed, and yours stayed")
    expect(imported).to_contain_text(f"{HOSTILE} here, other there by bob")
    assert decisions(folder, "topic") == {url(0): HOSTILE, url(1): "new"}
    page.get_by_role("button", name="Take away topic of").last.click()
    expect(page.locator(".tags tbody tr")).to_have_count(2)
    page.get_by_role("button", name="Undo the last tags").click()
    expect(page.locator(".tags tbody tr")).to_have_count(3)


def test_what_a_decision_changed(open_curate: OpenScreen, folder: Path, axe: str) -> None:
    page = ready(open_curate("curate"))
    page.locator(".candidates > li").first.focus()
    page.keyboard.press("o")
    wait_for_saved(page, 1)
    page.get_by_role("link", name="What changed").click()
    wait_until_loaded(page)
    expect(page.locator(".result")).to_contain_text(f"{PAGES} → {PAGES - 1} pages")
    expect(page.locator(".arrow.dropped")).to_have_count(1)
    expect(page.get_by_label("Without tag")).to_have_value("decision=out")
    page.get_by_label("Topics of").fill("engine")
    page.get_by_role("button", name="Compare").click()
    wait_until_loaded(page)
    expect(page.get_by_role("heading", name="Topics of engine")).to_be_visible()
    assert violations(page, axe) == []
    assert decisions(folder) == {url(0): "out"}


@pytest.mark.parametrize("view", ["candidates", "entities", "tags", "effect"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_axe_finds_nothing(
    open_curate: Screens, folder: Path, axe: str, view: str, width: int, scheme: str
) -> None:
    append_tags(folder, [Tag("page", url(0), "decision", "out", "ann", "a" * 300)])
    write_entities(folder, Entities().with_added("x" * 100, ["a" * 100 + ".example"]))
    page = open_curate(f"curate?view={view}&show=all&since=0", width=width, scheme=scheme)
    wait_until_loaded(page)
    page.wait_for_timeout(300)
    wait_until_loaded(page)
    assert page.evaluate(SCROLL_WIDTH) <= width
    assert violations(page, axe) == []
