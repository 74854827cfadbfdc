"""Parsed pages come back from their file as tables, with the problems of those that are wanted."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from weft.gather.page import Link, Page, Problems
from weft.workspace import parsed_pages
from weft.workspace.parsed_pages import ParsedPageFile


def problem(url: str) -> Problems:
    problems = Problems()
    problems.add("odd", url, count=3)
    problems.add("skipped", url, damage=False)
    return problems


def page(number: int, text: str = "") -> Page:
    links = tuple(Link(f"http://a.example/{k}", f"to {k}") for k in range(number))
    return Page(f"http://a.example/{number}", text=text or f"text {number} \ud800", links=links)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ParsedPageFile]:
    """Five pages in batches of two; page 3 has problems."""
    monkeypatch.setattr(parsed_pages, "BATCH_PAGES", 2)
    with closing(ParsedPageFile(tmp_path)) as found:
        for number in range(5):
            found.add(number, page(number), problem("\ud800") if number == 3 else Problems())
        found.flush()
        yield found


def test_pages_come_back_with_their_links(file: ParsedPageFile) -> None:
    pages: list[str] = []
    links: list[tuple[str, str]] = []
    for batch in file.read({1, 3, 4, 2**64 - 1}):
        urls = batch.pages["url"].to_pylist()
        pages += urls
        source = [urls[row] for row in batch.links["page"].to_pylist()]
        links += zip(source, batch.links["anchor"].to_pylist(), strict=True)
    assert [url[-1] for url in pages] == ["1", "3", "4"]
    assert links == [(f"http://a.example/{n}", f"to {k}") for n in (1, 3, 4) for k in range(n)]


def test_problems_belong_to_their_page(file: ParsedPageFile) -> None:
    with_problems, without = Problems(), Problems()
    for batch in file.read({1, 3}):
        with_problems.merge(batch.problems)
    for batch in file.read({0, 2, 4}):
        without.merge(batch.problems)
    assert with_problems == problem("\ud800")
    assert without == Problems()


def test_a_page_is_kept_once_and_while_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsed_pages, "MAX_FILE_BYTES", 10_000)
    with closing(ParsedPageFile(tmp_path)) as file:
        for capture, text in ((1, "first"), (1, "again"), (2, "x" * 10_000), (3, "last")):
            file.add(capture, page(0, text), Problems())
        file.flush()
        (batch,) = file.read(file.captures)
    assert file.captures == {1, 3}
    assert batch.pages["text"].to_pylist() == ["first", "last"]
