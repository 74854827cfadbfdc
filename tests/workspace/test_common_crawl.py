"""Common Crawl's host and domain graphs, in files as they are published."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.command import is_one_sentence, weft

from weft.core.errors import BadParameter, WeftError
from weft.workspace.workspace import Workspace

# Reversed names, sorted as bytes and numbered from 0.
HOSTS = ["com.example", "com.example-a", "com.example.www", "org.a", "org.a.b", "uk.co.shop"]
LINKS = [(0, 2), (1, 0), (2, 0), (3, 0), (4, 3), (4, 4), (1, 2)]
HEADER = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev"
# Harmonic centrality and PageRank of all but one host, by harmonic centrality.
RANKS = {
    "com.example": ("3.0E7", "0.31"),
    "com.example.www": ("2.5E7", "0.35"),
    "org.a": ("1.0", "0.1"),
    "org.a.b": ("0.0", "1.2E-9"),
    "com.example-a": ("0.0", "1.1E-9"),
}


class Release(NamedTuple):
    """The files of a graph."""

    edges: Path
    vertices: Path
    ranks: Path


def write_gzip(path: Path, lines: Sequence[str]) -> Path:
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


def rank_lines(header: str, more: str = "") -> list[str]:
    places = {name: k for k, name in enumerate(sorted(RANKS, key=lambda n: -float(RANKS[n][1])), 1)}
    return [
        header,
        *(
            f"{place}\t{harmonic}\t{places[name]}\t{pagerank}\t{name}{more}"
            for place, (name, (harmonic, pagerank)) in enumerate(RANKS.items(), 1)
        ),
    ]


@pytest.fixture
def domains(tmp_path: Path) -> Release:
    """A domain graph: one file each, with the number of hosts of a domain."""
    return Release(
        write_gzip(tmp_path / "domain-edges.txt.gz", [f"{a}\t{b}" for a, b in LINKS]),
        write_gzip(
            tmp_path / "domain-vertices.txt.gz", [f"{k}\t{name}\t2" for k, name in enumerate(HOSTS)]
        ),
        write_gzip(tmp_path / "domain-ranks.txt.gz", rank_lines(f"{HEADER}\t#n_hosts", "\t2")),
    )


@pytest.fixture
def hosts(tmp_path: Path) -> Release:
    """A host graph: folders of parts."""
    for name in ("edges", "vertices"):
        (tmp_path / name).mkdir()
    for part in range(2):
        write_gzip(
            tmp_path / "edges" / f"part-0000{part}.txt.gz", [f"{a}\t{b}" for a, b in LINKS[part::2]]
        )
        vertices = list(enumerate(HOSTS))[part * 3 :][:3]
        write_gzip(
            tmp_path / "vertices" / f"part-0000{part}.txt.gz",
            [f"{k}\t{name}" for k, name in vertices],
        )
    (tmp_path / "edges" / ".listing").write_text("not a part")
    ranks = write_gzip(tmp_path / "host-ranks.txt.gz", rank_lines(HEADER))
    return Release(tmp_path / "edges", tmp_path / "vertices", ranks)


def add(folder: Path, release: Release, *, ranks: bool = True) -> Workspace:
    workspace = Workspace(folder)
    given = release.ranks if ranks else None
    result = workspace.add(release.edges, vertices=release.vertices, ranks=given)
    assert not result.problems.counts
    return workspace


def links(workspace: Workspace) -> set[tuple[str, str]]:
    table = workspace.graph().to_arrow().to_pydict()
    return set(zip(table["source"], table["target"], strict=True))


def test_domain_graph(domains: Release, tmp_path: Path) -> None:
    workspace = add(tmp_path / "c.weft", domains)
    names = [".".join(reversed(name.split("."))) for name in HOSTS]
    assert set(workspace.graph().pages) == set(names)
    assert links(workspace) == {(names[a], names[b]) for a, b in LINKS if a != b}
    assert workspace.counts["domains"] == 4
    assert workspace.doctor(deep=True) == []


def test_parts_in_folders_are_one_graph(domains: Release, hosts: Release, tmp_path: Path) -> None:
    one, parts = (add(tmp_path / f"{k}.weft", own) for k, own in enumerate((domains, hosts)))
    assert links(one) == links(parts)
    assert len(parts.collection.manifest.segments) == 1
    assert parts.add(hosts.edges, vertices=hosts.vertices, ranks=hosts.ranks).new == 0


def test_published_ranks_can_be_compared(hosts: Release, tmp_path: Path) -> None:
    workspace = add(tmp_path / "c.weft", hosts)
    published = workspace.rank("published-pagerank")
    assert [row.page for row in published] == [
        "www.example.com", "example.com", "a.org", "b.a.org", "example-a.com",
    ]  # fmt: skip
    assert published[0].score == 0.35
    harmonic = workspace.rank("published-harmonic")
    assert harmonic["example.com"].score == 3e7
    comparison = workspace.compare_methods("pagerank", "published-pagerank", "published-harmonic")
    assert comparison.left_out["pagerank"] == 1  # shop.co.uk has no published rank
    # The order of both is the same but for the first two.
    (agreement,) = (
        own
        for own in comparison.agreements
        if own.first.startswith("published") and own.second != own.first
    )
    assert 0 < agreement.pair_counts.tau_b < 1
    done = weft("compare-methods", workspace.folder, "--methods", "pagerank,published-pagerank")
    assert done.returncode == 0
    assert "published-pagerank" in done.stdout


def test_published_ranks_of_a_selection(hosts: Release, tmp_path: Path) -> None:
    workspace = add(tmp_path / "c.weft", hosts)
    ranking = workspace.rank("published-pagerank", exclude=["example.com"])
    assert [row.page for row in ranking] == ["a.org", "b.a.org", "example-a.com"]
    with pytest.raises(BadParameter, match="not for hosts"):
        workspace.rank("published-pagerank", level="host")


def test_published_ranks_are_exported(domains: Release, tmp_path: Path) -> None:
    workspace = add(tmp_path / "c.weft", domains)
    workspace.export(tmp_path / "pages.csv", "pages")
    rows = (tmp_path / "pages.csv").read_text().replace('"', "").splitlines()
    assert rows[0].split(",")[-2:] == ["published:harmonic", "published:pagerank"]
    cells = {row.split(",")[0]: row.split(",")[-2:] for row in rows[1:]}
    assert [float(cell) for cell in cells["www.example.com"]] == [2.5e7, 0.35]
    assert cells["shop.co.uk"] == ["", ""]


def test_ranks_survive_a_compaction(domains: Release, tmp_path: Path) -> None:
    workspace = add(tmp_path / "c.weft", domains)
    before = workspace.rank("published-harmonic").scores["harmonic"]
    workspace.remove(urls=["a.org"])
    workspace.compact()
    after = workspace.rank("published-harmonic")
    assert set(after.pages) == {"www.example.com", "example.com", "b.a.org", "example-a.com"}
    assert np.sort(after.scores["harmonic"])[-1] == before.max()


def test_a_collection_without_ranks_says_so(domains: Release, tmp_path: Path) -> None:
    workspace = add(tmp_path / "c.weft", domains, ranks=False)
    with pytest.raises(WeftError, match="has no published pagerank"):
        workspace.rank("published-pagerank")
    workspace.export(tmp_path / "pages.csv", "pages")
    assert "published" not in (tmp_path / "pages.csv").read_text()


def test_bad_rows_are_reported(domains: Release, tmp_path: Path) -> None:
    write_gzip(domains.edges, ["0\t1", "0\t99", "x\t1", "1\t2"])
    ranks = rank_lines(f"{HEADER}\t#n_hosts", "\t2")
    write_gzip(domains.ranks, [*ranks, "7\tnone\t7\t0.1\torg.a\t1", "8\t1\t8\t0.1\torg.unknown\t1"])
    workspace = Workspace(tmp_path / "c.weft")
    result = workspace.add(domains.edges, vertices=domains.vertices, ranks=domains.ranks)
    assert result.problems.locations == {
        "bad rows in an edge list": [
            f"{domains.edges}:2",
            f"{domains.edges}:3",
            f"{domains.ranks}:7",
        ],
        "ranks of names that the graph does not have": [f"{domains.ranks}"],
    }
    assert result.problems.damage_count == 3
    assert len(links(workspace)) == 2
    assert len(workspace.rank("published-pagerank")) == 5


def test_wrong_files_are_refused(domains: Release, tmp_path: Path) -> None:
    for words in (
        ("--vertices", domains.vertices, "--ranks", domains.edges),
        ("--vertices", domains.vertices, "--ranks", tmp_path / "missing"),
        ("--ranks", domains.ranks),
    ):
        done = weft("add", tmp_path / "c.weft", domains.edges, *words)
        assert done.returncode == 1
        assert is_one_sentence(done)
