"""Revisits and their originals: by definition, in any order, in little memory."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gather.processes import run_script

from weft.gather.page import Problems
from weft.gather.revisits import (
    UNCHANGED_REVISITS,
    UNRESOLVED_REVISITS,
    ResolvedRevisit,
    Revisit,
    RevisitIndex,
)


class Capture(NamedTuple):
    """A capture; its offset is unique."""

    url: str
    time: int
    digest: str
    offset: int


urls, times, digests = st.sampled_from("abc"), st.integers(0, 2), st.sampled_from(["", "x", "y"])
archives = st.lists(st.lists(st.tuples(urls, times, digests), max_size=6), max_size=3)
revisits = st.lists(
    st.builds(
        Revisit,
        urls,
        times,
        st.just(200),
        digests,
        st.sampled_from(["", "a", "b"]),
        st.integers(-1, 2),
    ),
    max_size=6,
)


def number_captures(rows: Sequence[Sequence[tuple[str, int, str]]]) -> list[list[Capture]]:
    offsets = iter(range(100))
    return [[Capture(*row, next(offsets)) for row in archive] for archive in rows]


def resolve(
    captures: Sequence[Sequence[Capture]], pending: Sequence[Revisit]
) -> tuple[list[ResolvedRevisit], Problems]:
    """Resolve revisits that come before all archives."""
    revisits, problems = RevisitIndex(), Problems()
    for revisit in pending:
        revisits.add_revisit(revisit)
    for k, archive in enumerate(captures):
        revisits.set_current_archive(Path(str(k)), (f"member {k}",))
        for capture in archive:
            revisits.add_capture(*capture)
    return list(revisits.resolve(problems)), problems


def original(captures: Sequence[Capture], revisit: Revisit) -> Capture | None:
    """The original of a revisit by definition."""

    def preference(capture: Capture) -> tuple[bool, bool, bool, int, int]:
        same_digest = bool(revisit.digest) and capture.digest == revisit.digest
        own_url, referred = capture.url == revisit.url, capture.url == revisit.refers_to_url
        return not same_digest, not own_url, not referred, capture.time, capture.offset

    matching = [
        capture
        for capture in captures
        if revisit.matches(capture.url, capture.time, capture.digest)
    ]
    return min(matching, key=preference, default=None)


@given(archives, revisits)
def test_originals_by_definition(
    rows: list[list[tuple[str, int, str]]], pending: list[Revisit]
) -> None:
    archives = number_captures(rows)
    resolved, problems = resolve(archives, pending)
    paths = {capture.offset: str(k) for k, archive in enumerate(archives) for capture in archive}
    captures = [capture for archive in archives for capture in archive]
    expected = []
    for revisit in pending:
        capture = original(captures, revisit)
        if capture is None:
            problems.counts[UNRESOLVED_REVISITS] -= 1
        elif capture.url == revisit.url:
            problems.counts[UNCHANGED_REVISITS] -= 1
        else:
            expected.append((capture.offset, paths[capture.offset], revisit))
    assert sorted((r.offset, str(r.path), r.revisit) for r in resolved) == sorted(expected)
    assert [r.offset for r in resolved] == sorted(r.offset for r in resolved)
    assert all(r.members == (f"member {r.path}",) for r in resolved)
    assert not any(problems.counts.values())


@given(archives, revisits, st.randoms())
def test_the_order_of_archives_does_not_matter(
    rows: list[list[tuple[str, int, str]]], pending: list[Revisit], random: Random
) -> None:
    archives = number_captures(rows)
    shuffled = random.sample(archives, len(archives))
    first, first_problems = resolve(archives, pending)
    second, second_problems = resolve(shuffled, random.sample(pending, len(pending)))
    keys = [sorted((r.offset, r.revisit) for r in resolved) for resolved in (first, second)]
    assert keys[0] == keys[1]
    assert first_problems.counts == second_problems.counts


def test_without_revisits_nothing_is_resolved() -> None:
    revisits = RevisitIndex()
    revisits.set_current_archive(Path("a"))
    revisits.add_capture("http://h/", 1, "sha1:A", 0)
    assert list(revisits.resolve(Problems())) == []


@pytest.mark.parametrize("url", ["http://h/\ud800\n", "http://h/Grüße\u2028", ""])
def test_any_text_survives_the_temporary_file(url: str) -> None:
    revisit = Revisit(url, 5, 200, "sha1:A\n", "http://h/\r\n", 2)
    ((path, members, offset, kept),), _ = resolve(
        [[Capture("http://other/", 9, "sha1:A\n", 77)]], [revisit]
    )
    assert (path, members, offset, kept) == (Path("0"), ("member 0",), 77, revisit)


MANY = """
from weft.gather.page import Problems
from weft.gather.revisits import Revisit, RevisitIndex
list(RevisitIndex().resolve(Problems()))
before, index, n = peak_mb(), RevisitIndex(), 100_000
url = "http://www.example.org/some/longer/path/to/a/page-%d.html"
index.set_current_archive(Path("a"))
for k in range(n):
    index.add_capture(url % k, k, "sha1:%032d" % k, 1000 * k)
    index.add_revisit(Revisit(url % -k, k, 200, "sha1:%032d" % k, url % k, k))
found = sum(1 for _ in index.resolve(Problems()))
print(found, peak_mb() - before)
"""


def test_many_take_little_memory() -> None:
    """At most 100 bytes for each of 200,000 records."""
    found, used = map(int, run_script(MANY).split())
    assert found == 99_999
    assert used < 20
