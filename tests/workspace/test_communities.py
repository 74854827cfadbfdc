"""Communities of a collection: found, named, compared, and knowing where they come from."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.subjects import TWO_SUBJECTS

from weft.communities import Communities
from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Link, Page
from weft.gather.url import host
from weft.store.term_weights import TermWeights
from weft.workspace import communities as grouping
from weft.workspace.analyse import Selection, load_selection
from weft.workspace.communities import (
    MAX_KEYWORDS,
    attach_keywords,
    cached_communities,
    compare_with_labels,
    find_page_name,
    label_communities,
    match_labels_to_pages,
    read_labels,
    sum_term_weights,
)
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


@pytest.fixture
def two(keep: Keep) -> Workspace:
    return keep(*TWO_SUBJECTS)


def test_two_communities_and_their_names(two: Workspace) -> None:
    found = two.communities()
    assert [community.label[0] for community in found] == ["Engine", "Jungle"]
    assert {community.title for community in found} == {
        "engine links a; engine links b",
        "jungle links a; jungle links b",
    }
    assert found.community_numbers("http://cars0.org/") == [1]
    assert found.facts["modularity"] == pytest.approx(0.5)


def test_a_query_has_communities_of_its_own(two: Workspace) -> None:
    found = two.communities("jungle", between="domain")
    assert {host(page) for page in found.base.pages} == {
        "cats.com",
        *(f"cats{k}.org" for k in range(6)),
    }
    assert found.base.query == "jungle"
    assert found.provenance["base"]["root"] == 10, "six say so, and links to four"


def test_hosts_have_communities(two: Workspace) -> None:
    found = two.communities(level="host", method="friends")
    assert found.base.level == "host"
    assert {found.base.pages[page] for page in found[0].members} >= {"cars0.org", "cars1.org"}


def test_every_method_can_be_called(two: Workspace) -> None:
    assert len(two.communities(method="hits", vectors=2)[0]) == 18
    assert two.communities(method="agora").to_table().column_names[0] == "page"
    with pytest.raises(UnknownName, match="modularty"):
        two.communities(method="modularty")
    with pytest.raises(BadParameter, match="resolution"):
        two.communities(resolution=-1)


def test_a_result_knows_where_it_comes_from(two: Workspace) -> None:
    origin = two.communities(exclude=("cars.com",)).provenance
    assert origin["snapshot"] == 1
    assert origin["exclude"] == ["cars.com"]
    assert origin["base"]["links"] == 24
    assert origin["level"] == "page"


def test_only_the_first_have_names(two: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "MAX_LABELLED_COMMUNITIES", 1)
    found = two.communities(cache=False)
    assert [bool(community.label) for community in found] == [True, False]
    assert found.notes[-1] == "only the first 1 of 2 communities have names"
    assert len(label_communities(found)) == 2


def labels(two: Workspace, tmp_path: Path, text: str) -> tuple[Communities, dict[str, str]]:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return two.communities(), read_labels(path)


def test_labels_of_a_file_are_compared(two: Workspace, tmp_path: Path) -> None:
    rows = [f"http://{group}{k}.org,{group}" for group in ("cars", "cats") for k in range(3)]
    found, given = labels(two, tmp_path, "\n".join(rows))
    result = compare_with_labels(found, given)
    assert (result.ari, result.nmi, result.compared_pages) == pytest.approx((1.0, 1.0, 6))
    found, given = labels(two, tmp_path, "cars0.org\tx\ncats0.org\tx\ncats1.org\ty\n")
    assert compare_with_labels(found, given).purity == pytest.approx(2 / 3)


def test_labels_that_say_nothing_are_an_error(two: Workspace, tmp_path: Path) -> None:
    found, given = labels(two, tmp_path, "http://nowhere.org/,x\n")
    with pytest.raises(BadParameter, match="none of the labelled pages"):
        compare_with_labels(found, given)
    with pytest.raises(BadParameter, match="row 2 has no label"):
        labels(two, tmp_path, "http://cars0.org/,x\nhttp://cats0.org/\n")


def test_pages_go_by_several_names(two: Workspace) -> None:
    found = two.communities()
    assert find_page_name(found, "cars0.org") == "http://cars0.org/"
    assert find_page_name(found, "elsewhere.org") == "elsewhere.org"
    assert match_labels_to_pages(found.graph, {"cars0.org": "a", "none.org": "b"}) == {
        "http://cars0.org/": "a"
    }


def test_what_was_found_before_is_there_and_nothing_else(two: Workspace) -> None:
    view = Selection("page")
    assert cached_communities(two.collection, view, "modularity", {}) is None
    made = two.communities()
    known = cached_communities(two.collection, view, "modularity", {})
    assert known is not None
    assert [one.label for one in known] == [one.label for one in made]
    assert known.provenance.keys() == made.provenance.keys()
    assert cached_communities(two.collection, view, "modularity", {"seed": 1}) is None


def said(words: TermWeights, row: int) -> set[str]:
    inside = slice(words.matrix.starts[row], words.matrix.starts[row + 1])
    return {words.stems[int(k)].as_py().rpartition("/")[2] for k in words.matrix.ids[inside]}


def shop(keep: Keep) -> Workspace:
    texts = {"a.org/1": "zebra", "a.org/2": "lion", "b.org/": "lion zebra", "c.org/": "tiger"}
    return keep(
        *(
            Page(
                f"http://{url}",
                text=f"{text} word",
                language="en",
                links=(Link("http://x.net/", ""),),
            )
            for url, text in texts.items()
        ),
        Page("http://d.org/", text="tiger and more", language="en"),
    )


def test_a_host_says_what_its_pages_say(keep: Keep) -> None:
    collection = shop(keep).collection
    base = attach_keywords(collection, load_selection(collection, Selection("host")).base)
    words = {name: said(base.term_weights, k) for k, name in enumerate(base.pages)}
    assert words["a.org"] >= {"zebra", "lion"}
    assert words["b.org"] >= {"zebra", "lion"}
    assert "tiger" in words["c.org"] & words["d.org"]
    assert words["x.net"] == set()


def test_hosts_that_are_left_out_have_no_row(keep: Keep) -> None:
    collection = shop(keep).collection
    base = attach_keywords(
        collection,
        load_selection(collection, Selection.from_options("host", exclude=("a.org",))).base,
    )
    assert "a.org" not in base.pages
    words = {name: said(base.term_weights, k) for k, name in enumerate(base.pages)}
    assert "tiger" in words["c.org"]
    assert "tiger" not in words["b.org"]


def test_pages_stay_as_they_are(keep: Keep) -> None:
    collection = shop(keep).collection
    base = load_selection(collection, Selection()).base
    assert attach_keywords(collection, base) is base


def test_the_weightiest_are_kept() -> None:
    texts = [" ".join(f"w{chr(97 + k % 26)}{chr(97 + j)}" for j in range(20)) for k in range(10)]
    pages = TermWeights.from_texts([""] * 20, texts * 2, ["en"] * 20)
    owner = np.zeros(20, np.int32)
    assert len(sum_term_weights(pages, owner, 1).matrix.ids) == min(MAX_KEYWORDS, len(pages.stems))
