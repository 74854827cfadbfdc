"""Collections that somebody else made: right digests, wrong contents.

No compiled loop may follow what is in them out of its arrays, no panic of the index may come
through, and every refusal is an error of ours.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.workspace.requests import request, write_log
from tests.workspace.untrusted import seal

from weft.core.errors import DamagedFile, MalformedFile
from weft.gather.formats import recognise_input
from weft.gather.html import ParseOptions
from weft.workspace import maintain
from weft.workspace.ingest import add_sources
from weft.workspace.workspace import Workspace

ROOT = Path(__file__).parents[2]
GRAPH = "snapshots/000003/graph"


def row(url: str, text: str = "", links: tuple[tuple[str, str], ...] = (), rel: str = "") -> str:
    ends = [{"url": target, "anchor": anchor, "rel": rel} for target, anchor in links]
    return json.dumps({"url": url, "title": url[-1:], "text": text, "links": ends})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind of file: anchors, marks, self-links, weights, a list, requests, removed rows."""
    home = tmp_path_factory.mktemp("made")
    pages = [
        row(
            f"http://a.com/{k}",
            "cat dog " * k,
            (
                ("http://b.com/", "bee"),
                ("http://a.com/", "home"),
                (f"http://a.com/{(k + 1) % 9}", "next"),
                (f"http://c{k % 3}.com/", "see"),
                (f"http://d.com/{k}", "more"),
            ),
            "nofollow" if k % 2 else "",
        )
        for k in range(9)
    ]
    own = (("http://b.com/", "bee"), ("http://b.com/", "bee again"), ("http://a.com/", "self"))
    pages += [row("http://a.com/", "the cat", own), row("http://d.com/", "dog")]
    pages += [row("http://b.com/", "a cat of b", (("http://a.com/3", "x"),))]
    (home / "pages.jsonl").write_text("\n".join(pages))
    (home / "links.csv").write_text(
        "source,target,weight\nhttp://a.com/1,http://e.com/,0.1\nhttp://e.com/,http://b.com/,2\n"
    )
    workspace = Workspace(home / "c.weft")
    workspace.add(home / "pages.jsonl")
    log = write_log(home / "log", [request(page, 9 + k) for k, page in enumerate("abcabd")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(home / "configuration"))
        add_sources(home / "c.weft", [recognise_input(home / "links.csv"), log], ParseOptions())
    workspace.remove(["http://d.com/"])
    return home / "c.weft"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "c.weft"))


SUFFIXES = {".npy", ".arrow", ".parquet", ".json"}
SUFFIXES |= {".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term"}


@pytest.mark.slow
def test_no_change_of_a_file_is_followed_blindly(made: Path, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "tests.workspace.untrusted", str(made), str(tmp_path)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, lines[-1:]
    assert [line for line in lines if line.startswith("wrong")] == []
    assert {line.split()[1] for line in lines if line.startswith("done")} == SUFFIXES


def test_what_nobody_changed_agrees(made: Path) -> None:
    assert maintain.find_damaged_files(made, deep=True) == []


def changed(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    path = folder / name
    values = change(np.load(path))
    np.save(path, values)
    seal(folder)


def swapped(values: Any) -> Any:
    """The same with its two ends exchanged."""
    values[[0, -1]] = values[[-1, 0]]
    return values


def test_offsets_that_lead_elsewhere_are_refused(copy: Path) -> None:
    def far(values: Any) -> Any:
        values[len(values) // 2] = 2**40
        return values

    changed(copy, f"{GRAPH}/out_starts.npy", far)
    assert maintain.find_damaged_files(copy) == []
    with pytest.raises(MalformedFile, match="out_starts"):
        Workspace(copy).rank()
    [found] = {
        line for line in maintain.find_damaged_files(copy, deep=True) if "out_starts" in line
    }
    assert "malformed" in found


@pytest.mark.parametrize("name", ["out_weights", "in_weights"])
def test_directions_that_disagree_are_refused(copy: Path, name: str) -> None:
    changed(copy, f"{GRAPH}/{name}.npy", lambda values: values[::-1].copy())
    with pytest.raises(MalformedFile, match="graph is malformed"):
        Workspace(copy).communities(cache=False)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("rare_link_ids", swapped, "rarest"),
        ("name_hashes", swapped, "hashes"),
        ("nofollow_links", lambda values: values[:0], "nofollow_weights"),
        ("nofollow_links", lambda values: values + 1, "not in the graph"),
        ("out_link_anchors", swapped, "directions"),
        ("in_link_anchors", swapped, "directions"),
    ],
)
def test_the_doctor_finds_what_disagrees(
    copy: Path, name: str, change: Callable[[Any], Any], reason: str
) -> None:
    changed(copy, f"{GRAPH}/{name}.npy", change)
    assert maintain.find_damaged_files(copy) == []
    assert any(reason in line for line in maintain.find_damaged_files(copy, deep=True))


def test_the_doctor_counts_pages(copy: Path) -> None:
    seal(copy, lambda body: body["counts"].update(captured=1))
    assert any("counts" in line for line in maintain.find_damaged_files(copy, deep=True))


def test_the_doctor_reads_the_index(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(row("http://a.com/1", "cat"))
    Workspace(tmp_path / "other.weft").add(tmp_path / "one.jsonl")
    index = copy / "snapshots/000003/index"
    shutil.rmtree(index)
    shutil.copytree(tmp_path / "other.weft/snapshots/000001/index", index)
    path = copy / "collection.json"
    whole = json.loads(path.read_bytes())
    files = whole["collection"]["files"]
    for name in [name for name in files if "/index/" in name]:
        del files[name]
    files |= {f"snapshots/000003/index/{path.name}": {} for path in index.iterdir()}
    path.write_text(json.dumps(whole))
    seal(copy)
    assert any(
        "other pages are in the index" in line
        for line in maintain.find_damaged_files(copy, deep=True)
    )


@pytest.mark.parametrize(
    ("table", "column"), [("links", "target"), ("links", "page"), ("pages", "url")]
)
def test_rows_that_are_not_there_are_refused(copy: Path, table: str, column: str) -> None:
    path = copy / "segments" / "000001" / f"{table}.parquet"
    rows = pq.read_table(path)
    ids = rows[column].to_numpy().copy()
    ids[len(ids) // 2] = 10**6
    at = rows.column_names.index(column)
    pq.write_table(rows.set_column(at, column, pa.array(ids)), path)
    seal(copy)
    with pytest.raises(MalformedFile, match=f"{table}.parquet"):
        Workspace(copy).remove(["http://b.com/"])
    assert any(f"{table}.parquet" in line for line in maintain.find_damaged_files(copy, deep=True))


def test_letters_that_are_none_are_refused(copy: Path) -> None:
    path = copy / "segments" / "000001" / "pages.parquet"
    rows = pq.read_table(path)
    starts, raw = rows["text"].combine_chunks().buffers()[1:]
    broken = pa.Array.from_buffers(
        pa.string(),
        len(rows),
        [None, starts, pa.py_buffer(raw.to_pybytes().replace(b"a", b"\xff"))],
    )
    at = rows.column_names.index("text")
    pq.write_table(rows.set_column(at, "text", broken), path)
    seal(copy)
    for work in (lambda: Workspace(copy).search("cat"), lambda: Workspace(copy).compact()):
        with pytest.raises(DamagedFile, match=r"pages\.parquet"):
            work()


A_FILE = {"size": 1, "sha256": "", "mtime_ns": 1}
COMMITS: dict[str, Callable[[dict[str, Any]], object]] = {
    "segment elsewhere": lambda body: body["segments"][0].update(name="../../outside"),
    "rows elsewhere": lambda body: body["segments"][0].update(removed="../../../outside"),
    "pages in words": lambda body: body["segments"][0].update(pages="9"),
    "segment without files": lambda body: body["segments"][0].update(files={}),
    "segment twice": lambda body: body["segments"].append(body["segments"][0]),
    "file above": lambda body: body["files"].update({"snapshots/000003/../x": A_FILE}),
    "file elsewhere": lambda body: body["files"].update({"/etc/passwd": A_FILE}),
    "file of no size": lambda body: body["files"].update({"snapshots/000003/x": {}}),
    "snapshot below zero": lambda body: body.update(snapshot=-1),
    "rule of words": lambda body: body.update(policy={"index": "yes"}),
    "rule unheard of": lambda body: body.update(policy={"unheard": True}),
    "empty note": lambda body: body.update(history=[{}]),
    "no count": lambda body: body.update(counts={"captured": None}),
    "list of earlier": lambda body: body.update(older_snapshots=[]),
    "unheard of": lambda body: body.update(unheard=1),
    "no files": lambda body: body.pop("files"),
}


@pytest.mark.parametrize("name", COMMITS)
def test_a_commit_that_names_other_things_is_refused(copy: Path, name: str) -> None:
    seal(copy, COMMITS[name])
    for work in (
        lambda: Workspace(copy).search("cat"),
        lambda: Workspace(copy).remove(["http://b.com/"]),
    ):
        with pytest.raises(MalformedFile, match=r"collection\.json"):
            work()
    assert any("collection.json" in line for line in maintain.find_damaged_files(copy))
