"""Usage data in a collection: added once, cut into sessions, removed, and free of addresses."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.command import run
from tests.workspace.requests import FORMAT, RowSource, request, url, write_log
from tests.workspace.untrusted import seal

from weft.core.errors import BadParameter, DamagedFile, WeftError
from weft.gather.formats import input_formats, recognise_input
from weft.gather.html import ParseOptions
from weft.gather.logs.options import LogInput, LogOptions
from weft.graph.transitions import load_sessions, load_transitions
from weft.store.salt import read_salt, salt_folder
from weft.workspace import ingest, maintain
from weft.workspace.facts import collection_facts
from weft.workspace.ingest import AddResult, UsageOptions, add_sources
from weft.workspace.workspace import Workspace

ROOT = Path(__file__).parents[2]
DAY = 86400
MORNING = [
    request("", 1000),
    request("a", 1060, ""),
    request("b", 1100, "a"),
    request("c", 1130, "a", visitor=2),
    request("d", 1200, "a"),
]
EVENING = [
    request("a", DAY + 5, "https://search.example/", visitor=2),
    request("b", DAY + 25, "a", visitor=2),
    request("", DAY + 7000),
]
Tables = dict[str, Any]


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "REQUESTS_PER_SEGMENT", 4)


@pytest.fixture
def logs(tmp_path: Path) -> tuple[RowSource, RowSource]:
    return write_log(tmp_path / "one.log", MORNING), write_log(tmp_path / "two.log", EVENING)


def add(folder: Path, *sources: Any, **usage: Any) -> AddResult:
    return add_sources(folder, sources, ParseOptions(), 1, UsageOptions(**usage))


def tables(folder: Path) -> Tables:
    """Sessions and transitions, by the names of pages."""
    collection = Workspace(folder).collection
    sessions, transitions = load_sessions(collection), load_transitions(collection)
    names = collection.pages["url"].to_pylist()
    clicks = {
        (names[source], names[target]): int(weight)
        for source, target, weight in zip(
            transitions.counts.row_ids(),
            transitions.counts.ids,
            transitions.counts.weights if transitions.counts.weights is not None else (),
            strict=True,
        )
    }
    counts = {
        name: {names[k]: int(n) for k, n in enumerate(getattr(transitions, name)) if n}
        for name in ("entries", "exits", "views")
    }
    return {
        "paths": [sessions.names(path) for path in sessions],
        "times": sessions.times.tolist(),
        "inferred": sessions.inferred.tolist(),
        "visitors": sessions.visitors.tolist(),
        "referrers": sessions.referrers.to_pylist(),
        "clicks": clicks,
        **counts,
    }


def pages_input(path: Path, *urls: str) -> Any:
    """Pages with links from each to the next, as JSON lines."""
    rows = [
        {"url": own, "title": own[-1], "text": "words", "links": [{"url": after, "anchor": "x"}]}
        for own, after in zip(urls, [*urls[1:], urls[0]], strict=True)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return recognise_input(path)


def test_a_collection_of_logs_alone(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder = tmp_path / "c.weft"
    result = add(folder, *logs)
    counts = result.collection.manifest.counts
    assert (result.new, result.requests, counts["uncaptured"]) == (8, 8, 5)
    assert (counts["sessions"], counts["visitors"], counts["views"]) == (4, 2, 8)
    assert tables(folder)["paths"] == [
        [url(page) for page in path] for path in (["", "a", "b", "a", "d"], [""], ["c"], ["a", "b"])
    ]
    assert tables(folder)["referrers"] == ["", "", "example.com", "search.example"]
    assert tables(folder)["clicks"] == {
        (url(""), url("a")): 1,
        (url("a"), url("b")): 2,
        (url("a"), url("d")): 1,
    }
    assert set(result.collection.page_kinds(range(5)).to_pylist()) == {"uncaptured"}
    assert maintain.find_damaged_files(folder, deep=True) == []
    facts = collection_facts(Workspace(folder))
    assert facts["usage"]["sessions"] == 4
    assert facts["usage"]["visited"] == ["1970-01-01", "1970-01-02"]
    assert len(Workspace(folder).rank("pagerank")) == 5


def test_adding_again_changes_nothing(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder = tmp_path / "c.weft"
    manifest = add(folder, *logs).collection.manifest
    again = add(folder, *logs)
    assert (again.new, again.known, again.requests) == (0, 8, 0)
    assert again.collection.manifest == manifest


def test_rotated_files_come_in_any_order(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    add(tmp_path / "a.weft", *logs)
    add(tmp_path / "b.weft", logs[1])
    add(tmp_path / "b.weft", logs[0])
    assert tables(tmp_path / "a.weft") == tables(tmp_path / "b.weft")


def test_a_log_that_has_grown_adds_its_end(tmp_path: Path) -> None:
    """The same lines under another digest, as after rotation and compression, count once."""
    short = write_log(tmp_path / "short.log", MORNING[:3])
    long = write_log(tmp_path / "long.log", MORNING)
    add(tmp_path / "a.weft", short)
    add(tmp_path / "a.weft", long)
    add(tmp_path / "b.weft", long)
    assert tables(tmp_path / "a.weft") == tables(tmp_path / "b.weft")


def test_equal_requests_of_one_log_are_one_view(tmp_path: Path) -> None:
    log = write_log(tmp_path / "one.log", [request("a", 5)] * 3)
    result = add(tmp_path / "c.weft", log)
    counts = result.collection.manifest.counts
    assert (result.requests, counts["views"], counts["reloads"]) == (3, 1, 2)
    assert tables(tmp_path / "c.weft")["views"] == {url("a"): 1}
    assert maintain.find_damaged_files(tmp_path / "c.weft", deep=True) == []


def test_pages_join_usage_data(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    """Whichever comes first: the numbers of pages change, what visitors did does not."""
    pages = pages_input(tmp_path / "p.jsonl", "https://aaa.example/", url("a"), url("x"))
    add(tmp_path / "a.weft", *logs)
    add(tmp_path / "a.weft", pages)
    add(tmp_path / "b.weft", pages)
    add(tmp_path / "b.weft", *logs)
    assert tables(tmp_path / "a.weft") == tables(tmp_path / "b.weft")
    workspace = Workspace(tmp_path / "a.weft")
    assert workspace.counts["captured"] == 3
    assert (
        workspace.collection.page_kinds([workspace.collection.find_page(url("a"))])[0].as_py()
        == "captured"
    )
    assert workspace.doctor(deep=True) == []


def test_links_complete_paths_without_referrers(tmp_path: Path) -> None:
    log = write_log(tmp_path / "l", [request(page, 1 + k) for k, page in enumerate("abcxb")])
    add(tmp_path / "c.weft", log)
    assert not any(tables(tmp_path / "c.weft")["inferred"])
    rows = [
        {"url": url(own), "title": "", "text": "t", "links": [{"url": url(to)} for to in targets]}
        for own, targets in {"a": "bx", "b": "c"}.items()
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)))
    add(tmp_path / "c.weft", recognise_input(tmp_path / "p.jsonl"))
    assert tables(tmp_path / "c.weft")["paths"] == [[url(page) for page in "abcbaxab"]]


def test_only_usage_is_rebuilt_where_pages_are_known(
    tmp_path: Path, logs: tuple[RowSource, RowSource], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "c.weft"
    add(folder, pages_input(tmp_path / "p.jsonl", *(url(page) for page in ["", *"abcd"])))
    before = Workspace(folder).collection
    monkeypatch.setattr(ingest, "write_snapshot", None)
    add(folder, logs[0])
    add(folder, logs[1])
    after = Workspace(folder).collection
    assert after.manifest.snapshot == before.manifest.snapshot + 2
    assert after.checked_snapshot_path("pages.arrow").samefile(
        before.checked_snapshot_path("pages.arrow")
    )
    assert Workspace(folder).doctor(deep=True) == []
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    other = tmp_path / "other.weft"
    add(other, *logs, recognise_input(tmp_path / "p.jsonl"))
    assert tables(folder) == tables(other)


def test_files_are_copied_where_there_are_no_hard_links(
    tmp_path: Path, logs: tuple[RowSource, RowSource], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    add(tmp_path / "c.weft", pages_input(tmp_path / "p.jsonl", *(url(k) for k in ["", *"abcd"])))
    monkeypatch.setattr(Path, "hardlink_to", refuse)
    add(tmp_path / "c.weft", *logs)
    assert Workspace(tmp_path / "c.weft").doctor(deep=True) == []


def test_rules_change_without_inputs(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder = tmp_path / "c.weft"
    add(folder, *logs)
    Workspace(folder).add(session_rules={"timeout": 10})
    assert len(tables(folder)["paths"]) == 8
    Workspace(folder).add(session_rules={"rule": "duration"})
    Workspace(folder).add(session_rules={"complete_paths": False})
    rules = Workspace(folder).collection.manifest.session_rules
    assert rules == {"rule": "duration", "timeout": 10, "complete_paths": False}
    snapshot = Workspace(folder).collection.manifest.snapshot
    Workspace(folder).add(session_rules={"timeout": 10})
    assert Workspace(folder).collection.manifest.snapshot == snapshot


def test_rules_may_come_before_the_log(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder = tmp_path / "c.weft"
    add(folder, pages_input(tmp_path / "p.jsonl", url("a")))
    add(folder, session_rules={"timeout": 10})
    assert "sessions" not in Workspace(folder).counts
    add(folder, *logs)
    assert len(tables(folder)["paths"]) == 8


def test_compaction_merges_small_logs(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder = tmp_path / "c.weft"
    more = [write_log(tmp_path / f"{k}.log", [request("e", 2 * DAY + k)]) for k in range(3)]
    for source in (*more, *logs):
        add(folder, source)
    before = tables(folder)
    assert maintain.compact(folder) == (6, 1)
    assert tables(folder) == before
    again = add(folder, *more, *logs)
    assert (again.new, again.known) == (0, 11)
    assert Workspace(folder).doctor(deep=True) == []


def test_a_collection_brings_its_usage_data(
    tmp_path: Path, logs: tuple[RowSource, RowSource]
) -> None:
    add(tmp_path / "a.weft", *logs)
    Workspace(tmp_path / "b.weft").add(tmp_path / "a.weft")
    assert tables(tmp_path / "b.weft") == tables(tmp_path / "a.weft")
    again = Workspace(tmp_path / "b.weft").add(tmp_path / "a.weft")
    assert (again.new, len(tables(tmp_path / "b.weft")["paths"])) == (0, 4)
    assert add(tmp_path / "b.weft", *logs).new == 0


def test_visitors_of_two_salts_are_mixed_only_if_asked(
    tmp_path: Path, logs: tuple[RowSource, RowSource]
) -> None:
    add(tmp_path / "a.weft", logs[0])
    add(tmp_path / "b.weft", logs[1])
    with pytest.raises(WeftError, match="another salt") as caught:
        add(tmp_path / "b.weft", recognise_input(tmp_path / "a.weft"))
    assert "--new-visitors" in caught.value.hint
    add(tmp_path / "b.weft", recognise_input(tmp_path / "a.weft"), new_visitors=True)
    assert sum(tables(tmp_path / "b.weft")["views"].values()) == 8


def test_removal_before_a_date(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder = tmp_path / "c.weft"
    add(folder, *logs)
    assert Workspace(folder).remove_usage("1970-01-02") == 5
    assert tables(folder)["paths"] == [[url("")], [url("a"), url("b")]]
    assert Workspace(folder).counts["uncaptured"] == 3
    kept = [
        pq.read_table(path, columns=["time"])["time"].to_pylist()
        for path in sorted(folder.rglob("requests.parquet"))
    ]
    assert kept == [[row["time"] for row in EVENING]]
    assert Workspace(folder).remove_usage("1970-01-02") == 0
    assert Workspace(folder).doctor(deep=True) == []
    # What was removed can be added again.
    assert add(folder, *logs).new == 5
    add(tmp_path / "new.weft", *logs)
    assert tables(folder) == tables(tmp_path / "new.weft")


def test_what_a_removal_left_of_a_log_counts_once(tmp_path: Path) -> None:
    """Also where two pages have the same second, so that neither request is a reload."""
    folder, fresh = tmp_path / "c.weft", tmp_path / "fresh.weft"
    rows = [request("x", 5), request("a", DAY + 5), request("b", DAY + 5), request("c", DAY + 6)]
    log = write_log(tmp_path / "l", rows)
    add(fresh, log)
    add(folder, log)
    for _ in range(2):
        assert Workspace(folder).remove_usage("1970-01-02") == 1
        assert add(folder, log).new == 4
        assert tables(folder) == tables(fresh)
        assert Workspace(folder).doctor(deep=True) == []
    maintain.compact(folder)
    assert tables(folder) == tables(fresh)


def test_a_cut_log_is_copied_once(tmp_path: Path) -> None:
    log = write_log(tmp_path / "l", [request("x", 5), request("a", DAY)])
    add(tmp_path / "a.weft", log)
    Workspace(tmp_path / "a.weft").remove_usage("1970-01-02")
    assert Workspace(tmp_path / "b.weft").add(tmp_path / "a.weft").new == 1
    assert Workspace(tmp_path / "b.weft").add(tmp_path / "a.weft").new == 0


def test_requests_without_time_have_no_date(tmp_path: Path) -> None:
    folder = tmp_path / "c.weft"
    add(folder, write_log(tmp_path / "l", [request("a", 0, session=3), request("b", 7)]))
    assert Workspace(folder).remove_usage("2020") == 1
    assert tables(folder)["paths"] == [[url("a")]]


def test_removal_of_all_usage_data(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder = tmp_path / "c.weft"
    add(folder, pages_input(tmp_path / "p.jsonl", url("a"), url("x")), *logs)
    assert Workspace(folder).remove_usage() == 8
    assert list(folder.rglob("requests.parquet")) == []
    assert not list(folder.rglob("usage"))
    assert Workspace(folder).counts["uncaptured"] == 0
    with pytest.raises(WeftError, match="no usage data") as caught:
        load_sessions(Workspace(folder).collection)
    assert "weft add" in caught.value.hint
    assert add(folder, *logs).new == 8


def test_removed_pages_stay_as_visited_ones(
    tmp_path: Path, logs: tuple[RowSource, RowSource]
) -> None:
    folder = tmp_path / "c.weft"
    add(folder, pages_input(tmp_path / "p.jsonl", url("a"), url("x")), *logs)
    before = tables(folder)
    Workspace(folder).remove([url("a")])
    assert tables(folder) == before
    assert Workspace(folder).counts["captured"] == 1


def test_lines_are_counted(tmp_path: Path) -> None:
    log = write_log(tmp_path / "l", [request("a", 1), request("b", 2, robot=1), request("c", 3)])
    log.path.write_text(log.path.read_text() + "junk\n")
    result = add(tmp_path / "c.weft", log)
    problems = result.log_problems
    assert result.requests == 2
    assert problems.counts == {"robots": 1, "not a request": 1}
    assert problems.damage_count == 1
    assert result.requests + problems.counts.total() == 4


def test_the_salt_is_the_users_alone(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder = tmp_path / "c.weft"
    (salt_id,) = {s.salt_id for s in add(folder, *logs).collection.manifest.segments}
    path = salt_folder() / salt_id
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    salt = read_salt(salt_id)
    assert salt is not None
    assert [
        p for p in folder.rglob("*") if p.is_file() and salt.hex().encode() in p.read_bytes()
    ] == []
    add(folder, write_log(tmp_path / "three", [request("z", 9)]))
    assert [p.name for p in salt_folder().iterdir()] == [salt_id]


def test_readers_get_the_salt(
    tmp_path: Path, logs: tuple[RowSource, RowSource], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytes] = []

    def read(path: Path, log: LogInput) -> Any:
        seen.append(log.options.salt)
        return FORMAT.read(path, log)

    noted = replace(FORMAT, read=read)
    monkeypatch.setattr(type(noted), "yields", "requests", raising=False)
    monkeypatch.setattr(RowSource, "format", noted)
    for log in logs:
        add(tmp_path / "c.weft", log)
    assert len({*seen}) == 1
    assert len(seen[0]) == 32


def test_without_the_salt_a_log_is_refused(
    tmp_path: Path, logs: tuple[RowSource, RowSource]
) -> None:
    folder = tmp_path / "c.weft"
    add(folder, logs[0])
    shutil.rmtree(salt_folder())
    before = tables(folder)
    with pytest.raises(WeftError, match="salt that is not here") as caught:
        add(folder, logs[1])
    assert all(word in caught.value.hint for word in ("copy", "--usage", "--new-visitors"))
    assert tables(folder) == before
    add(folder, logs[1], new_visitors=True)
    assert len({s.salt_id for s in Workspace(folder).collection.manifest.segments}) == 2
    # From here on the new salt is used.
    add(folder, write_log(tmp_path / "three", [request("z", 9)]))
    Workspace(folder).remove_usage()
    add(folder, *logs)


@pytest.mark.parametrize("junk", ["", "xyz", "00" * 31])
def test_a_damaged_salt_is_refused(
    tmp_path: Path, logs: tuple[RowSource, RowSource], junk: str
) -> None:
    add(tmp_path / "c.weft", logs[0])
    (path,) = salt_folder().iterdir()
    path.write_text(junk)
    with pytest.raises(WeftError, match="is no salt"):
        add(tmp_path / "c.weft", logs[1])


def test_no_file_has_what_a_reader_dropped(tmp_path: Path) -> None:
    """Values that a dictionary of a batch still has, but no row, are not stored."""
    secret = url("a?user=ann")

    def read(path: Path, log: LogInput) -> Any:
        for batch in FORMAT.read(path, log):
            table = batch.requests
            for side in ("url", "referrer"):
                column = table[side].combine_chunks()
                values = pa.concat_arrays([pa.array([secret, "192.0.2.7"]), column.dictionary])
                codes = pa.array(column.indices.to_numpy() + np.int32(2))
                wider = pa.DictionaryArray.from_arrays(codes, values)
                table = table.set_column(table.column_names.index(side), side, wider)
            yield replace(batch, requests=table)

    class LeakySource(RowSource):
        @property
        def format(self) -> Any:
            leaky = replace(FORMAT, read=read)
            leaky.__dict__["yields"] = "requests"
            leaky.__dict__["parameters"] = FORMAT.parameters
            return leaky

    log = write_log(tmp_path / "one.log", MORNING)
    add(tmp_path / "c.weft", LeakySource(log.path, "rows", "one.log"))
    assert tables(tmp_path / "c.weft")["views"][url("a")] == 1
    contents = decode_all_files(tmp_path / "c.weft")
    assert any(url("a").encode() in content for content in contents)
    for secret_part in (b"user=ann", b"192.0.2.7"):
        assert not any(secret_part in content for content in contents)


def decode_all_files(folder: Path) -> list[bytes]:
    """Every file of a collection as bytes, tables also as the text of their values."""
    contents = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        contents.append(path.read_bytes())
        if path.suffix == ".parquet":
            contents.append(str(pq.read_table(path).to_pydict()).encode())
        elif path.suffix == ".arrow":
            with pa.memory_map(str(path)) as file:
                contents.append(str(pa.ipc.open_file(file).read_all().to_pydict()).encode())
        elif path.suffix == ".npy":
            contents.append(np.load(path).tobytes())
    return contents


KILLED_JOB = """
import sys
from io import BytesIO
from pathlib import Path
from tests.workspace.test_usage_data import JOBS
from tests.workspace.zygote import die_at
from weft.workspace import ingest
import weft.kernels.sessions
ingest.REQUESTS_PER_SEGMENT = 4
job, folder, step = sys.argv[1:]
die_at(int(step))
JOBS[job](Path(folder))
"""


def add_logs(folder: Path) -> AddResult:
    """Add both logs, which are beside the collection."""
    paths = [folder.parent / name for name in ("one.log", "two.log")]
    return add(folder, *(RowSource(path, "rows", path.name) for path in paths))


JOBS: dict[str, Callable[[Path], Any]] = {
    "add": add_logs,
    "remove": lambda folder: Workspace(folder).remove_usage("1970-01-02"),
}


@pytest.mark.slow
@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize("job", JOBS)
def test_a_killed_job_is_completed_by_repeating_it(tmp_path: Path, job: str) -> None:
    before, after, folder = (tmp_path / f"{name}.weft" for name in ("before", "after", "c"))
    if job != "add":
        add_logs(before)
        shutil.copytree(before, after)
    JOBS[job](after)
    states = [tables(path) for path in (before, after) if path.exists()]
    step, killed = 2, True
    while killed:
        shutil.rmtree(folder, ignore_errors=True)
        if before.exists():
            shutil.copytree(before, folder)
        line = [sys.executable, "-c", KILLED_JOB, job, str(folder), str(step)]
        done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode in (0, -9), done.stderr
        killed = done.returncode != 0
        if (folder / "collection.json").exists():
            assert maintain.find_damaged_files(folder) == []
            assert tables(folder) in states
        JOBS[job](folder)
        assert tables(folder) == states[-1]
        assert maintain.find_damaged_files(folder, deep=True) == []
        assert len({s.salt_id for s in Workspace(folder).collection.manifest.segments}) == 1
        step *= 3
    assert step > 20


CHANGES: dict[str, Callable[[Any], Any]] = {
    "pages": lambda values: values + 1000,
    "session_starts": lambda values: values[::-1].copy(),
    "times": lambda values: values[:-1],
    "inferred": lambda values: values + np.uint8(7),
    "visitors": lambda values: values.astype("<i8"),
    "referrers": lambda values: values - 1,
    "click_ids": lambda values: values + 1000,
    "click_weights": lambda values: -values,
    "click_starts": lambda values: values + 1,
    "entries": lambda values: values - 1,
    "views": lambda values: values[1:],
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_tables_are_refused(
    tmp_path: Path, logs: tuple[RowSource, RowSource], name: str
) -> None:
    """Right digests, wrong contents: compiled loops follow them without looking."""
    folder = tmp_path / "c.weft"
    add(folder, *logs)
    (path,) = folder.rglob(f"usage/{name}.npy")
    np.save(path, CHANGES[name](np.load(path)))
    seal(folder)
    with pytest.raises(DamagedFile, match=name.partition("_")[0]):
        tables(folder)
    assert Workspace(folder).doctor(deep=True) != []


def test_the_doctor_counts_transitions_again(
    tmp_path: Path, logs: tuple[RowSource, RowSource]
) -> None:
    folder = tmp_path / "c.weft"
    add(folder, *logs)
    (path,) = folder.rglob("usage/click_weights.npy")
    np.save(path, np.load(path) * 2)
    seal(folder)
    assert "transitions differ from sessions" in "".join(Workspace(folder).doctor(deep=True))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("url", pa.array([99] * 4, pa.int32())),
        ("referrer", pa.array([-2] * 4, pa.int32())),
        ("time", pa.array([1.5] * 4)),
        ("visitor", pa.array([None] * 4, pa.uint64())),
        ("session", pa.array([1] * 4, pa.int64())),
    ],
)
def test_changed_requests_are_refused(
    tmp_path: Path, logs: tuple[RowSource, RowSource], column: str, values: pa.Array
) -> None:
    folder = tmp_path / "c.weft"
    add(folder, logs[0])
    path = min(folder.rglob("requests.parquet"))
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.column_names.index(column), column, values), path)
    seal(folder)
    assert Workspace(folder).doctor(deep=True) != []
    with pytest.raises(DamagedFile):
        add(folder, session_rules={"timeout": 5})


def test_rows_that_no_input_has_are_refused(
    tmp_path: Path, logs: tuple[RowSource, RowSource]
) -> None:
    folder = tmp_path / "c.weft"
    add(folder, logs[0])
    path = min(folder.rglob("requests.parquet"))
    pq.write_table(pq.read_table(path).slice(1), path)
    seal(folder)
    with pytest.raises(DamagedFile, match="3 rows instead of 4"):
        add(folder, session_rules={"timeout": 5})


@pytest.fixture
def row_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """The format of these tests under a name, as commands need it."""
    formats: Any = input_formats()
    monkeypatch.setitem(formats, "rows", FORMAT)


@pytest.mark.usefixtures("row_format")
def test_commands(tmp_path: Path, logs: tuple[RowSource, RowSource]) -> None:
    folder, log = tmp_path / "c.weft", logs[0].path
    log.write_text(log.read_text() + json.dumps(request("e", 5, robot=1)) + "\njunk\n")
    done = run("add", folder, log, logs[1].path, "--as", "rows", code=3).output
    assert "10 lines of logs: 8 accepted, 1 dropped, 1 rejected (weft info" in done
    assert "--problems) · dropped: 1 × robots\n" in done  # noqa: RUF001
    assert "skipped" not in done
    assert "5 pages linked or requested, not captured · 4 sessions, 2 visitors, 8 views" in done
    shown = run("info", folder).output
    assert (
        "4 sessions, 2 visitors, 8 views, 1 inferred view; 1970-01-01 to 1970-01-02; cut by timeout"
        in shown
    )
    options = ("--session-rule", "duration", "--session-timeout", "1m", "--no-complete-paths")
    assert "6 sessions" in run("add", folder, *options).output
    assert "cut by duration of 60 s, paths not completed" in run("info", folder).output
    assert "6 sessions" in run("add", folder, "--session-rule", "duration").output
    assert "5 requests removed" in run("remove", folder, "--before", "1970-01-02").output
    assert "3 requests removed" in run("remove", folder, "--usage").output
    assert "sessions" not in run("info", folder).output
    assert json.loads(run("info", folder, "--format", "json").output)["counts"]["uncaptured"] == 0


def test_commands_refuse_what_is_no_time(tmp_path: Path) -> None:
    for time in ("soon", "-5", "5w", "m", "³"):
        with pytest.raises(BadParameter, match="is not a time"):
            run("add", tmp_path / "c.weft", "--session-timeout", time)
    with pytest.raises(WeftError, match="not a collection"):
        run("add", tmp_path / "c.weft", "--session-timeout", "5m")
    with pytest.raises(WeftError, match="no inputs"):
        run("add", tmp_path / "c.weft")
    with pytest.raises(WeftError, match="one at a time"):
        run("remove", tmp_path / "c.weft", "--before", "2020", "--host", "a.com")


def test_a_log_format_needs_no_name_of_a_format(tmp_path: Path) -> None:
    """What is recognised is still read as what it is."""
    log, folder = tmp_path / "odd.log", tmp_path / "c.weft"
    log.write_text("192.0.2.1|2024-02-29T10:00:00Z|GET /x HTTP/1.1|200|agent\n")
    pages_input(tmp_path / "p.jsonl", url("a"))
    log_format = "$remote_addr|$time_iso8601|$request|$status|$http_user_agent"
    with pytest.raises(WeftError, match="cannot tell what"):
        Workspace(folder).add(log)
    options = ("--base-url", url(""), "--log-format", log_format)
    assert "1 line of logs: 1 accepted" in run("add", folder, log, *options).output
    assert "1 page ·" in run("add", folder, tmp_path / "p.jsonl", *options).output
    stream = Workspace(tmp_path / "d.weft").add(
        BytesIO(log.read_bytes()), base_url=url(""), log_options=LogOptions(log_format)
    )
    assert stream.new == 1
