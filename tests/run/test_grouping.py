"""Communities of a collection: found, named, compared, and knowing where they come from."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.subjects import TWO_SUBJECTS

from weft.communities import Communities
from weft.core.errors import BadParameter, UnknownName
from weft.gather.url import host
from weft.run import grouping
from weft.run.analyse import View
from weft.run.grouping import (
    compare_with,
    found_before,
    named,
    named_page,
    read_labels,
    with_forms,
)
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]


@pytest.fixture
def two(keep: Keep) -> Workspace:
    return keep(*TWO_SUBJECTS)


def test_two_communities_and_their_names(two: Workspace) -> None:
    found = two.communities()
    assert [community.label[0] for community in found] == ["engine", "jungle"]
    assert {community.title for community in found} == {"engine links a", "jungle links a"}
    assert found.of("http://cars0.org/") == [1]
    assert found.facts["modularity"] == pytest.approx(0.5)


def test_a_query_has_communities_of_its_own(two: Workspace) -> None:
    found = two.communities("jungle", between="domain")
    assert {host(page) for page in found.base.pages} == {
        "cats.com",
        *(f"cats{k}.org" for k in range(6)),
    }
    assert found.base.query == "jungle"
    assert found.provenance["base"]["root"] == 6


def test_hosts_have_communities(two: Workspace) -> None:
    found = two.communities(level="host", method="friends")
    assert found.base.level == "host"
    assert {found.base.pages[page] for page in found[0].members} >= {"cars0.org", "cars1.org"}


def test_every_method_has_a_door(two: Workspace) -> None:
    assert len(two.communities(method="hits", vectors=2)[0]) == 18
    assert two.communities(method="agora").to_table().column_names[0] == "page"
    with pytest.raises(UnknownName, match="modularty"):
        two.communities(method="modularty")
    with pytest.raises(BadParameter, match="resolution"):
        two.communities(resolution=-1)


def test_a_result_knows_where_it_comes_from(two: Workspace) -> None:
    told = two.communities(without=("cars.com",)).provenance
    assert told["snapshot"] == 1
    assert told["without"] == ["cars.com"]
    assert told["base"]["links"] == 24
    assert told["level"] == "page"


def test_only_the_first_have_names(two: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "NAMED", 1)
    found = two.communities(cache=False)
    assert [bool(community.label) for community in found] == [True, False]
    assert found.notes[-1] == "only the first 1 of 2 communities have names"
    assert len(named(found)) == 2


def labels(two: Workspace, tmp_path: Path, text: str) -> tuple[Communities, dict[str, str]]:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return two.communities(), read_labels(path)


def test_labels_of_a_file_are_compared(two: Workspace, tmp_path: Path) -> None:
    rows = [f"http://{group}{k}.org,{group}" for group in ("cars", "cats") for k in range(3)]
    found, given = labels(two, tmp_path, "\n".join(rows))
    result = compare_with(found, given)
    assert (result.ari, result.nmi, result.pages) == pytest.approx((1.0, 1.0, 6))
    found, given = labels(two, tmp_path, "cars0.org\tx\ncats0.org\tx\ncats1.org\ty\n")
    assert compare_with(found, given).purity == pytest.approx(2 / 3)


def test_labels_that_say_nothing_are_an_error(two: Workspace, tmp_path: Path) -> None:
    found, given = labels(two, tmp_path, "http://nowhere.org/,x\n")
    with pytest.raises(BadParameter, match="none of the labelled pages"):
        compare_with(found, given)
    with pytest.raises(BadParameter, match="row 2 has no label"):
        labels(two, tmp_path, "http://cars0.org/,x\nhttp://cats0.org/\n")


def test_pages_go_by_several_names(two: Workspace) -> None:
    found = two.communities()
    assert named_page(found, "cars0.org") == "http://cars0.org/"
    assert named_page(found, "elsewhere.org") == "elsewhere.org"
    assert with_forms(found.graph, {"cars0.org": "a", "none.org": "b"}) == {
        "http://cars0.org/": "a"
    }


def test_what_was_found_before_is_there_and_nothing_else(two: Workspace) -> None:
    view = View("page")
    assert found_before(two.collection, view, "modularity", {}) is None
    made = two.communities()
    known = found_before(two.collection, view, "modularity", {})
    assert known is not None
    assert [one.label for one in known] == [one.label for one in made]
    assert known.provenance.keys() == made.provenance.keys()
    assert found_before(two.collection, view, "modularity", {"seed": 1}) is None
