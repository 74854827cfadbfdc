"""`weft similar` and `weft suggest`: as the library says, in every format."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from tests.command import in_lines, rows, run

from weft.core.errors import UnknownName
from weft.gather.page import Link, Page
from weft.workspace.workspace import Workspace

PAGE = "jaguarmagazine.example"


def test_similar_pages_as_rows(demo: Workspace) -> None:
    found = rows(in_lines("similar", demo.folder, PAGE, "-n", 4))
    assert found == demo.similar(PAGE, top=4).to_table().to_pylist()
    assert len(found) == 4


def test_similar_pages_to_read(demo: Workspace) -> None:
    done = run("similar", demo.folder, PAGE, "--text", "-n", 2, "-f", "table")
    first = demo.similar(PAGE, text=True).pages[0]
    assert first.page.removeprefix("http://") in done.stdout
    assert f"{first.witness_counts['co-citation']} pages link to both:" in done.stdout
    assert f"shared words: {first.shared_words[0]}" in done.stdout
    assert "2 pages by combined" in done.stderr


def test_options_of_a_method_reach_it(demo: Workspace) -> None:
    words = ("similar", "co-citation", demo.folder, PAGE)
    plain, counted = rows(in_lines(*words)), rows(in_lines(*words, "--similarity", "count"))
    assert counted[0]["score"] > 1 >= plain[0]["score"]
    done = run(*words, "--vote", "site", "-f", "table", "-n", 1)
    assert "sites link to both" in done.stdout
    run(*words, "--similarity", "best", code=2)
    run(*words, "--text", code=2)


def test_similar_hosts(demo: Workspace) -> None:
    found = rows(in_lines("similar", demo.folder, PAGE, "--level", "host", "-n", 3))
    assert all("/" not in row["page"] for row in found)
    assert len(found) == 3


def test_a_document_has_the_witnesses(demo: Workspace) -> None:
    done = json.loads(run("similar", demo.folder, PAGE, "-f", "json", "-n", 1).stdout)
    [page] = done["rows"]
    witness = page["witnesses"][0]
    linking = {row["url"]: row["anchor"] for row in demo.links(page["url"], "in").to_pylist()}
    assert linking[witness["url"]] == witness["other_anchor"]
    assert done["options"]["similarity"] == "cosine"
    assert done["provenance"]["level"] == "page"


def test_suggestions_as_rows(demo: Workspace) -> None:
    found = rows(in_lines("suggest", demo.folder, PAGE, "-n", 3))
    assert found == demo.suggest(PAGE, top=3).to_table().to_pylist()
    assert {row["direction"] for row in found} == {"to", "from"}


def test_suggestions_to_read(demo: Workspace) -> None:
    done = run("suggest", demo.folder, PAGE, "-n", 2, "-f", "table")
    found = demo.suggest(PAGE, top=2)
    assert "Missing links from the page" in done.stdout
    assert "Missing links to the page" in done.stdout
    for link in (*found.to, *found.from_):
        assert link.page.removeprefix("http://") in done.stdout
        assert f'anchor "{link.anchor}"' in done.stdout


def test_suggestions_in_one_direction_and_on_one_site(demo: Workspace) -> None:
    only = rows(in_lines("suggest", demo.folder, PAGE, "--direction", "from", "-n", 2))
    assert {row["direction"] for row in only} == {"from"}
    page = "www.jaguarcars.example"
    near = rows(in_lines("suggest", demo.folder, page, "--same-site"))
    assert all("jaguarcars.example/" in row["url"] for row in near)


def test_suggestions_as_a_table_file(demo: Workspace) -> None:
    done = run("suggest", "adamic-adar", demo.folder, PAGE, "-f", "csv")
    found = list(csv.DictReader(io.StringIO(done.stdout)))
    assert float(found[0]["adamic-adar"]) == float(found[0]["score"]) > 0


def test_suggestions_as_a_document(demo: Workspace) -> None:
    done = json.loads(run("suggest", demo.folder, PAGE, "-f", "json", "-n", 1).stdout)
    assert done["from"][0]["witnesses"]
    assert done["method"] == "fused"


def test_an_unknown_page_is_an_error(demo: Workspace) -> None:
    with pytest.raises(UnknownName):
        run("suggest", demo.folder, "nowhere.example")


def test_an_empty_result_is_reported(demo: Workspace) -> None:
    done = run("suggest", demo.folder, PAGE, "--same-site", "--direction", "to", "-f", "table")
    assert "no missing link found" in done.stderr


def test_long_anchors_are_cut(keep: Callable[..., Workspace]) -> None:
    links = (Link("http://x.org/", "x"), Link("http://y.org/", "why " * 100))
    made = keep(Page("http://hub.org/", links=links))
    shown = run("similar", made.folder, "x.org", "-f", "table").stdout
    assert 'hub.org/ "why why' in shown
    assert len(shown) < 300
