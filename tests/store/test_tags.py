"""The log of tags: batches, undoing, crashes, damage, two writers, merging, CSV."""

import csv
import multiprocessing
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter, DamagedFile, UnknownName, WeftError
from weft.core.tables import flatten_for_csv
from weft.store.append_log import append_to_log
from weft.store.tags import (
    TAGS_FILE,
    Tag,
    Tags,
    append_merged,
    append_tags,
    merge_tags,
    parse_facet_value,
    read_tags,
    read_tags_csv,
    undo_tags,
)

PAGE = "http://a.example/x"
texts = st.text(st.characters(exclude_categories=["C"]), max_size=30).map(str.strip)


def tag(
    value: str, target: str = PAGE, facet: str = "topic", *, by: str = "", why: str = ""
) -> Tag:
    return Tag("page", target, facet, value, by, why)


def values(folder: Path) -> dict[str, str]:
    return {each.target: each.value for each in read_tags(folder).in_force().values()}


def test_the_last_tag_counts_and_an_empty_one_takes_it_away(tmp_path: Path) -> None:
    assert read_tags(tmp_path).in_force() == {}
    assert append_tags(tmp_path, [tag("cars"), tag("cats", "http://b.example/")]) == 1
    assert append_tags(tmp_path, [tag("boats")]) == 2
    assert values(tmp_path) == {PAGE: "boats", "http://b.example/": "cats"}
    append_tags(tmp_path, [tag("")])
    assert values(tmp_path) == {"http://b.example/": "cats"}


def test_undoing_goes_back_batch_by_batch(tmp_path: Path) -> None:
    append_tags(tmp_path, [tag("one", by="ann")])
    append_tags(tmp_path, [tag("two", by="bob")])
    append_tags(tmp_path, [tag("three", by="bob")])
    assert undo_tags(tmp_path).tags[0].value == "three"
    assert values(tmp_path) == {PAGE: "two"}
    assert undo_tags(tmp_path, by="ann").tags[0].value == "one"
    assert values(tmp_path) == {PAGE: "two"}
    undo_tags(tmp_path)
    assert values(tmp_path) == {}
    with pytest.raises(WeftError, match="nothing to undo"):
        undo_tags(tmp_path)


def test_nothing_is_ever_taken_from_the_log(tmp_path: Path) -> None:
    append_tags(tmp_path, [tag("one")])
    before = (tmp_path / TAGS_FILE).read_bytes()
    undo_tags(tmp_path)
    append_tags(tmp_path, [tag("two")])
    assert (tmp_path / TAGS_FILE).read_bytes().startswith(before)


@pytest.mark.parametrize("lost", [1, 5, 40])
def test_a_line_cut_by_a_crash_is_no_batch(tmp_path: Path, lost: int) -> None:
    append_tags(tmp_path, [tag("kept")])
    append_tags(tmp_path, [tag("cut")])
    path = tmp_path / TAGS_FILE
    path.write_bytes(path.read_bytes()[:-lost])
    assert values(tmp_path) == {PAGE: "kept"}
    append_tags(tmp_path, [tag("later")])
    assert values(tmp_path) == {PAGE: "later"}
    assert len(read_tags(tmp_path).batches) == 2


def test_an_altered_line_is_reported(tmp_path: Path) -> None:
    append_tags(tmp_path, [tag("cats")])
    append_tags(tmp_path, [tag("dogs")])
    path = tmp_path / TAGS_FILE
    path.write_bytes(path.read_bytes().replace(b"cats", b"rats"))
    with pytest.raises(DamagedFile, match="line 1"):
        read_tags(tmp_path)


def append_many(folder: Path, name: str) -> None:
    for k in range(50):
        append_tags(folder, [tag(name, f"http://{name}.example/{k}")])


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    both = [spawn.Process(target=append_many, args=(tmp_path, name)) for name in ("one", "two")]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert len(read_tags(tmp_path).batches) == len(values(tmp_path)) == 100


def append_until_killed(folder: Path, saved: Connection) -> None:
    for k in range(10**6):
        append_tags(folder, [tag("x", f"http://a.example/{n}") for n in range(k, k + 500)])
        saved.send(k + 1)


def test_a_killed_writer_loses_at_most_its_last_batch(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    writer = spawn.Process(target=append_until_killed, args=(tmp_path, theirs))
    writer.start()
    theirs.close()
    saved = [ours.recv() for _ in range(10)]
    writer.kill()
    writer.join()
    with suppress(EOFError):
        while True:
            saved.append(ours.recv())
    found = read_tags(tmp_path).batches
    assert len(found) in (saved[-1], saved[-1] + 1)
    assert {len(batch.tags) for batch in found} == {500}
    append_tags(tmp_path, [tag("after")])
    assert len(read_tags(tmp_path).batches) == len(found) + 1


@given(texts, texts, texts)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, value: str, by: str, why: str
) -> None:
    folder = tmp_path_factory.mktemp("tags")
    try:
        append_tags(folder, [tag(value, by=by, why=why)])
    except BadParameter:
        assert value.strip("/") != value
        return
    found = list(read_tags(folder).in_force().values())
    assert [(each.value, each.by, each.why) for each in found] == (
        [(value, by, why)] if value else []
    )


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (Tag("site", PAGE, "topic", "x"), UnknownName),  # type: ignore[arg-type]
        (tag("x", facet="Topic"), BadParameter),
        (tag("maybe", facet="decision"), BadParameter),
        (tag("a\x1b[2Jb"), BadParameter),
        (tag("a\nb"), BadParameter),
        (tag("x", by="a\tb"), BadParameter),
        (tag("x" * 201), BadParameter),
        (tag("x", target=""), BadParameter),
        (tag("science/"), BadParameter),
    ],
)
def test_bad_tags_are_refused_and_write_nothing(
    tmp_path: Path, bad: Tag, error: type[Exception]
) -> None:
    with pytest.raises(error):
        append_tags(tmp_path, [tag("good"), bad])
    assert not (tmp_path / TAGS_FILE).exists()


def test_a_long_log_is_read_once(tmp_path: Path) -> None:
    append_tags(tmp_path, [tag("x")])
    once = read_tags(tmp_path)
    assert read_tags(tmp_path) is once
    append_tags(tmp_path, [tag("y")])
    assert values(tmp_path) == {PAGE: "y"}
    assert read_tags(tmp_path).digest() != once.digest()


def test_merging_reports_what_differs(tmp_path: Path) -> None:
    append_tags(tmp_path, [tag("cars", by="ann"), tag("same", "http://b.example/")])
    theirs = [
        tag("boats", by="bob"),
        tag("same", "http://b.example/", by="bob"),
        tag("new", "http://c.example/"),
    ]
    ours = read_tags(tmp_path)
    new, conflicts = merge_tags(ours, theirs)
    assert [each.value for each in new] == ["new"]
    assert [(mine.value, other.value) for mine, other in conflicts] == [("cars", "boats")]
    new, _ = merge_tags(ours, theirs, keep_ours=False)
    assert [each.value for each in new] == ["boats", "new"]


def test_merging_reports_what_differs_among_theirs() -> None:
    """A file may hold the tags of two people; the first one stays unless theirs are taken."""
    theirs = [tag("cars", by="ann"), tag("boats", by="bob"), tag("cars", by="eve")]
    new, conflicts = merge_tags(Tags(), theirs)
    assert [each.by for each in new] == ["ann"]
    assert [(first.by, other.by) for first, other in conflicts] == [("ann", "bob")]
    new, conflicts = merge_tags(Tags(), theirs, keep_ours=False)
    assert [each.by for each in new] == ["ann", "bob", "eve"]
    assert len(conflicts) == 2


def test_imported_tags_are_one_batch(tmp_path: Path) -> None:
    append_tags(tmp_path, [tag("cars")])
    theirs = [
        tag("boats", by="bob"),
        tag("new", "http://c.example/"),
        tag("x", "http://d.example/"),
    ]
    count, conflicts = append_merged(tmp_path, theirs)
    assert (count, [theirs.value for _, theirs in conflicts]) == (2, ["boats"])
    assert len(read_tags(tmp_path).batches) == 2
    assert append_merged(tmp_path, theirs) == (0, conflicts)
    assert len(read_tags(tmp_path).batches) == 2  # nothing new is no batch
    undo_tags(tmp_path)
    assert values(tmp_path) == {PAGE: "cars"}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_an_export_can_be_read_again(tmp_path: Path, separator: str) -> None:
    formula = tag("-5", "=cmd.example", why="+1, @home")
    append_tags(tmp_path, [tag("a, b", why='says "so"', by="ann"), tag("x", "é.example"), formula])
    rows = flatten_for_csv(read_tags(tmp_path).to_table())
    file = tmp_path / "tags.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream, delimiter=separator)
        writer.writerow(rows.column_names)
        writer.writerows(row.values() for row in rows.to_pylist())
    assert "'=cmd.example" in file.read_text("utf-8")
    assert read_tags_csv(file) == list(read_tags(tmp_path).in_force().values())


def test_a_csv_of_urls_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "tags.csv"
    file.write_text(f"url,facet,value\n{PAGE},decision,in\n")
    assert read_tags_csv(file) == [tag("in", facet="decision")]
    file.write_text("url,class\nx,y\n")
    with pytest.raises(WeftError, match="no columns facet and value"):
        read_tags_csv(file)
    file.write_text(f"url,facet,value\n{PAGE},decision,perhaps\n")
    with pytest.raises(WeftError, match="line 2"):
        read_tags_csv(file)


def test_facets_and_digest(tmp_path: Path) -> None:
    empty = read_tags(tmp_path).digest()
    append_tags(tmp_path, [tag("b"), tag("a", "http://b.example/"), tag("in", facet="decision")])
    state = read_tags(tmp_path)
    assert state.facets() == {"decision": ["in"], "topic": ["a", "b"]}
    assert state.digest() != empty == read_tags(tmp_path / "nowhere").digest()


def test_a_tag_is_a_facet_and_a_value() -> None:
    assert parse_facet_value("topic=a=b") == ("topic", "a=b")
    with pytest.raises(BadParameter):
        parse_facet_value("topic")


@pytest.mark.parametrize("time", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"])
def test_a_time_at_the_end_of_the_calendar_can_be_listed(tmp_path: Path, time: str) -> None:
    file = tmp_path / "tags.csv"
    file.write_text(f"url,facet,value,time\n{PAGE},decision,in,{time}\n")
    append_tags(tmp_path, read_tags_csv(file))
    assert len(read_tags(tmp_path).to_table()) == 1


@pytest.mark.parametrize(
    "row",
    [
        {"value": 7},
        {"value": None},
        {"scope": ["page"]},
        {"time": "now"},
        {"time": 1e999},
        {"time": 10**18},
        {"by": {}},
        {"more": ""},
    ],
    ids=str,
)
def test_a_line_of_another_program_is_reported(tmp_path: Path, row: dict[str, object]) -> None:
    """Its checksum is right, but it is no batch of tags."""
    append_to_log(tmp_path / TAGS_FILE, lambda _: {"tags": [asdict(tag("x")) | row], "undoes": 0})
    with pytest.raises(DamagedFile, match="line 1"):
        read_tags(tmp_path)


@pytest.mark.parametrize("document", [{"tags": [], "undoes": 1e999}, {"tags": 7}, {}, []], ids=str)
def test_a_line_that_is_no_batch_is_reported(tmp_path: Path, document: object) -> None:
    append_to_log(tmp_path / TAGS_FILE, lambda _: document)  # type: ignore[arg-type,return-value]
    with pytest.raises(DamagedFile, match="line 1"):
        read_tags(tmp_path)


def test_a_line_that_nests_without_end_is_reported(tmp_path: Path) -> None:
    text = b"[" * 100_000
    (tmp_path / TAGS_FILE).write_bytes(b"%08x %s\n" % (crc32(text), text))
    with pytest.raises(DamagedFile, match="line 1"):
        read_tags(tmp_path)


def test_every_rejection_is_kept_exported_and_merged(tmp_path: Path) -> None:
    """Whoever rejects another value of a page does not contradict, until all are taken back."""
    append_tags(tmp_path, [tag("cars", facet="topic-rejected", by="ann")])
    append_tags(tmp_path, [tag("boats", facet="topic-rejected", by="ann")])
    state = read_tags(tmp_path)
    assert state.rejected("topic") == {PAGE: {"cars", "boats"}}
    assert state.to_table()["value"].to_pylist() == ["cars", "boats"]
    theirs = [tag(value, facet="topic-rejected", by="bob") for value in ("cars", "cats")]
    assert append_merged(tmp_path, theirs) == (1, [])
    assert read_tags(tmp_path).rejected("topic") == {PAGE: {"cars", "boats", "cats"}}
    append_tags(tmp_path, [tag("", facet="topic-rejected")])
    assert read_tags(tmp_path).rejected("topic") == {}
