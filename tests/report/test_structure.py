"""The structure report: complete, safe, and the same every time."""

import re
from collections.abc import Callable

import pytest

from weft.gather.page import Link, Page
from weft.report.structure import REPORTED_METHODS, structure_report
from weft.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def page(demo: Workspace) -> str:
    return demo.structure_report()


def test_it_has_every_part(page: str) -> None:
    for part in REPORTED_METHODS:
        assert f'id="{part}"' in page
    assert page.count('class="plot"') == 1 + 2 + 1 + 1 + 4


def test_it_runs_nothing_and_loads_nothing(page: str) -> None:
    assert "<script" not in page
    assert "style=" not in page
    assert "default-src 'none'" in page
    assert not re.search(r'(?:src|href)="(?!#)', page)


def test_facts_and_notes_are_those_of_the_shapes(demo: Workspace, page: str) -> None:
    tie = demo.structure("bow-tie")
    assert f"{tie['core']:,}" in page
    for note in tie.notes:
        assert note[1:] in page


def test_works_are_cited_once_each(page: str) -> None:
    numbers = re.findall(r'id="work-(\d+)"', page)
    assert numbers == [str(k + 1) for k in range(len(numbers))]
    assert set(re.findall(r'href="#work-(\d+)"', page)) == set(numbers)
    assert "Clauset" in page


def test_the_same_characters_twice(demo: Workspace, page: str) -> None:
    assert demo.structure_report() == page


def test_hosts_and_the_command_to_repeat_it(demo: Workspace) -> None:
    found = demo.structure_report(level="host")
    assert "as a graph of hosts" in found
    assert "weft structure demo.weft --out report.html --level host" in found


def test_the_command_has_every_word_of_the_selection(demo: Workspace) -> None:
    chosen = demo.structure_report(query="jaguar", since="2001", steps=2, exclude=["a.example"])
    words = "--query jaguar --since 2001 --steps 2 --exclude a.example"
    assert f"weft structure demo.weft --out report.html {words}" in chosen


def test_one_shape_alone(demo: Workspace) -> None:
    found = structure_report(demo.collection, [demo.structure("degrees", bootstrap_samples=10)])
    assert "bootstrap_samples 10" in found
    assert 'id="bow-tie"' not in found


def test_names_of_pages_are_escaped(keep: Callable[..., Workspace]) -> None:
    bad = "http://a.org/?q=<script>alert(1)</script>"
    other = "http://b.org/"
    workspace = keep(
        Page(bad, title="<b>", links=(Link(other, ""),)),
        Page(other, title="b", links=(Link(bad, ""),)),
    )
    page = workspace.structure_report()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r'(?:src|href)="(?!#)', page)


def test_an_empty_collection(keep: Callable[..., Workspace]) -> None:
    found = keep(Page("http://a.org/", title="alone")).structure_report()
    assert "no core" in found
