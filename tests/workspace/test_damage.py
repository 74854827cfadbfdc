"""Damaged files: the doctor names them, and no command answers from them."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import DamagedFile
from weft.gather.page import Link, Page
from weft.workspace import maintain
from weft.workspace.facts import collection_facts
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


@pytest.fixture(scope="module")
def worn(keep_at: Keep, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with every kind of file: links with weights and anchors, rows taken out."""
    folder = tmp_path_factory.mktemp("worn") / "c.weft"
    to = Link("http://b.com/", "bee"), Link("http://b.com/", "bee again"), Link("http://c.com/")
    pages = [Page(f"http://a.com/{k}", title=f"cat {k}", text="cat dog " * k) for k in range(9)]
    keep_at(folder, *pages, Page("http://a.com/", text="the cat", links=to), Page("http://d.com/"))
    keep_at(folder, Page("http://b.com/", text="a cat of b"))
    maintain.remove_pages(folder, maintain.PageSelector(urls=["http://d.com/"]))
    return folder


def answers(folder: Path, into: Path) -> dict[str, Callable[[], object]]:
    """What commands say, each from a collection opened anew."""

    def export(name: str, what: str) -> bytes:
        Workspace(folder).export(into / name, what)  # type: ignore[arg-type]
        return (into / name).read_bytes()

    return {
        "search": lambda: Workspace(folder).search("cat bee", 50).to_table().to_pylist(),
        "links": lambda: Workspace(folder).links("http://b.com/").to_pylist(),
        "edges": lambda: export("edges.csv", "edges"),
        "pages": lambda: export("pages.csv", "pages"),
        "info": lambda: collection_facts(Workspace(folder)),
        "rank": lambda: Workspace(folder).rank("indegree").to_table().to_pylist(),
    }


@pytest.fixture(scope="module")
def intact(worn: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return {name: ask() for name, ask in answers(worn, tmp_path_factory.mktemp("out")).items()}


def committed(folder: Path) -> list[str]:
    return sorted(Workspace(folder).collection.committed_files())


def test_every_kind_of_file_is_there(worn: Path) -> None:
    names = " ".join(committed(worn))
    for part in ("removed-", "aliases", "anchors", "in_weights", "out_link_ids", ".idx", "meta"):
        assert part in names


def damage(path: Path, how: str) -> None:
    raw, state = bytearray(path.read_bytes()), path.stat()
    if how == "deleted":
        path.unlink()
        return
    if how == "cut":
        del raw[-1:]
    else:
        raw[len(raw) // 2] ^= 0x10
    path.write_bytes(raw)
    if how == "flipped unseen":
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["cut", "flipped", "flipped unseen", "deleted"])
def test_damage_to_any_file(
    worn: Path, intact: dict[str, object], tmp_path: Path, how: str
) -> None:
    for k, victim in enumerate(committed(worn)):
        folder = tmp_path / f"{k}.weft"
        shutil.copytree(worn, folder)
        damage(folder / victim, how)
        name = Path(victim).name
        assert [name in line for line in maintain.find_damaged_files(folder)] == [True], victim
        asked = answers(folder, tmp_path).items()
        refused = {verb for verb, ask in asked if refuses(ask, name, intact[verb])}
        if how != "flipped unseen":
            assert refused == set(intact), victim


def refuses(ask: Callable[[], object], name: str, otherwise: object) -> bool:
    """Whether a command refuses and names the file; should it answer, it must be right."""
    try:
        said = ask()
    except DamagedFile as error:
        return name in str(error)
    assert said == otherwise, f"answered from {name}"
    return False


@pytest.mark.parametrize("table", ["urls", "pages", "links"])
@pytest.mark.parametrize("where", [0, 1, 2])
def test_writers_do_not_build_on_damage(worn: Path, tmp_path: Path, table: str, where: int) -> None:
    folder = tmp_path / "c.weft"
    shutil.copytree(worn, folder)
    path = folder / "segments" / "000001" / f"{table}.parquet"
    raw, state = bytearray(path.read_bytes()), path.stat()
    raw[[5, len(raw) // 2, len(raw) - 30][where]] ^= 1
    path.write_bytes(raw)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    (tmp_path / "more.jsonl").write_text('{"url": "http://e.com/", "text": "more"}\n')
    workspace = Workspace(folder)
    for work in (
        lambda: workspace.add(tmp_path / "more.jsonl"),
        lambda: workspace.remove(["http://b.com/"]),
        workspace.compact,
        lambda: Workspace(tmp_path / "other.weft").add(folder),
    ):
        with pytest.raises(DamagedFile, match=table):
            work()


def test_the_doctor_reads_what_others_trust(worn: Path) -> None:
    assert maintain.find_damaged_files(worn) == []


def test_junk_in_place_of_the_commit(worn: Path, tmp_path: Path) -> None:
    folder = tmp_path / "c.weft"
    shutil.copytree(worn, folder)
    (folder / "collection.json").write_text("{}")
    assert "collection.json" in maintain.find_damaged_files(folder)[0]
    for ask in answers(folder, tmp_path).values():
        with pytest.raises(DamagedFile, match=r"collection\.json"):
            ask()
    with pytest.raises(DamagedFile, match=r"collection\.json"):
        Workspace(folder).compact()
