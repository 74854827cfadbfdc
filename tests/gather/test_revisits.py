"""Revisits and their originals: by definition, in any order, in little memory."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.page import Problems
from weft.gather.revisits import MISSING, UNCHANGED, Found, Revisits, Visit


class Capture(NamedTuple):
    """A capture as a test needs it; the offset tells it from others."""

    url: str
    time: int
    digest: str
    offset: int


urls, times, digests = st.sampled_from("abc"), st.integers(0, 2), st.sampled_from(["", "x", "y"])
archives = st.lists(st.lists(st.tuples(urls, times, digests), max_size=6), max_size=3)
visits = st.lists(
    st.builds(
        Visit,
        urls,
        times,
        st.just(200),
        digests,
        st.sampled_from(["", "a", "b"]),
        st.integers(-1, 2),
    ),
    max_size=6,
)


def numbered(rows: Sequence[Sequence[tuple[str, int, str]]]) -> list[list[Capture]]:
    places = iter(range(100))
    return [[Capture(*row, next(places)) for row in archive] for archive in rows]


def resolve(
    captures: Sequence[Sequence[Capture]], waiting: Sequence[Visit]
) -> tuple[list[Found], Problems]:
    """What is found, with one archive after another, of visits that come before all of them."""
    revisits, problems = Revisits(), Problems()
    for visit in waiting:
        revisits.wait(visit)
    for k, archive in enumerate(captures):
        revisits.begin(Path(str(k)), (f"member {k}",))
        for one in archive:
            revisits.note(*one)
    return list(revisits.found(problems)), problems


def original(captures: Sequence[Capture], visit: Visit) -> Capture | None:
    """The original of a visit by definition."""

    def worth(one: Capture) -> tuple[bool, bool, bool, int, int]:
        same = bool(visit.digest) and one.digest == visit.digest
        own, told = one.url == visit.url, one.url == visit.refers
        return not same, not own, not told, one.time, one.offset

    fit = [one for one in captures if visit.fits(one.url, one.time, one.digest)]
    return min(fit, key=worth, default=None)


@given(archives, visits)
def test_originals_by_definition(
    rows: list[list[tuple[str, int, str]]], waiting: list[Visit]
) -> None:
    captures = numbered(rows)
    found, problems = resolve(captures, waiting)
    places = {one.offset: str(k) for k, archive in enumerate(captures) for one in archive}
    every = [one for archive in captures for one in archive]
    expected = []
    for visit in waiting:
        one = original(every, visit)
        if one is None:
            problems.counts[MISSING] -= 1
        elif one.url == visit.url:
            problems.counts[UNCHANGED] -= 1
        else:
            expected.append((one.offset, places[one.offset], visit))
    assert sorted((one.offset, str(one.path), one.visit) for one in found) == sorted(expected)
    assert [one.offset for one in found] == sorted(one.offset for one in found)
    assert all(one.members == (f"member {one.path}",) for one in found)
    assert not any(problems.counts.values())


@given(archives, visits, st.randoms())
def test_the_order_of_archives_does_not_matter(
    rows: list[list[tuple[str, int, str]]], waiting: list[Visit], random: Random
) -> None:
    captures = numbered(rows)
    shuffled = random.sample(captures, len(captures))
    one, told = resolve(captures, waiting)
    other, told_then = resolve(shuffled, random.sample(waiting, len(waiting)))
    key = [sorted((row.offset, row.visit) for row in found) for found in (one, other)]
    assert key[0] == key[1]
    assert told.counts == told_then.counts


def test_without_revisits_there_is_no_file() -> None:
    revisits = Revisits()
    revisits.begin(Path("a"))
    revisits.note("http://h/", 1, "sha1:A", 0)
    assert list(revisits.found(Problems())) == []


@pytest.mark.parametrize("url", ["http://h/\ud800\n", "http://h/Grüße\u2028", ""])
def test_any_text_is_kept(url: str) -> None:
    visit = Visit(url, 5, 200, "sha1:A\n", "http://h/\r\n", 2)
    ((path, members, offset, kept),), _ = resolve(
        [[Capture("http://other/", 9, "sha1:A\n", 77)]], [visit]
    )
    assert (path, members, offset, kept) == (Path("0"), ("member 0",), 77, visit)


MANY = """
from pathlib import Path
from weft.gather.page import Problems
from weft.gather.revisits import Revisits, Visit
def used():
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) >> 10
list(Revisits().found(Problems()))
before, revisits, n = used(), Revisits(), 200_000
url = "http://www.example.org/some/longer/path/to/a/page-%d.html"
revisits.begin(Path("a"))
for k in range(n):
    revisits.note(url % k, k, "sha1:%032d" % k, 1000 * k)
    revisits.wait(Visit(url % -k, k, 200, "sha1:%032d" % k, url % k, k))
found = sum(1 for _ in revisits.found(Problems()))
print(found, used() - before)
"""


def test_many_take_little_memory() -> None:
    """At most 100 bytes for each of 400,000 records."""
    done = subprocess.run(
        [sys.executable, "-c", MANY], capture_output=True, text=True, timeout=120, check=True
    )
    found, used = map(int, done.stdout.split())
    assert found == 199_999
    assert used < 40, used
