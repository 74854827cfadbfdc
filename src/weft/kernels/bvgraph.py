"""Decode BVGraph, the compressed successor lists of the WebGraph framework.

Boldi and Vigna 2004. The list of a node is its outdegree, a reference to the
list of an earlier node, blocks of that list to copy, intervals, and residuals
as gaps; each number in an instantaneous code. Nothing that is read is trusted:
every code ends before the limit, every block lies in the list it refers to,
and every list is increasing and below the number of nodes.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from weft.core.arrays import Hashes, Ids, Offsets
from weft.kernels.compiler import njit_without_counts

CODES = {"UNARY": 0, "GAMMA": 1, "DELTA": 2, "ZETA": 3, "NIBBLE": 4, "GOLOMB": 5}
UNARY, GAMMA, DELTA, ZETA, NIBBLE, GOLOMB = CODES.values()
PADDING_WORDS = 2  # a code that begins before the limit may end in the second word after it
MAX_UNARY = np.uint64(1 << 28)
NO_SUCCESSOR = np.int64(1 << 40)
U0, U1, U2, U3, U4, U6, U7, U63, U64 = (np.uint64(k) for k in (0, 1, 2, 3, 4, 6, 7, 63, 64))
# The largest number in a graph of at most 2^31 - 1 nodes, twice a difference, has 32 bits.
MAX_BITS, MAX_NIBBLES = np.uint64(32), 11


class BVGraphCoding(NamedTuple):
    """The parameters of a graph: the code of each kind of number, and its limits.

    `zeta_k` is the k of zeta codes, and the modulus of Golomb codes;
    `min_interval` is 0 for no intervals.
    """

    outdegrees: int = GAMMA
    references: int = UNARY
    block_counts: int = GAMMA
    blocks: int = GAMMA
    residuals: int = ZETA
    zeta_k: int = 3
    window: int = 7
    min_interval: int = 4


class DecodedRows(NamedTuple):
    """Where decoding stopped: rows known so far, position in bits, and why.

    `needed` is the size that `ids` must have for the next row, 0 if it has
    that. `failed_at` is the position of a number that is invalid, or cut by
    the limit; -1 for none.
    """

    rows: int
    position: int
    needed: int
    failed_at: int


def to_words(data: bytes) -> Hashes:
    """Bits as 64-bit words, the first bit the highest, with zeros behind them."""
    padded = data + bytes(-len(data) % 8 + 8 * PADDING_WORDS)
    return np.frombuffer(padded, ">u8").astype(np.uint64)


def decode_rows(
    words: Hashes, limit: int, position: int, coding: BVGraphCoding, node: int, n: int, row: int,
    starts: Offsets, ids: Ids,
) -> DecodedRows:  # fmt: skip
    """Decode the successors of `node` and the nodes after it, as rows from `row` on.

    Row k is `ids[starts[k]:starts[k + 1]]`. The rows before the first one are
    those of the nodes before it, as many as the window has. `words` are those
    of `to_words`, and `limit` is the number of their bits. Decoding ends with
    the last of the `n` nodes, with `starts` or `ids` full, or at a failure.
    Beside its successors a row needs as many ids again.
    """
    decoded = _decode_rows(words, limit, position, coding, node, n, row, starts, ids)
    return DecodedRows(*map(int, decoded))


@njit_without_counts
def _decode_rows(
    words: Any, limit: int, position: Any, coding: Any, node: int, n: int, row: int,
    starts: Any, ids: Any,
) -> Any:  # fmt: skip
    end_bit = np.uint64(limit)
    while node < n and row + 1 < starts.size:
        degree, bit = _read_code(
            words, end_bit, np.uint64(position), coding.outdegrees, np.uint64(coding.zeta_k)
        )
        if degree < 0 or degree > n:
            return row, position, 0, np.int64(bit)
        if starts[row] + 2 * degree > ids.size:
            return row, position, starts[row] + 2 * degree, -1
        starts[row + 1] = starts[row] + degree
        if degree:
            is_valid, bit = _decode_row(words, end_bit, bit, coding, node, n, row, starts, ids)
            if not is_valid:
                return row, position, 0, np.int64(bit)
        if bit > end_bit:
            return row, position, 0, np.int64(bit)
        position = np.int64(bit)
        node += 1
        row += 1
    return row, position, 0, -1


@njit_without_counts
def _decode_row(
    words: Any, limit: Any, bit: Any, coding: Any, node: int, n: int, row: int,
    starts: Any, ids: Any,
) -> Any:  # fmt: skip
    """Decode one row of `starts[row + 1] - starts[row]` successors, and the bit after it.

    Copied successors, then intervals, wait behind the row until all is merged.
    """
    begin, scratch = starts[row], starts[row + 1]
    reference, bit = _read_reference(words, limit, bit, coding, row)
    if reference < 0:
        return False, bit
    copied, bit = _copy_blocks(words, limit, bit, coding, reference, row, starts, ids)
    if copied < 0:
        return False, bit
    residuals = scratch - begin - copied
    in_intervals, bit = _expand_intervals(
        words, limit, bit, coding.min_interval, node, n, residuals, ids, scratch + copied
    )
    if in_intervals < 0:
        return False, bit
    return _merge_residuals(
        words, limit, bit, coding, node, n, residuals - in_intervals, ids,
        (begin, scratch, scratch + copied, scratch + copied + in_intervals),
    )  # fmt: skip


@njit_without_counts
def _merge_residuals(
    words: Any, limit: Any, bit: Any, coding: Any, node: int, n: int, residuals: int,
    ids: Any, bounds: Any,
) -> Any:  # fmt: skip
    """Read the residuals, and merge them with the copied successors and the intervals.

    Each of the three is increasing and below `n`; no successor may occur in two.
    """
    to, copy, interval, intervals_end = bounds
    copies_end = interval
    residual, next_residual = np.int64(-1), NO_SUCCESSOR
    while True:
        if next_residual == NO_SUCCESSOR and residuals:
            gap, bit = _read_code(words, limit, bit, coding.residuals, np.uint64(coding.zeta_k))
            residual = residual + gap + 1 if residual >= 0 else node + _to_signed(gap)
            if gap < 0 or residual < 0 or residual >= n:
                return False, bit
            next_residual = residual
            residuals -= 1
        next_interval = np.int64(ids[interval]) if interval < intervals_end else NO_SUCCESSOR
        successor = min(next_interval, next_residual)
        while copy < copies_end and ids[copy] < successor:
            ids[to] = ids[copy]
            to += 1
            copy += 1
        if successor == NO_SUCCESSOR:
            return True, bit
        if next_interval == next_residual or (copy < copies_end and ids[copy] == successor):
            return False, bit
        ids[to] = successor
        to += 1
        if next_interval == successor:
            interval += 1
        else:
            next_residual = NO_SUCCESSOR


@njit_without_counts
def _read_reference(words: Any, limit: Any, bit: Any, coding: Any, row: int) -> Any:
    """How many rows before this one the row referred to is; 0 for none, -1 if invalid."""
    if coding.window == 0:
        return np.int64(0), bit
    reference, bit = _read_code(words, limit, bit, coding.references, np.uint64(coding.zeta_k))
    if reference > min(coding.window, row):
        return np.int64(-1), bit
    return reference, bit


@njit_without_counts
def _copy_blocks(
    words: Any, limit: Any, bit: Any, coding: Any, reference: int, row: int,
    starts: Any, ids: Any,
) -> Any:  # fmt: skip
    """Copy blocks of the row referred to behind this one; their size, or -1 if invalid.

    Blocks are copied and skipped in turn; only the first may be empty. After
    an even number of them, the rest is copied.
    """
    if reference == 0:
        return np.int64(0), bit
    at, end = starts[row - reference], starts[row - reference + 1]
    degree, to = starts[row + 1] - starts[row], starts[row + 1]
    blocks, bit = _read_code(words, limit, bit, coding.block_counts, np.uint64(coding.zeta_k))
    if blocks < 0 or blocks > end - at + 1:
        return np.int64(-1), bit
    copied = np.int64(0)
    for block in range(blocks + 1):
        length = end - at
        if block < blocks:
            length, bit = _read_code(words, limit, bit, coding.blocks, np.uint64(coding.zeta_k))
            length += length >= 0 and block > 0
        is_copied = block & 1 == 0
        if length < 0 or length > (min(end - at, degree - copied) if is_copied else end - at):
            return np.int64(-1), bit
        if is_copied:
            for k in range(length):
                ids[to + copied + k] = ids[at + k]
            copied += length
        at += length
    return copied, bit


@njit_without_counts
def _expand_intervals(
    words: Any, limit: Any, bit: Any, min_interval: int, node: int, n: int, room: int,
    ids: Any, to: int,
) -> Any:  # fmt: skip
    """Write the nodes of all intervals to `ids[to:]`; their number, or -1 if invalid."""
    if room == 0 or min_interval == 0:
        return np.int64(0), bit
    count, bit = _read_code(words, limit, bit, GAMMA, U0)
    if count < 0 or count * min_interval > room:
        return np.int64(-1), bit
    written, left = np.int64(0), np.int64(0)
    for interval in range(count):
        gap, bit = _read_code(words, limit, bit, GAMMA, U0)
        left = left + gap + 1 if interval else node + _to_signed(gap)
        more, bit = _read_code(words, limit, bit, GAMMA, U0)
        length = more + min_interval
        if min(gap, more, left) < 0 or length > room - written or left > n - length:
            return np.int64(-1), bit
        for k in range(length):
            ids[to + written + k] = left + k
        written += length
        left += length
    return written, bit


@njit_without_counts
def _to_signed(number: Any) -> Any:
    """The integer that a natural number stands for: 0, -1, 1, -2, and so on."""
    return (number >> 1) ^ -(number & 1)


@njit_without_counts
def _read_code(words: Any, limit: Any, bit: Any, code: int, k: Any) -> Any:
    """A natural number, or -1 if it is invalid or begins at the limit, and the bit after it."""
    if bit >= limit:
        return np.int64(-1), bit
    window = _peek(words, bit)
    if code == ZETA:
        number, size = _parse_zeta(window, k)
    elif code == GAMMA:
        number, size = _parse_gamma(window)
    elif code == DELTA:
        number, size = _parse_delta(window)
    elif code == NIBBLE:
        number, size = _parse_nibbles(window)
    elif code == GOLOMB:
        return _read_golomb(words, limit, bit, k)
    else:
        return _read_unary(words, limit, bit)
    return number, bit + size


@njit_without_counts
def _read_unary(words: Any, limit: Any, bit: Any) -> Any:
    """As many zeros as the number, then a one."""
    number = U0
    while bit < limit and number < MAX_UNARY:
        zeros = _leading_zeros(_peek(words, bit))
        bit += zeros
        number += zeros
        if zeros < U64:
            return np.int64(number), bit + U1
    return np.int64(-1), bit


@njit_without_counts
def _read_golomb(words: Any, limit: Any, bit: Any, modulus: Any) -> Any:
    """The quotient in unary, then the remainder in minimal binary."""
    quotient, bit = _read_unary(words, limit, bit)
    if quotient < 0 or bit > limit:
        return np.int64(-1), bit
    size = U63 - _leading_zeros(modulus)
    window = _peek(words, bit)
    remainder, first = (window >> U1) >> (U63 - size), (U2 << size) - modulus
    if remainder >= first:
        # One bit more, which the first 2^(size + 1) - modulus remainders do without.
        size += U1
        remainder = (window >> (U64 - size)) - first
    return quotient * np.int64(modulus) + np.int64(remainder), bit + size


@njit_without_counts
def _parse_gamma(window: Any) -> Any:
    """The number of bits of x + 1 in unary, then these bits without the first."""
    zeros = _leading_zeros(window)
    if zeros >= MAX_BITS:
        return np.int64(-1), U0
    return np.int64(((window << zeros) >> (U63 - zeros)) - U1), U2 * zeros + U1


@njit_without_counts
def _parse_delta(window: Any) -> Any:
    """The number of bits of x + 1, less one, in gamma, then these bits without the first."""
    more, used = _parse_gamma(window)
    size = np.uint64(more)
    if more < 0 or size >= MAX_BITS:
        return np.int64(-1), U0
    last_bits = ((window << used) >> U1) >> (U63 - size)
    return np.int64(((U1 << size) | last_bits) - U1), used + size


@njit_without_counts
def _parse_zeta(window: Any, k: Any) -> Any:
    """In unary the h with 2^hk <= x + 1 < 2^(h + 1)k, then x + 1 in minimal binary."""
    h = _leading_zeros(window)
    size = h * k
    if size >= MAX_BITS:
        return np.int64(-1), U0
    first = U1 << size
    window <<= h + U1
    # One bit less than hk + k is enough for the first 2^hk numbers; shift twice, it may be none.
    short = (window >> U1) >> (U64 - size - k)
    if short < first:
        return np.int64(short + first - U1), h + size + k
    return np.int64((window >> (U64 - size - k)) - U1), h + size + k + U1


@njit_without_counts
def _parse_nibbles(window: Any) -> Any:
    """Three bits at a time, before each a bit that is one for the last."""
    number = U0
    for k in range(MAX_NIBBLES):
        nibble = window >> (U64 - U4)
        window <<= U4
        number = (number << U3) | (nibble & U7)
        if nibble >> U3:
            return np.int64(number), np.uint64(4 * (k + 1))
    return np.int64(-1), U0


@njit_without_counts
def _peek(words: Any, bit: Any) -> Any:
    """The 64 bits from `bit` on."""
    word, shift = bit >> U6, bit & U63
    return (words[word] << shift) | ((words[word + U1] >> U1) >> (U63 - shift))


@njit_without_counts
def _leading_zeros(word: Any) -> Any:
    """The number of zeros before the first one; 64 if there is none."""
    return _ctlz(word)  # type: ignore[call-arg]


@intrinsic
def _ctlz(_context: Any, word: Any) -> Any:  # noqa: ARG001
    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], context.get_constant(types.boolean, 0))

    return types.uint64(types.uint64), codegen
