"""Collections: finding pages, reading texts, opening during a commit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import DamagedFile, UnknownName, WeftError
from weft.gather.page import Link, Page
from weft.store.collection import Collection
from weft.store.manifest import Manifest
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


@pytest.fixture
def small(keep: Keep) -> Collection:
    keep(
        Page("https://www.a.com/docs/", text="one", links=(Link("http://other.com/"),)),
        Page("http://b.com/old", kind="redirect", redirect="http://b.com/new", reason="HTTP 301"),
    )
    return keep(Page("http://b.com/new", text="two")).collection


@pytest.mark.parametrize(
    ("spelling", "url"),
    [
        ("https://www.a.com/docs/", "https://www.a.com/docs/"),
        ("https://www.a.com/docs/index.html#top", "https://www.a.com/docs/"),
        ("www.a.com/docs/", "https://www.a.com/docs/"),
        ("a.com/docs/", "https://www.a.com/docs/"),
        ("b.com/old", "http://b.com/new"),
        ("other.com", "http://other.com/"),
    ],
)
def test_pages_are_found_by_any_spelling(small: Collection, spelling: str, url: str) -> None:
    assert small.pages["url"][small.find_page(spelling)].as_py() == url


def test_names_of_a_graph_are_found_by_any_spelling(tmp_path: Path) -> None:
    edges = tmp_path / "e.txt"
    edges.write_text("http://www.imdb.com http://hub.org/films\n")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(edges)
    for spelling in ("imdb.com", "www.imdb.com", "http://www.imdb.com"):
        assert workspace.collection.stored_url(spelling) == "http://www.imdb.com/"
    assert workspace.collection.stored_url("hub.org/films") == "http://hub.org/films"


def test_an_unknown_page_comes_with_a_suggestion(small: Collection) -> None:
    with pytest.raises(UnknownName, match="no page") as caught:
        small.find_page("http://b.com/nem")
    assert "http://b.com/new" in caught.value.hint


def test_a_host_without_a_home_page_comes_with_a_page_it_has(keep: Keep) -> None:
    deep = "http://www.a.com/reports/of/1997/index-of-all.html"
    found = keep(Page(deep), Page("http://b.com/")).collection
    for given in ("a.com", "www.a.com/zoo"):
        with pytest.raises(UnknownName, match="no page") as caught:
            found.find_page(given)
        assert caught.value.hint == f"did you mean {deep!r}?"
    with pytest.raises(UnknownName) as caught:
        found.find_page("elsewhere.org")
    assert "weft search" in caught.value.hint


def test_texts_come_in_the_order_asked_for(small: Collection) -> None:
    numbers = [
        small.find_page(name) for name in ("b.com/new", "other.com", "a.com/docs/", "b.com/new")
    ]
    assert small.texts(numbers) == ["two", "", "one", "two"]
    assert small.texts([]) == []


def test_a_graph_has_no_texts_and_can_be_searched(tmp_path: Path) -> None:
    """Names are words, though the pages have no text."""
    (tmp_path / "cats.txt").write_text("Jaguar Lynx\nLynx Puma\nPuma Jaguar\n")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "cats.txt")
    found = workspace.search("lynx").to_table()
    assert (found["url"].to_pylist(), found["snippet"].to_pylist()) == (["Lynx"], [""])
    assert workspace.collection.texts([2, 0, 1], main_content=True) == ["", "", ""]


def test_results_print_as_one_line(small: Collection) -> None:
    assert repr(small.search("two")) == "<SearchResults: 1 page for 'two', led by http://b.com/new>"
    assert repr(small.search("nothing")) == "<SearchResults: 0 pages for 'nothing'>"


def test_a_missing_folder_is_no_collection(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="not a collection"):
        Collection.open(tmp_path / "none")


def test_a_commit_while_opening_leads_to_the_next_snapshot(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest read first is of a snapshot that a writer has already deleted."""
    folder = keep(Page("http://a.com/", text="cat")).folder
    past = Manifest.read(folder)
    keep(Page("http://b.com/", text="cat"))
    answers = [past, Manifest.read(folder)]
    real = Manifest.read
    monkeypatch.setattr(Manifest, "read", lambda at: answers.pop(0) if answers else real(at))
    assert len(Collection.open(folder)) == 2


def test_a_missing_file_is_damage_at_once(small: Collection) -> None:
    victim = next(path for path in small.committed_files() if path.endswith(".idx"))
    (small.folder / victim).unlink()
    with pytest.raises(DamagedFile, match=r"\.idx"):
        Collection.open(small.folder)


def test_many_pages_are_found_as_one_by_one(keep: Keep) -> None:
    """By any spelling, under an alias, or not at all."""
    alias = Page("http://old.example/", redirect="http://new.example/")
    collection = keep(
        *(Page(url) for url in ("http://new.example/", "https://www.x.org/a", "http://x.org/a")),
        Page("http://xn--mller-kva.example/%C3%9F"),
        alias,
    ).collection
    spellings = [
        "http://new.example/",
        " new.example",
        "http://old.example/",
        "x.org/a",
        "https://www.x.org/a",
        "HTTP://Müller.example/ß#top",
        "müller.example/ß",
        "nowhere.example",
        "",
        "http://",
        "new.example",
    ]
    found = collection.page_numbers(spellings)
    assert found.tolist() == [collection.page_number(spelling) for spelling in spellings]
    assert (found >= 0).sum() == 8
    assert collection.page_numbers([]).tolist() == []
