"""Stop-lists and URL patterns: leave out pages by host or URL."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags
from weft.core.errors import BadParameter
from weft.gather.url import (
    ANY_SUBDOMAIN,
    OPTIONAL_SCHEME,
    PORT_AND_PATH,
    glob_regex,
    host_regex,
    match_pattern,
    match_regex,
)
from weft.graph.baseset.baseset import BaseSet, ReadTable, ReadTexts
from weft.graph.views import Dropped, subgraph
from weft.graph.webgraph import WebGraph

HOME_PAGE = r"(?::[0-9]+)?/?(?:search\b[^/]*|[?#].*)?$"
PATH_ENDING = r"[^/?#:]+(?::[0-9]+)?(?:/[^?#]*)?/(?:{})(?:\.[A-Za-z0-9]{{1,5}})?/?(?:[?#].*)?$"
MAX_STOPLIST_BYTES = 64 << 20
STOPLIST_TABLES = {"pages": ("hosts", "homes", "urls"), "links": ("endings",)}


@dataclass(frozen=True, slots=True)
class StopList:
    """Regular expressions of pages to leave out, and of pages to which links do not count.

    An empty expression matches nothing.
    """

    page_pattern: str = ""
    link_pattern: str = ""

    @classmethod
    def from_tables(cls, tables: Mapping[str, Mapping[str, Sequence[str]]]) -> "StopList":
        """From lists of hosts, homes and urls (for pages) and of path endings (for links)."""
        pages, links = (
            {**dict.fromkeys(STOPLIST_TABLES[t], ()), **tables.get(t, {})} for t in STOPLIST_TABLES
        )
        hosts, homes = ("|".join(map(host_regex, pages[name])) for name in ("hosts", "homes"))
        endings = "|".join(map(glob_regex, links["endings"]))
        alternatives = [
            f"{ANY_SUBDOMAIN}(?:{hosts}){PORT_AND_PATH}" if hosts else "",
            f"{ANY_SUBDOMAIN}(?:{homes}){HOME_PAGE}" if homes else "",
            _globs_regex(pages["urls"]),
        ]
        any_page = "|".join(filter(None, alternatives))
        return cls(
            f"(?is)^{OPTIONAL_SCHEME}(?:{any_page})" if any_page else "",
            f"(?is)^{OPTIONAL_SCHEME}{PATH_ENDING.format(endings)}" if endings else "",
        )

    def match_pages(self, names: pa.Array) -> Flags:
        """Which pages to leave out."""
        return match_regex(names, self.page_pattern)

    def match_link_targets(self, names: pa.Array) -> Flags:
        """The pages to which links do not count."""
        return match_regex(names, self.link_pattern)


@cache
def default_stoplist() -> StopList:
    """The stop-list that comes with Weft."""
    return StopList.from_tables(
        tomllib.loads((files("weft.graph.baseset") / "stoplist.toml").read_text("utf-8"))
    )


def read_stoplist(source: str) -> StopList:
    """The stop-list of a source: `default`, `none`, or the path of a file.

    A `.toml` file has the tables of the default list; any other file has a
    pattern per line, as in `match_pattern`, and comments after `#`.
    """
    if source in ("default", "none"):
        return default_stoplist() if source == "default" else StopList()
    path = Path(source)
    try:
        text = _read_list_file(path)
        tables = tomllib.loads(text) if path.suffix == ".toml" else _parse_pattern_lines(text)
    except (OSError, ValueError) as error:
        raise BadParameter(
            f"no stop-list can be read from {source!r} ({error})",
            hint="give `default`, `none`, or a file with a host or URL pattern per line",
        ) from error
    return StopList.from_tables(_check_tables(tables, source))


def _read_list_file(path: Path) -> str:
    """The text of a regular file of at most `MAX_STOPLIST_BYTES`."""
    if path.exists() and (not path.is_file() or path.stat().st_size > MAX_STOPLIST_BYTES):
        raise OSError("not a file, or too large for a list")
    return path.read_text("utf-8")


def _parse_pattern_lines(text: str) -> dict[str, dict[str, list[str]]]:
    """The tables of a file with a pattern per line."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    urls = [line for line in lines if re.search(r"[*?/]", line)]
    hosts = [line for line in lines if line and line not in urls]
    return {"pages": {"hosts": hosts, "urls": urls}}


def _check_tables(tables: dict[str, Any], source: str) -> dict[str, dict[str, list[str]]]:
    """The tables, or an error where they are not those of a stop-list."""
    for name, table in tables.items():
        lists = table.values() if isinstance(table, dict) else [None]
        valid = all(isinstance(v, list) and all(isinstance(p, str) and p for p in v) for v in lists)
        if name not in STOPLIST_TABLES or not valid or not set(table) <= set(STOPLIST_TABLES[name]):
            raise BadParameter(
                f"{source!r} has a table {name!r} that no stop-list has",
                hint="[pages] lists hosts, homes and urls; [links] lists endings",
            )
    return tables


def _globs_regex(patterns: Sequence[str]) -> str:
    """Match any of some patterns; those with a leading `*` share one `.*`, which is faster."""
    starred = [pattern.lstrip("*") for pattern in patterns if pattern.startswith("*")]
    others = [pattern for pattern in patterns if not pattern.startswith("*")]
    anywhere, at_start = ("|".join(map(_full_glob_regex, group)) for group in (starred, others))
    return "|".join(filter(None, [anywhere and f".*(?:{anywhere})", at_start]))


def _full_glob_regex(pattern: str) -> str:
    """A pattern that must match to the end, unless it ends in `*`."""
    return glob_regex(pattern.rstrip("*")) + ("" if pattern.endswith("*") else "$")


def exclude_pages(
    data: WebGraph | BaseSet, patterns: Sequence[str]
) -> tuple[WebGraph | BaseSet, tuple[Dropped, ...]]:
    """Drop the pages that match patterns; return what is left and what each pattern dropped.

    A page counts for the first pattern that it matches. The links of all dropped
    pages are counted together, with the last pattern.
    """
    if not patterns:
        return data, ()
    graph = data if isinstance(data, WebGraph) else data.graph
    kept, dropped = np.ones(len(graph), bool), list[Dropped]()
    for pattern in patterns:
        excluded = kept & match_pattern(graph.names, pattern)
        kept &= ~excluded
        dropped.append(Dropped(f"without {pattern}", int(excluded.sum()), 0))
    view, total = subgraph(graph, kept)
    dropped[-1] = replace(dropped[-1], links=total.links)
    if isinstance(data, WebGraph):
        return view, tuple(dropped)
    return _restrict(data, kept, view, tuple(dropped)), tuple(dropped)


def restrict_base_set(base: BaseSet, kept: Flags, reason: str) -> BaseSet:
    """A base set with the kept pages alone; the reason is noted if any are left out."""
    if kept.all():
        return base
    view, dropped = subgraph(base.graph, kept, reason)
    return _restrict(base, kept, view, (dropped,))


def _restrict(base: BaseSet, kept: Flags, view: WebGraph, dropped: tuple[Dropped, ...]) -> BaseSet:
    """A base set with the kept pages alone."""
    new_numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    pages, via = np.flatnonzero(kept).astype(np.int32), base.via[kept]

    def take_texts(read: ReadTexts) -> Sequence[str]:
        texts = read()
        return [texts[page] for page in pages.tolist()] if len(texts) else texts

    def take_links(read: ReadTable) -> pa.Table:
        table = read()
        ends = {side: new_numbers[table[side].to_numpy()] for side in ("source", "target")}
        for at, (side, numbers) in enumerate(ends.items()):
            table = table.set_column(at, side, pa.array(numbers, pa.int32()))
        return table.filter(pa.array((ends["source"] >= 0) & (ends["target"] >= 0)))

    return replace(
        base,
        graph=view,
        page_numbers=base.page_numbers[kept],
        origin=base.origin[kept],
        rank=base.rank[kept],
        via=np.where(via < 0, -1, new_numbers[via]).astype(np.int32),
        text_score=base.text_score[kept],
        dropped=(*base.dropped, *dropped),
        read_texts=cache(lambda: take_texts(base.read_texts)),
        read_anchors=cache(lambda: take_links(base.read_anchors)),
        read_titles=cache(lambda: take_texts(base.read_titles)),
        read_term_weights=cache(lambda: base.term_weights.take(pages)),
        read_blocks=cache(lambda: take_links(base.read_blocks)),
        read_anchor_texts=lambda sources, targets: base.anchor_texts(
            pages[sources], pages[targets]
        ),
    )
