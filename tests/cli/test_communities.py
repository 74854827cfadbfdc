"""`weft communities`: to read, as rows, as one document, as a matrix, beside given labels."""

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.command import rows, run
from tests.subjects import HUBS_ONLY, TWO_SUBJECTS

from weft.core.errors import BadParameter
from weft.gather.page import Link, Page
from weft.server.schemas.groups import CommunitiesResponse, GroupDetails
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
communities = partial(run, "communities")


@pytest.fixture
def two(keep: Keep) -> Path:
    return keep(*TWO_SUBJECTS).folder


def test_communities_to_read(two: Path) -> None:
    shown = communities(two, "-f", "table")
    assert "Community 1  Engine   10 pages; 24 links inside, 0 leave, 0 arrive" in shown.stdout
    assert "authorities   1 cars.com/0" in shown.stdout
    assert "2 communities by modularity, modularity 0.500" in shown.stderr


def test_uncaptured_pages_are_no_members_unless_kept(keep: Keep) -> None:
    hubs = keep(*HUBS_ONLY).folder
    shown = communities(hubs, "-f", "table").stdout
    assert "Community 1  Engine   6 pages; 0 links inside, 24 leave, 0 arrive" in shown
    assert "cars.com" not in shown
    kept = communities(hubs, "--uncaptured", "keep", "-f", "table").stdout
    assert "Community 1  Engine   10 pages; 24 links inside, 0 leave, 0 arrive" in kept
    assert "authorities   1 cars.com/0" in kept


def test_a_row_for_each(two: Path) -> None:
    assert [row["label"] for row in rows(communities(two, "-f", "jsonl"))] == ["Engine", "Jungle"]
    table = csv.DictReader(io.StringIO(communities(two, "-f", "csv", "--members").stdout))
    assert len({row["page"] for row in table}) == 20
    limited = communities(two, "--communities", 1, "-f", "jsonl")
    assert len(rows(limited)) == 1
    assert "1 more community" in limited.stderr


def test_one_document(two: Path) -> None:
    document = json.loads(run("communities", "friends", two, "jaguar", "-f", "json").stdout)
    assert document["query"] == "jaguar"
    assert document["options"]["neighbours"] == 10
    first = document["communities"][0]
    assert first["pages"] == 6
    [alike] = first["evidence"]
    assert alike["name"] == "most similar"
    assert [[page["url"] for page in row] for row in alike["rows"]] == [
        ["http://cars0.org/", f"http://cars{k}.org/"] for k in range(1, 6)
    ]


def test_the_matrix(two: Path) -> None:
    assert rows(communities(two, "--matrix", "-f", "jsonl"))[0] == {
        "source": 1,
        "target": 1,
        "links": 24,
    }
    shown = communities(two, "--matrix", "-f", "table").stdout
    assert "1 Engine" in shown
    assert "24" in shown


def test_the_communities_of_one_page(two: Path) -> None:
    shown = communities(two, "--of", "cars0.org", "-f", "table").stdout
    assert "community 1 (Engine): hub" in shown
    assert "→ cars.com/0" in shown
    [role] = rows(communities(two, "--of", "cars0.org", "-f", "jsonl"))
    assert (role["community"], role["label"], role["role"]) == (1, "Engine", "hub")
    assert role["linked_pages"].split(" | ")[0] == "http://cars.com/0"
    document = json.loads(communities(two, "--of", "cats.com/1", "-f", "json").stdout)
    assert (document["numbers"], document["roles"][0]["number"]) == ([2], 2)


def test_given_labels_are_compared(two: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("".join(f"cars{k}.org,x\ncats{k}.org,y\n" for k in range(4)))
    done = communities(two, "--with", labels, "-f", "jsonl")
    assert {row["measure"]: row["value"] for row in rows(done)} == pytest.approx(
        {"nmi": 1.0, "ari": 1.0, "purity": 1.0}
    )
    assert "8 of 20 pages have a label and a community" in done.stderr
    agreement = json.loads(communities(two, "--with", labels, "-f", "json").stdout)
    assert agreement["ari"] == pytest.approx(1.0)


def test_only_one_answer_at_a_time(two: Path, tmp_path: Path) -> None:
    for words in (["--matrix", "--members"], ["--of", "cars0.org", "--with", tmp_path / "l.csv"]):
        options = " and ".join(str(word) for word in words if str(word).startswith("--"))
        with pytest.raises(BadParameter, match=f"{options} cannot be combined"):
            communities(two, *words)


def test_options_of_the_method_and_of_the_view(two: Path) -> None:
    assert len(rows(communities(two, "--min-size", "11", "-f", "jsonl"))) == 0
    assert len(rows(communities(two, "--level", "host", "-f", "jsonl"))) == 2
    without = rows(communities(two, "--exclude", "cats.com", "--fresh", "-f", "jsonl"))
    assert {row["label"] for row in without} == {"Engine"}
    hosts = communities(two, "--level", "host", "--exclude", "cats.com")
    assert "without cats.com: 1 host and 6 links left out" in hosts.stderr
    with pytest.raises(BadParameter, match="resolution"):
        communities(two, "--resolution", "0")


def test_pages_between_communities(keep: Keep) -> None:
    meet = [
        Page(
            f"http://{c}{i}.org/",
            title=f"{c} {i}",
            text=c,
            language="en",
            links=tuple(Link(f"http://{c}{j}.org/", "") for j in range(4) if j != i)
            + ((Link("http://x.net/", ""),) if i == 0 else ()),
        )
        for c in ("ab", "cd", "ef")
        for i in range(4)
    ]
    folder = keep(*meet).folder
    options = ("agora", folder, "--base-method", "modularity")
    assert "x.net/   3 communities, 3 links" in communities(*options, "-f", "table").stdout
    assert rows(communities(*options, "-f", "jsonl"))[0]["page"] == "http://x.net/"
    [bridge] = json.loads(communities(*options, "-f", "json").stdout)["bridge_pages"]
    assert (bridge["url"], bridge["communities"], bridge["inlinks"]) == (
        "http://x.net/",
        [1, 2, 3],
        3,
    )
    assert [page["url"] for page in bridge["through"]] == [
        "http://ab0.org/",
        "http://cd0.org/",
        "http://ef0.org/",
    ]


def test_keys_of_the_document(two: Path) -> None:
    """Programs read these keys: they are those of the API, and of topics."""
    document = json.loads(communities(two, "-f", "json", "-n", 2).stdout)
    only_api = {"snapshot", "matrix", "assigned_pages", "overlapping"}
    assert set(document) == set(CommunitiesResponse.model_fields) - only_api
    for community in document["communities"]:
        assert set(community) == set(GroupDetails.model_fields)
        assert [len(community[role]) for role in ("authorities", "hubs")] == [2, 2]
        GroupDetails.model_validate(community)
    topics = json.loads(run("topics", two, "-f", "json", "--min-size", 5).stdout)
    assert set(topics) - {"topics"} == set(document) - {"communities"}
