"""Tables of links: names and weights checked, bad rows told, parts cut to size."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import HEAVIEST, LIGHTEST, Flags, Floats, Offsets, Weights, narrowed
from weft.gather.cells import BAD_ROWS, TOKENS, whole
from weft.gather.page import Edges, Problems
from weft.gather.url import LONGEST

PART = 4_000_000
UNKNOWN = "\0"
NODES = pa.schema([("name", pa.string()), ("title", pa.string())])
LINKS = pa.schema(
    [
        ("source", TOKENS),
        ("target", TOKENS),
        ("weight", pa.float32()),
        ("anchor", TOKENS),
    ]
)
HOST_ALONE = r"^((?i:https?)://[^/?#\\]+)([?#].*)?$"
NUMBER = r"^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$"


def clean(source: Any, target: Any, weight: Any = None, anchor: Any = None) -> tuple[Any, Offsets]:
    """The table of the good links among some columns, and the numbers of the bad rows.

    A name is bad if it is empty, over-long or holds control characters, a weight
    if it is not a positive number, or beyond what methods can multiply; no weight
    means one. Empty rows are no rows. Weights are in double precision
    where single precision does not hold each exactly.
    """
    (sources, no_source), (targets, no_target) = _names(source), _names(target)
    weights = _weights(weight, len(sources))
    good = (weights >= LIGHTEST) & (weights <= HEAVIEST) & ~no_source & ~no_target
    anchors = whole(anchor) if anchor is not None else _constant("", len(sources))
    table = pa.table([sources, targets, pa.array(narrowed(weights)), anchors], LINKS.names)
    if good.all():
        return table, np.empty(0, np.int64)
    bad = np.flatnonzero(~good & ~(_is_empty(sources) & _is_empty(targets)))
    return _fresh(table.filter(pa.array(good))), bad


def tell_rows(problems: Problems, path: Path, lines: Sequence[int]) -> None:
    """Tell bad rows: the first few by their line, all by their number."""
    for line in lines[:5]:
        problems.tell(BAD_ROWS, f"{path}:{line}")
    if len(lines) > 5:
        problems.tell(BAD_ROWS, f"{path}:{lines[5]}", times=len(lines) - 5)


def parts(origin: str, links: Any = None, nodes: Any = None) -> Iterator[Edges]:
    """Cut nodes and links into parts of bounded size; nothing gives no part."""
    links = LINKS.empty_table() if links is None else links
    nodes = NODES.empty_table() if nodes is None else nodes
    for start in range(0, max(len(links), len(nodes)), PART):
        yield Edges(origin, nodes.slice(start, PART), links.slice(start, PART))


def named(names: Any, titles: Any = None) -> pa.Table:
    """The table of nodes with these names."""
    titles = pa.repeat("", len(names)) if titles is None else titles
    return pa.table([names, titles], NODES)


def both_ways(links: pa.Table) -> pa.Table:
    """Each link in both directions; a self-link stays single."""
    apart = pc.not_equal(links["source"].cast(pa.string()), links["target"].cast(pa.string()))
    mirrored = links.filter(apart).select(["target", "source", "weight", "anchor"])
    return pa.concat_tables([links, mirrored.rename_columns(LINKS.names)]).unify_dictionaries()


def _names(column: Any) -> tuple[Any, Flags]:
    """The names of a column, stripped, and which rows have none that will do.

    The address of a host ends in a slash, as the canonical form of a page has it.
    """
    tokens = whole(column)
    texts = pc.utf8_trim_whitespace(tokens.dictionary)
    bare = pc.match_substring_regex(texts, HOST_ALONE)
    if pc.any(bare).as_py():
        texts = pc.if_else(bare, pc.replace_substring_regex(texts, HOST_ALONE, r"\1/\2"), texts)
    bad = (pc.utf8_length(texts).to_numpy() > LONGEST) | (pc.binary_length(texts).to_numpy() == 0)
    if _has_control(texts):
        bad |= np.asarray(pc.match_substring_regex(texts, r"[\x00-\x1f]"))
    rows = bad[tokens.indices.to_numpy()] if bad.any() else np.zeros(len(tokens), np.bool_)
    if not texts.equals(tokens.dictionary):
        same = pa.DictionaryArray.from_arrays(tokens.indices, texts)
        tokens = same.cast(pa.string()).dictionary_encode()
    return tokens, rows


def _is_empty(tokens: Any) -> Flags:
    empty: Flags = np.asarray(pc.equal(tokens.dictionary, ""))[tokens.indices.to_numpy()]
    return empty


def _has_control(texts: Any) -> bool:
    signs = texts.buffers()[2]
    return signs is not None and bool((np.frombuffer(signs, np.uint8) < 32).any())


def _weights(column: Any, n: int) -> Weights:
    """Each row's weight; what is no number becomes NaN."""
    if column is None:
        return np.ones(n, np.float32)
    if pa.types.is_floating(column.type):
        return np.asarray(column.fill_null(1), np.float64)
    tokens = whole(column)
    texts = pc.utf8_trim_whitespace(tokens.dictionary)
    numbers = pc.if_else(pc.match_substring_regex(texts, NUMBER), texts, "nan")
    numbers = pc.utf8_ltrim(numbers, "+").cast(pa.float64())
    found: Floats = np.where(pc.equal(texts, ""), 1, numbers)[tokens.indices.to_numpy()]
    return found


def _fresh(table: pa.Table) -> pa.Table:
    """The table with dictionaries that hold what is used, no more."""
    columns = [
        whole(column.cast(pa.string())) if column.type == TOKENS else column
        for column in table.columns
    ]
    return pa.table(columns, LINKS.names)


def _constant(text: str, n: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), [text])
