"""What pages have in common: words, pages they link to or are linked from, and lists."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids, Offsets, Rows, lower, stacked, unstacked, upper
from weft.core.hashes import mixed
from weft.graph.baseset import BaseSet
from weft.graph.owners import owners
from weft.graph.webgraph import rows_of

KINDS = ("text", "outlinks", "inlinks", "lists")
LIST = re.compile(r"(?:.*/)?(?:ul|ol|dl|menu)(?:\[\d+\])?(?=/|$)")

Called = Callable[[int], str]


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Things of one kind that pages have: a row of them for each page, and of pages for each."""

    kind: str
    rows: Rows
    back: Rows
    called: Called

    @property
    def frequency(self) -> Offsets:
        """How many pages have each."""
        return np.diff(self.back.starts)

    def worth(self, most: float) -> Floats:
        """What it is worth to share an item: the less, the more pages have it.

        One over the logarithm of how many do. What one page alone has, or more
        than `most`, is worth nothing.
        """
        many = self.frequency
        used = (many >= 2) & (many <= most)
        return np.where(used, 1 / np.log(np.maximum(many, 2)), 0.0)


def of_rows(kind: str, rows: Rows, count: int, called: Called = str) -> Items:
    """Items of a kind from rows of them, given how many there are."""
    key = np.sort(stacked(rows.ids, rows.owners()))
    return Items(kind, rows, rows_of(key, None, count), called)


def items_of(base: BaseSet, kinds: Iterable[str]) -> list[Items]:
    """The items of some kinds that the pages of a base set have."""
    return [MAKERS[kind](base) for kind in KINDS if kind in set(kinds)]


def _text(base: BaseSet) -> Items:
    words = base.words
    stems = words.stems
    return of_rows(
        "text", words.rows, len(stems), lambda item: str(stems[item].as_py()).rpartition("/")[2]
    )


def _outlinks(base: BaseSet) -> Items:
    graph = base.graph
    return Items("outlinks", graph.outlinks, graph.inlinks, lambda item: graph.pages[item])


def _inlinks(base: BaseSet) -> Items:
    graph = base.graph
    return Items("inlinks", graph.inlinks, graph.outlinks, lambda item: graph.pages[item])


def _lists(base: BaseSet) -> Items:
    """The lists on pages; one that is on several pages of a site counts once.

    A list is the innermost block of that kind around a link.
    """
    table = base.blocks.combine_chunks()
    source, target = (np.asarray(table[end]) for end in ("source", "target"))
    place, lists = listed(table["path"])
    inside = place >= 0
    block = np.unique(stacked(source[inside], place[inside]), return_inverse=True)
    pairs = np.unique(stacked(block[1], target[inside]))
    item, page = upper(pairs), lower(pairs)
    site = owners(base.graph.names)[0][upper(block[0])] if len(block[0]) else item
    first = once(item, page, site)
    kept = first[item]
    number = (np.cumsum(first) - 1)[item[kept]]
    where = block[0][np.flatnonzero(first)]
    rows = rows_of(np.sort(stacked(page[kept], number)), None, len(base))

    def called(at: int) -> str:
        page, place = (int(ids[at]) for ids in unstacked(where))
        return f"{base.pages[page]} {lists[place]}"

    return of_rows("lists", rows, len(where), called)


def listed(path: pa.ChunkedArray) -> tuple[Offsets, Sequence[str]]:
    """The list that each path leads into, as a number and -1 for none, and the paths of lists."""
    if not len(path):
        return np.zeros(0, np.int64), ()
    coded = path.combine_chunks()
    coded = coded if isinstance(coded, pa.DictionaryArray) else coded.dictionary_encode()
    found = [LIST.match(each or "") for each in coded.dictionary.to_pylist()]
    names = sorted({match[0] for match in found if match})
    number = {name: k for k, name in enumerate(names)}
    codes = np.array([number[match[0]] if match else -1 for match in found], np.int64)
    return codes[coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)], names


def once(item: Offsets, page: Offsets, owner: Ids | Offsets) -> Flags:
    """The first of all items of one owner that have the same pages, by a hash of these."""
    size = int(item.max(initial=-1)) + 1
    total = np.zeros(size, np.uint64)
    np.add.at(total, item, mixed(page))
    _, at = np.unique(mixed(total) ^ mixed(mixed(owner[:size])), return_index=True)
    first = np.zeros(size, bool)
    first[at] = True
    return first


MAKERS: Mapping[str, Callable[[BaseSet], Items]] = {
    "text": _text,
    "outlinks": _outlinks,
    "inlinks": _inlinks,
    "lists": _lists,
}


def joined(kinds: Sequence[Items], n: int) -> tuple[Rows, Rows]:
    """Items of several kinds as one, those of each kind after those of the one before."""
    shift = np.cumsum([0, *(len(each.back.starts) - 1 for each in kinds)])
    keys = [np.zeros(0, np.int64)]
    for each, first in zip(kinds, shift.tolist(), strict=False):
        keys.append(stacked(each.rows.owners(), np.asarray(each.rows.ids, np.int64) + first))
    rows = rows_of(np.sort(np.concatenate(keys), kind="stable"), None, n)
    ends = np.cumsum([0, *(len(each.back.ids) for each in kinds)])
    starts = [np.asarray(e.back.starts)[:-1] + at for e, at in zip(kinds, ends, strict=False)]
    ids = [np.asarray(each.back.ids) for each in kinds]
    return rows, Rows(
        np.concatenate([*starts, ends[-1:]]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int32), *ids]),
    )
