"""Match revisit records with the captures that have their payload, in any of the inputs."""

import json
import os
from array import array
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Hashes, splitmix64
from weft.gather.page import Problems

UNCHANGED_REVISITS = "revisits of unchanged pages"
UNRESOLVED_REVISITS = "revisits whose original is missing"
CAPTURE_COLUMNS, REVISIT_COLUMNS = 4, 5
NO_DIGEST, KEY_BYTES = 1, 16
Int64Rows = npt.NDArray[np.int64]
MemberPath = tuple[str, ...]


class Revisit(NamedTuple):
    """A revisit record: a capture without payload, and what it says of its original.

    `status` is zero without an HTTP response, `refers_to_time` is -1 if unknown.
    """

    url: str
    time: int
    status: int
    digest: str
    refers_to_url: str
    refers_to_time: int

    def matches(self, url: str, time: int, digest: str) -> bool:
        """Whether a capture is the original: by digest, or without one by URL and time."""
        if self.digest and digest:
            return self.digest == digest
        return (self.refers_to_url, self.refers_to_time) == (url, time)


class ResolvedRevisit(NamedTuple):
    """A revisit and the location of its original: file, zip members and offset.

    `members` is empty outside zip files, and has two names for a zip in a zip.
    """

    path: Path
    members: MemberPath
    offset: int
    revisit: Revisit


class RevisitRecords(NamedTuple):
    """What an index has collected, to be added to the index of another process."""

    archives: list[tuple[Path, MemberPath]]
    first_captures: list[int]
    captures: Int64Rows
    revisits: list[Revisit]


@dataclass(slots=True, eq=False)
class RevisitIndex:
    """The offsets of captures, and the revisits to resolve once all inputs are read.

    A capture is four integers: hashes of its digest and URL, its time and its
    offset. A pending revisit is five: hashes of digest, URL and the URL it
    refers to, the time it refers to, and the offset of its line in a temporary
    file, which is created with the first revisit. Hashes depend on a secret `key`,
    which indexes that are joined share.
    """

    archives: list[tuple[Path, MemberPath]] = field(default_factory=list)
    first_captures: list[int] = field(default_factory=list)
    captures: "array[int]" = field(default_factory=partial(array, "q"))
    pending: "array[int]" = field(default_factory=partial(array, "q"))
    pending_file: IO[bytes] = field(default_factory=BytesIO)
    key: bytes = field(default_factory=partial(os.urandom, KEY_BYTES), repr=False)

    def set_current_archive(self, path: Path, members: MemberPath = ()) -> None:
        """Set the file, or member of a zip file, that the next captures come from."""
        self.archives.append((path, members))
        self.first_captures.append(len(self.captures) // CAPTURE_COLUMNS)

    def add_capture(self, url: str, time: int, digest: str, offset: int) -> None:
        """Add a capture of the current archive."""
        self.captures.extend((self._hash(digest) if digest else 0, self._hash(url), time, offset))

    def add_revisit(self, revisit: Revisit) -> None:
        """Add a revisit, to be resolved later."""
        if not self.pending:
            self.pending_file = TemporaryFile(prefix="weft-")  # noqa: SIM115  closed once they are read
        digest = self._hash(revisit.digest) if revisit.digest else NO_DIGEST
        urls = self._hash(revisit.url), self._hash(revisit.refers_to_url)
        row = digest, *urls, revisit.refers_to_time
        self.pending.extend((*row, self.pending_file.tell()))
        self.pending_file.write(json.dumps(revisit).encode() + b"\n")

    def _hash(self, text: str) -> int:
        data = text.encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(data, digest_size=8, key=self.key).digest(), signed=True)

    def take_records(self) -> RevisitRecords:
        """All that was collected, for the index of another process; this one is then empty."""
        with self.pending_file as lines:
            lines.seek(0)
            revisits = [Revisit(*json.loads(line)) for line in lines]
        captures = _as_rows(self.captures, CAPTURE_COLUMNS)
        return RevisitRecords(self.archives, self.first_captures, captures, revisits)

    def add_records(self, records: RevisitRecords) -> None:
        """Add what an index of the same key has collected."""
        before = len(self.captures) // CAPTURE_COLUMNS
        self.archives += records.archives
        self.first_captures += [before + first for first in records.first_captures]
        self.captures.frombytes(np.ascontiguousarray(records.captures).tobytes())
        for revisit in records.revisits:
            self.add_revisit(revisit)

    def resolve(self, problems: Problems) -> Iterator[ResolvedRevisit]:
        """The revisits whose original has another URL, sorted by the location of the original.

        Revisits of the same URL, and those without an original, are only counted.
        """
        captures = _as_rows(self.captures, CAPTURE_COLUMNS)
        pending = _as_rows(self.pending, REVISIT_COLUMNS)
        originals = _match_originals(captures, pending)
        with self.pending_file as lines:
            for row in np.argsort(originals, kind="stable"):
                lines.seek(pending[row, 4])
                revisit, original = Revisit(*json.loads(lines.readline())), originals[row]
                if original < 0:
                    problems.add(UNRESOLVED_REVISITS, revisit.url, damage=False)
                elif captures[original, 1] == pending[row, 1]:
                    problems.add(UNCHANGED_REVISITS, revisit.url, damage=False)
                else:
                    path, members = self.archives[bisect(self.first_captures, original) - 1]
                    yield ResolvedRevisit(path, members, int(captures[original, 3]), revisit)


def _as_rows(numbers: "array[int]", width: int) -> Int64Rows:
    return np.frombuffer(numbers, np.int64).reshape(-1, width)


def _match_originals(captures: Int64Rows, revisits: Int64Rows) -> Int64Rows:
    """The row of the original capture of each revisit, or -1.

    Among captures with the same digest, one of its own URL is preferred, then
    one of the URL it refers to, then the earliest. Without a digest, URL and
    time must match. The order of inputs does not matter.
    """
    if not len(captures) or not len(revisits):
        return np.full(len(revisits), -1)
    digests, urls, times, _ = captures.T
    wanted_digests, own_urls, referred_urls, referred_times, _ = revisits.T
    # By URL and time: valid only if the revisit or the capture has no digest.
    found = _earliest_captures(
        captures, _hash_pairs(urls, times), _hash_pairs(referred_urls, referred_times)
    )
    found[(wanted_digests != NO_DIGEST) & (digests[found] != 0)] = -1
    # By digest, each match better than the one before: any URL, the referred URL, the own URL.
    digest_urls = _hash_pairs(digests, urls)
    for better in (
        _earliest_captures(captures, splitmix64(digests), splitmix64(wanted_digests)),
        _earliest_captures(captures, digest_urls, _hash_pairs(wanted_digests, referred_urls)),
        _earliest_captures(captures, digest_urls, _hash_pairs(wanted_digests, own_urls)),
    ):
        found = np.where(better < 0, found, better)
    return found


def _hash_pairs(first: Int64Rows, second: Int64Rows) -> Hashes:
    """One hash for each pair of integers."""
    return splitmix64(splitmix64(first) ^ second.astype(np.uint64))


def _earliest_captures(captures: Int64Rows, keys: Hashes, wanted_keys: Hashes) -> Int64Rows:
    """The row of the earliest capture with each wanted key, or -1."""
    order = np.lexsort((captures[:, 3], captures[:, 2], keys))  # by key, then time, then offset
    positions = np.searchsorted(keys, wanted_keys, sorter=order)
    rows = order[np.minimum(positions, len(keys) - 1)]
    return np.where(keys[rows] == wanted_keys, rows, -1)
