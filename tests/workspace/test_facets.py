"""Facets count what a search finds, and the same values limit it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import UnknownName
from weft.gather.page import Page
from weft.graph.attributes import page_attribute
from weft.workspace.complete import complete
from weft.workspace.workspace import Workspace

YEAR = 31_600_000


@pytest.fixture
def pages(keep_at: Callable[..., Workspace], tmp_path: Path) -> Workspace:
    """Five pages about cats on two sites, in two languages and years, and one about dogs."""
    return keep_at(
        tmp_path,
        *(
            Page(f"http://one.example/{folder}/{k}", text="cat", language=language, time=time)
            for k, (folder, language, time) in enumerate(
                [("x", "en", YEAR), ("x", "en", 2 * YEAR), ("y", "de", 2 * YEAR), ("y", "en", 0)]
            )
        ),
        Page("http://two.example/", text="cat", title="Cat home", language="en", time=YEAR),
        Page("http://two.example/dog", text="dog", language="en", time=YEAR),
    )


def counts(workspace: Workspace, query: str, name: str, **limits: object) -> dict[str, int]:
    """The counts of a facet."""
    found = workspace.facets(query, **limits)  # type: ignore[arg-type]
    [facet] = [facet for facet in found.facets if facet.name == name]
    return {value.value: value.pages for value in facet.values}


def test_values_are_counted(pages: Workspace) -> None:
    assert pages.facets("cat").total == 5
    assert counts(pages, "cat", "site") == {"one.example": 4, "two.example": 1}
    assert counts(pages, "cat", "language") == {"en": 4, "de": 1}
    assert counts(pages, "cat", "year") == {"1971": 2, "1972": 2}
    assert counts(pages, "", "site") == {"one.example": 4, "two.example": 2}


def test_a_filter_limits_the_other_facets_and_the_search(pages: Workspace) -> None:
    where = {"language": ["de"]}
    assert counts(pages, "cat", "site", where=where) == {"one.example": 1}
    assert counts(pages, "cat", "language", where=where) == {"en": 4, "de": 1}, "not its own"
    assert pages.search("cat", where=where).total == 1 == pages.facets("cat", where=where).total
    both = {"language": ["de", "en"], "year": ["1971"]}
    assert pages.search("cat", where=both).total == 2


def test_every_count_is_what_the_search_finds(pages: Workspace) -> None:
    for facet in pages.facets("cat").facets:
        for value in facet.values:
            found = pages.search("cat", where={facet.name: [value.value]}).total
            assert found == value.pages, (facet.name, value)


def test_many_scattered_pages_are_found_as_few_are(
    keep_at: Callable[..., Workspace], tmp_path: Path
) -> None:
    """Beyond some ranges, pages are listed one by one."""
    workspace = keep_at(
        tmp_path,
        *(
            Page(f"http://a.example/{k:04}", text="cat", language="en" if k % 2 else "de")
            for k in range(1200)
        ),
    )
    assert workspace.search("cat", where={"language": ["en"]}).total == 600


def test_tags_are_facets(pages: Workspace) -> None:
    pages.tag("one.example", "topic", "science/physics")
    assert counts(pages, "cat", "tag:topic") == {"science/physics": 4}
    assert pages.search("cat", where={"tag:topic": ["science"]}).total == 4


def test_captures_are_counted_by_period(pages: Workspace) -> None:
    found = pages.facets("cat")
    assert found.unit == "month"
    assert sum(count for _, count in found.captures) == 4
    assert found.undated == 1


def test_an_unknown_attribute_is_an_error(pages: Workspace) -> None:
    with pytest.raises(UnknownName, match="colour"):
        pages.search("cat", where={"colour": ["red"]})


def test_folders_descend_until_they_divide(
    keep_at: Callable[..., Workspace], tmp_path: Path
) -> None:
    workspace = keep_at(
        tmp_path, *(Page(f"http://a.example/all/{k % 3}/{k}", text="x") for k in range(12))
    )
    assert page_attribute(workspace.collection, "folder").values == ("all/0/", "all/1/", "all/2/")


def test_a_star_finds_all_pages(pages: Workspace) -> None:
    assert pages.search("*").total == 6
    assert pages.search("*", where={"site": ["two.example"]}).total == 2


def test_names_are_completed(pages: Workspace) -> None:
    found = complete(pages.collection, "two")
    assert found.hosts == (("two.example", 2),)
    assert complete(pages.collection, "one").hosts == (("one.example", 4),)
    [page] = complete(pages.collection, "cat ho").pages
    assert pages.collection.pages["title"][page].as_py() == "Cat home"
    assert len(complete(pages.collection, "one.example/x").pages) == 2
    assert complete(pages.collection, "  ").hosts == ()
    assert complete(pages.collection, "zzz").pages == ()
