"""Completion: sites and pages whose name begins with, or contains, what was typed."""

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Ids, Offsets
from weft.core.errors import BadParameter
from weft.core.memoize import memoize
from weft.graph.levels import group_pages, load_graph, uncaptured_pages
from weft.store.collection import Collection

MAX_TYPED_CHARS = 200


@dataclass(frozen=True, slots=True)
class Completions:
    """Hosts with their number of captured pages, and page numbers; the best first."""

    hosts: tuple[tuple[str, int], ...]
    pages: tuple[int, ...]


def complete(collection: Collection, typed: str, k: int = 6) -> Completions:
    """The hosts and pages that a text stands for: by host, title or address.

    Names that begin with the text come before those that contain it; among
    these, hosts with more pages and pages with more in-links come first.
    """
    text = typed.strip()
    if len(text) > MAX_TYPED_CHARS:
        raise BadParameter(
            f"what was typed has {len(text)} characters", hint=f"at most {MAX_TYPED_CHARS}"
        )
    if not text:
        return Completions((), ())
    return Completions(_complete_hosts(collection, text, k), _complete_pages(collection, text, k))


def _complete_hosts(collection: Collection, text: str, k: int) -> tuple[tuple[str, int], ...]:
    group, names = group_pages(collection, "host")
    counts = np.bincount(np.asarray(group)[~uncaptured_pages(collection)], minlength=len(names))
    bare = pc.replace_substring_regex(names, r"^www\.", "")
    wanted = text.removeprefix("www.").lower()
    starts = pc.starts_with(bare, wanted).to_numpy(zero_copy_only=False)
    inside = pc.match_substring(bare, wanted).to_numpy(zero_copy_only=False) & (counts > 0)
    best = _best(inside, starts, counts, k)
    return tuple((names[host].as_py(), int(counts[host])) for host in best.tolist())


def _complete_pages(collection: Collection, text: str, k: int) -> tuple[int, ...]:
    pages = collection.pages
    looks_like_url = "/" in text or "." in text
    wanted = text.lower()
    if looks_like_url:
        names = pc.replace_substring_regex(pages["url"], r"^[a-z]+://(www\.)?", "")
        wanted = wanted.rpartition("://")[2].removeprefix("www.")
    else:
        names = pages["title"]
    inside = pc.match_substring(names, wanted, ignore_case=True).to_numpy()
    starts = pc.starts_with(names, wanted, ignore_case=True).to_numpy()
    return tuple(_best(inside, starts, _inlinks(collection), k).tolist())


@memoize
def _inlinks(collection: Collection) -> Floats:
    return load_graph(collection).indegrees()


def _best(inside: Flags, starts: Flags, weight: Floats | Ids | Offsets, k: int) -> Offsets:
    """The best of those flagged: the ones that begin so, then by weight, then in order."""
    found = np.flatnonzero(inside)
    order = np.lexsort((found, -weight[found], ~starts[found]))
    best: Offsets = found[order[:k]]
    return best
