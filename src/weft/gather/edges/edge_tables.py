"""Tables of links and nodes: check names and weights, split into batches."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    MAX_LINK_WEIGHT,
    MIN_LINK_WEIGHT,
    Flags,
    Floats,
    Offsets,
    Weights,
    to_float32_if_exact,
)
from weft.gather.edges.text_rows import BAD_ROWS, DICTIONARY_TYPE, as_dictionary_array
from weft.gather.page import EdgeBatch, Problems
from weft.gather.url import MAX_URL_CHARS

MAX_BATCH_ROWS = 4_000_000
UNKNOWN_NAME = "\0"
NODE_SCHEMA = pa.schema([("name", pa.string()), ("title", pa.string())])
LINK_SCHEMA = pa.schema(
    [
        ("source", DICTIONARY_TYPE),
        ("target", DICTIONARY_TYPE),
        ("weight", pa.float32()),
        ("anchor", DICTIONARY_TYPE),
    ]
)
HOST_ONLY_PATTERN = r"^((?i:https?)://[^/?#\\]+)([?#].*)?$"
NUMBER_PATTERN = r"^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$"


def clean_links(
    source: Any, target: Any, weight: Any = None, anchor: Any = None
) -> tuple[Any, Offsets]:
    """The table of valid links, and the numbers of the bad rows.

    A name is bad if it is empty, overlong or has control characters; a weight
    if it is not a number between the limits of `core.arrays`. A missing weight
    is 1. Empty rows are ignored. Weights are float64 if float32 is not exact.
    """
    (sources, bad_source), (targets, bad_target) = (
        _strip_and_check_names(source),
        _strip_and_check_names(target),
    )
    weights = _parse_weights(weight, len(sources))
    good = (weights >= MIN_LINK_WEIGHT) & (weights <= MAX_LINK_WEIGHT) & ~bad_source & ~bad_target
    anchors = (
        as_dictionary_array(anchor) if anchor is not None else _constant_column("", len(sources))
    )
    table = pa.table(
        [sources, targets, pa.array(to_float32_if_exact(weights)), anchors], LINK_SCHEMA.names
    )
    if good.all():
        return table, np.empty(0, np.int64)
    bad = np.flatnonzero(~good & ~(_is_empty(sources) & _is_empty(targets)))
    return _compact_dictionaries(table.filter(pa.array(good))), bad


def report_bad_rows(problems: Problems, path: Path, lines: Sequence[int]) -> None:
    """Count bad rows as problems, the first five with their line numbers."""
    for line in lines[:5]:
        problems.add(BAD_ROWS, f"{path}:{line}")
    if len(lines) > 5:
        problems.add(BAD_ROWS, f"{path}:{lines[5]}", count=len(lines) - 5)


def split_into_batches(
    input_digest: str, links: Any = None, nodes: Any = None
) -> Iterator[EdgeBatch]:
    """Split nodes and links into batches of at most `MAX_BATCH_ROWS`; nothing gives no batch."""
    links = LINK_SCHEMA.empty_table() if links is None else links
    nodes = NODE_SCHEMA.empty_table() if nodes is None else nodes
    for start in range(0, max(len(links), len(nodes)), MAX_BATCH_ROWS):
        yield EdgeBatch(
            input_digest, nodes.slice(start, MAX_BATCH_ROWS), links.slice(start, MAX_BATCH_ROWS)
        )


def make_node_table(names: Any, titles: Any = None) -> pa.Table:
    """A table of nodes; titles are empty by default."""
    titles = pa.repeat("", len(names)) if titles is None else titles
    return pa.table([names, titles], NODE_SCHEMA)


def normalize_names(names: Any) -> tuple[Any, Flags]:
    """Names stripped, and which are bad: empty, overlong or with control characters.

    The URL of a host gets its slash, as in the canonical form of a page.
    """
    names = pc.utf8_trim_whitespace(names)
    is_host = pc.match_substring_regex(names, HOST_ONLY_PATTERN)
    if pc.any(is_host).as_py():
        with_slash = pc.replace_substring_regex(names, HOST_ONLY_PATTERN, r"\1/\2")
        names = pc.if_else(is_host, with_slash, names)
    is_overlong = pc.utf8_length(names).to_numpy() > MAX_URL_CHARS
    bad = is_overlong | (pc.binary_length(names).to_numpy() == 0)
    if _has_control_chars(names):
        bad |= np.asarray(pc.match_substring_regex(names, r"[\x00-\x1f]"))
    return names, bad


def add_reverse_links(links: pa.Table) -> pa.Table:
    """Each link in both directions; a self-link stays single."""
    is_proper = pc.not_equal(links["source"].cast(pa.string()), links["target"].cast(pa.string()))
    swapped = links.filter(is_proper).select(["target", "source", "weight", "anchor"])
    both = pa.concat_tables([links, swapped.rename_columns(LINK_SCHEMA.names)])
    return both.unify_dictionaries()


def _strip_and_check_names(column: Any) -> tuple[Any, Flags]:
    """The names of a column, normalized, and which rows have a bad one."""
    # Work on the dictionary: each distinct name once, and none that no row has.
    encoded = _with_used_names(as_dictionary_array(column))
    names, bad = normalize_names(encoded.dictionary)
    no_rows = np.zeros(len(encoded), np.bool_)
    bad_rows = bad[encoded.indices.to_numpy()] if bad.any() else no_rows
    if not names.equals(encoded.dictionary):
        # Two names may have become one.
        distinct = names.dictionary_encode()
        ids = distinct.indices.take(encoded.indices)
        encoded = pa.DictionaryArray.from_arrays(ids, distinct.dictionary)
    return encoded, bad_rows


def _with_used_names(encoded: Any) -> Any:
    """A column whose dictionary has only names that a row has.

    No name is written out for each row: a file of some kilobytes may repeat a long one.
    """
    ids = encoded.indices.to_numpy()
    is_used = np.zeros(len(encoded.dictionary), np.bool_)
    is_used[ids] = True
    if is_used.all():
        return encoded
    kept = (np.cumsum(is_used) - 1).astype(np.int32)[ids]
    names = encoded.dictionary.filter(pa.array(is_used))
    return pa.DictionaryArray.from_arrays(pa.array(kept), names)


def _is_empty(column: Any) -> Flags:
    empty: Flags = np.asarray(pc.equal(column.dictionary, ""))[column.indices.to_numpy()]
    return empty


def _has_control_chars(texts: Any) -> bool:
    data = texts.buffers()[2]
    return data is not None and bool((np.frombuffer(data, np.uint8) < 32).any())


def _parse_weights(column: Any, n: int) -> Weights:
    """The weight of each row: 1 if missing, NaN if it is not a number."""
    if column is None:
        return np.ones(n, np.float32)
    if pa.types.is_floating(column.type):
        return np.asarray(column.fill_null(1), np.float64)
    encoded = as_dictionary_array(column)
    texts = pc.utf8_trim_whitespace(encoded.dictionary)
    numbers = pc.if_else(pc.match_substring_regex(texts, NUMBER_PATTERN), texts, "nan")
    numbers = pc.utf8_ltrim(numbers, "+").cast(pa.float64())
    weights: Floats = np.where(pc.equal(texts, ""), 1, numbers)[encoded.indices.to_numpy()]
    return weights


def _compact_dictionaries(table: pa.Table) -> pa.Table:
    """The table with only the used names in its dictionaries."""
    columns = [
        _with_used_names(as_dictionary_array(column)) if column.type == DICTIONARY_TYPE else column
        for column in table.columns
    ]
    return pa.table(columns, LINK_SCHEMA.names)


def _constant_column(text: str, n: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), [text])
