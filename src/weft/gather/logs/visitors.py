"""Visitors: keyed hashes instead of addresses, and what each of them did."""

import hashlib
import secrets
from collections.abc import Sequence

import numpy as np

from weft.core.arrays import Flags, Hashes, Ids, Offsets
from weft.gather.logs.options import LogOptions
from weft.kernels.log_fields import VISITOR_COUNTS

MAX_KEY_BYTES = 64
FIRST_ROWS = 1 << 12


Identity = tuple[tuple[bytes, ...], bool]  # what tells a visitor from others; is it a robot


class VisitorHasher:
    """Hashes of visitors and sessions under the salt of a collection.

    Without the salt nobody can find out which address a hash belongs to, even
    by trying all addresses.
    """

    def __init__(self, salt: bytes) -> None:
        key = salt or secrets.token_bytes(32)
        self._key = key if len(key) <= MAX_KEY_BYTES else hashlib.sha256(key).digest()

    def hash(self, *parts: bytes) -> int:
        """A number from 1 to 2^64 - 1 that stands for some values."""
        message = b"".join([b"%d:%b" % (len(part), part) for part in parts])
        digest = hashlib.blake2b(message, digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "little") or 1


class VisitorTable:
    """The visitors of a log, numbered as they come, with the counts of their requests.

    Memory grows with visitors, not with requests.
    """

    def __init__(self, options: LogOptions) -> None:
        self._hasher = VisitorHasher(options.salt)
        self._length = 0
        self._slots = np.full(2 * FIRST_ROWS, -1, np.int32)
        self._hashes = np.zeros(FIRST_ROWS, np.uint64)
        self._counts = np.zeros((FIRST_ROWS, VISITOR_COUNTS), np.int32)
        self._run_starts = np.zeros(FIRST_ROWS, np.int64)
        self._declared = np.zeros(FIRST_ROWS, np.bool_)

    def __len__(self) -> int:
        return self._length

    @property
    def hashes(self) -> Hashes:
        """The hash of each visitor."""
        return self._hashes[: self._length]

    @property
    def counts(self) -> Ids:
        """What each visitor did: the columns of `kernels.log_lines.count_requests`."""
        return self._counts[: self._length]

    @property
    def declared(self) -> Flags:
        """Which visitors have the agent of a robot."""
        return self._declared[: self._length]

    def number(self, visitors: Sequence[Identity]) -> Ids:
        """The numbers of visitors, given as what identifies them and whether they are robots."""
        from weft.kernels.log_lines import number_hashes  # noqa: PLC0415  loads the compiler

        keys = np.array([self._hasher.hash(*parts) for parts, _ in visitors], np.uint64)
        while self._length + len(keys) > len(self._hashes):
            self._grow()
        numbers, self._length = number_hashes(keys, self._slots, self._hashes, self._length)
        self._declared[numbers] |= np.array([is_robot for _, is_robot in visitors], np.bool_)
        ids: Ids = numbers
        return ids

    def add_requests(self, visitors: Ids, times: Offsets, kinds: Ids) -> None:
        """Count requests by visitor."""
        from weft.kernels.log_lines import count_requests  # noqa: PLC0415  loads the compiler

        count_requests(visitors, times, kinds, self._counts, self._run_starts)

    def _grow(self) -> None:
        """Double the number of visitors that there is space for."""
        from weft.kernels.log_lines import number_hashes  # noqa: PLC0415  loads the compiler

        n = 2 * len(self._hashes)
        known = self.hashes.copy()
        self._hashes = np.zeros(n, np.uint64)
        self._slots = np.full(2 * n, -1, np.int32)
        number_hashes(known, self._slots, self._hashes, 0)
        for name in ("_counts", "_run_starts", "_declared"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)]))
