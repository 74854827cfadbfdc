"""The comparison of two sites."""

from collections.abc import Callable
from typing import Any

import pytest

from weft.core.errors import WeftError
from weft.gather.page import Link, Page
from weft.server.session import Session
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
SITES = {"mine": "mine.example", "theirs": "theirs.example"}


@pytest.fixture(scope="module")
def two(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Session:
    """My site of guitars, and theirs, which also has violins, and a cell like a formula."""
    folder = tmp_path_factory.mktemp("two")
    guitars = "guitars with six strings and a long neck of maple wood "
    violins = "=cmd violins with four strings, played with a bow made of hair, in an orchestra "
    pages = [
        Page("http://mine.example/", title="Guitars", text=guitars * 3),
        Page("http://theirs.example/", title="Guitars", text=guitars * 3),
        Page(
            "http://theirs.example/violins",
            title="=Violins",
            text=violins * 4,
            links=(Link("http://orchestra.example/", "=the orchestra"),),
        ),
    ]
    session = Session(keep_at(folder / "c.weft", *pages), folder)
    session.refresh_snapshot()
    return session


def test_what_theirs_has_and_mine_lacks(two: Session, ask_session: Ask) -> None:
    found = ask_session(two, "compare-sites", **SITES, min_terms=3)
    assert (found["facts"]["my pages"], found["facts"]["their pages"]) == (1, 2)
    terms = found["tables"]["terms"]
    listed = {row[terms["columns"].index("term")] for row in terms["rows"]}
    assert "violins" in listed
    assert "guitars" not in listed
    assert found["names"]["http://theirs.example/violins"]["title"] == "=Violins"
    known = two.workspace.compare_sites("mine.example", "theirs.example", top=20, min_terms=3)
    assert found["facts"] == dict(known.facts)
    assert list(found["tables"]) == list(known.tables)


def test_what_is_known_is_not_unexpected(two: Session, ask_session: Ask) -> None:
    found = ask_session(two, "compare-sites", **SITES, known=["violins bow"], table="terms")
    assert list(found["tables"]) == ["terms"]
    assert "violins" not in {row[0] for row in found["tables"]["terms"]["rows"]}


def test_keywords_are_looked_for(two: Session, ask_session: Ask) -> None:
    found = ask_session(two, "compare-sites", **SITES, keywords=["violins", "maple"], top=1)
    keywords = found["tables"]["keywords"]
    assert [row[:3] for row in keywords["rows"]] == [["violins", 1, 0], ["maple", 1, 1]]


def test_files_have_no_formulas(two: Session, ask_session: Ask) -> None:
    file = ask_session(two, "compare-sites", **SITES, table="links", format="csv")
    assert file.name == "compare-sites-links.csv"
    assert '"\'=the orchestra"' in file.path.read_text("utf-8")


def test_an_unknown_site_is_an_error(two: Session, ask_session: Ask) -> None:
    with pytest.raises(WeftError, match=r"nowhere\.example"):
        ask_session(two, "compare-sites", mine="mine.example", theirs="nowhere.example")
