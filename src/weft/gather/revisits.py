"""Revisits: pages that were found again, whose payload lies elsewhere among the inputs."""

import json
from array import array
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from weft.core.hashes import Hashes, mixed
from weft.gather.page import Problems

UNCHANGED = "revisits of unchanged pages"
MISSING = "revisits of what is not in the inputs"
CAPTURE, VISIT = 4, 5
NOT_SAID = 1
Numbers = npt.NDArray[np.int64]
Members = tuple[str, ...]


class Visit(NamedTuple):
    """A page that was found again: where and when, and what is said of its original.

    `status` is zero where no server answers, `refers_time` -1 where it is not said.
    """

    url: str
    time: int
    status: int
    digest: str
    refers: str
    refers_time: int

    def fits(self, url: str, time: int, digest: str) -> bool:
        """Whether a capture is the original: by digest, or for want of one by URL and moment."""
        if self.digest and digest:
            return self.digest == digest
        return (self.refers, self.refers_time) == (url, time)


class Found(NamedTuple):
    """A visit and where its original lies: in a file, a member of it if that is a zip file, a byte.

    A member of a member has both their names.
    """

    path: Path
    members: Members
    offset: int
    visit: Visit


@dataclass(slots=True, eq=False)
class Revisits:
    """Where captures lie, and the visits that wait until all inputs have been read.

    A capture is four numbers: hashes of its digest and URL, its moment and its
    offset. A visit is what to compare with them, and where its line begins in
    a file, which is made for the first one.
    """

    archives: list[tuple[Path, Members]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    captures: "array[int]" = field(default_factory=partial(array, "q"))
    visits: "array[int]" = field(default_factory=partial(array, "q"))
    lines: IO[bytes] = field(default_factory=BytesIO)

    def begin(self, path: Path, members: Members = ()) -> None:
        """Say which file, or member of one, is read from now on."""
        self.archives.append((path, members))
        self.starts.append(len(self.captures) // CAPTURE)

    def note(self, url: str, time: int, digest: str, offset: int) -> None:
        """Remember where a capture lies."""
        self.captures.extend((hash(digest) if digest else 0, hash(url), time, offset))

    def wait(self, visit: Visit) -> None:
        """Keep a visit until all captures are known."""
        if not self.visits:
            self.lines = TemporaryFile(prefix="weft-")  # noqa: SIM115  closed once they are read
        digest = hash(visit.digest) if visit.digest else NOT_SAID
        asked = digest, hash(visit.url), hash(visit.refers), visit.refers_time
        self.visits.extend((*asked, self.lines.tell()))
        self.lines.write(json.dumps(visit).encode() + b"\n")

    def found(self, problems: Problems) -> Iterator[Found]:
        """The visits to pages known by another URL, in the order in which their originals lie.

        Those of a page known by the same URL, and of what is nowhere, are told.
        """
        captures, visits = _table(self.captures, CAPTURE), _table(self.visits, VISIT)
        originals = _originals(captures, visits)
        with self.lines as lines:
            for row in np.argsort(originals, kind="stable"):
                lines.seek(visits[row, 4])
                visit, original = Visit(*json.loads(lines.readline())), originals[row]
                if original < 0:
                    problems.tell(MISSING, visit.url, damage=False)
                elif captures[original, 1] == visits[row, 1]:
                    problems.tell(UNCHANGED, visit.url, damage=False)
                else:
                    path, members = self.archives[bisect(self.starts, original) - 1]
                    yield Found(path, members, int(captures[original, 3]), visit)


def _table(numbers: "array[int]", width: int) -> Numbers:
    return np.frombuffer(numbers, np.int64).reshape(-1, width)


def _originals(captures: Numbers, visits: Numbers) -> Numbers:
    """The capture that each visit found again, or -1.

    Of those with its digest, one of its own URL goes first, then one of the
    URL it refers to, then the earliest; without a digest, URL and moment must
    be the same. So the order of inputs does not matter.
    """
    if not len(captures) or not len(visits):
        return np.full(len(visits), -1)
    digests, urls, times, _ = captures.T
    wanted, own, refers, moments, _ = visits.T
    found = _first(captures, _pairs(urls, times), _pairs(refers, moments))
    found[(wanted != NOT_SAID) & (digests[found] != 0)] = -1
    pages = _pairs(digests, urls)
    for better in (
        _first(captures, mixed(digests), mixed(wanted)),
        _first(captures, pages, _pairs(wanted, refers)),
        _first(captures, pages, _pairs(wanted, own)),
    ):
        found = np.where(better < 0, found, better)
    return found


def _pairs(first: Numbers, second: Numbers) -> Hashes:
    return mixed(mixed(first) ^ second.astype(np.uint64))


def _first(captures: Numbers, keys: Hashes, wanted: Hashes) -> Numbers:
    """The earliest capture of each key that is wanted, or -1."""
    order = np.lexsort((captures[:, 3], captures[:, 2], keys))
    at = np.searchsorted(keys, wanted, sorter=order)
    at = order[np.minimum(at, len(keys) - 1)]
    return np.where(keys[at] == wanted, at, -1)
