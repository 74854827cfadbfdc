"""Leave out pages by their host or their URL."""

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
import pyarrow.compute as pc

from weft.core.arrays import Flags
from weft.core.errors import BadParameter
from weft.graph.baseset import Anchors, BaseSet, Texts
from weft.graph.views import Dropped, subgraph
from weft.graph.webgraph import WebGraph

SCHEME = r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?"
BELOW = r"(?:[^/?#]*[.@])?"
REST = r"(?::[0-9]+)?(?:[/?#]|$)"
HOME = r"(?::[0-9]+)?/?(?:search\b[^/]*|[?#].*)?$"
ENDING = r"[^/?#:]+(?::[0-9]+)?(?:/[^?#]*)?/(?:{})(?:\.[A-Za-z0-9]{{1,5}})?/?(?:[?#].*)?$"
WILD = {"*": ".*", "?": "."}
LONGEST = 64 << 20
LAYOUT = {"pages": ("hosts", "homes", "urls"), "links": ("endings",)}


@dataclass(frozen=True, slots=True)
class StopList:
    """Which pages are left out, and which ones links to count for nothing.

    Both are expressions over URLs, and empty where nothing is meant.
    """

    pages: str = ""
    links: str = ""

    @classmethod
    def of(cls, told: Mapping[str, Mapping[str, Sequence[str]]]) -> "StopList":
        """From hosts, homes, urls (pages) and endings of paths (links)."""
        pages, links = ({**dict.fromkeys(LAYOUT[t], ()), **told.get(t, {})} for t in LAYOUT)
        hosts, homes = ("|".join(map(_host, pages[name])) for name in ("hosts", "homes"))
        endings = "|".join(map(_glob, links["endings"]))
        parts = [
            f"{BELOW}(?:{hosts}){REST}" if hosts else "",
            f"{BELOW}(?:{homes}){HOME}" if homes else "",
            _globs(pages["urls"]),
        ]
        meant = "|".join(filter(None, parts))
        return cls(
            f"(?is)^{SCHEME}(?:{meant})" if meant else "",
            f"(?is)^{SCHEME}{ENDING.format(endings)}" if endings else "",
        )

    def stops(self, names: pa.Array) -> Flags:
        """Which pages are left out."""
        return _found(names, self.pages)

    def shuns(self, names: pa.Array) -> Flags:
        """Which pages links to count for nothing."""
        return _found(names, self.links)


@cache
def shipped() -> StopList:
    """The list that comes with Weft."""
    return StopList.of(tomllib.loads((files("weft.graph") / "stoplist.toml").read_text("utf-8")))


def read_stoplist(which: str) -> StopList:
    """The shipped list for `default`, nothing for `none`, or the list in a file.

    A file ending in `.toml` has the tables of the shipped list; any other one
    pattern a line, as `matching` takes them, and remarks after `#`.
    """
    if which in ("default", "none"):
        return shipped() if which == "default" else StopList()
    path = Path(which)
    try:
        text = _text(path)
        told = tomllib.loads(text) if path.suffix == ".toml" else _tables(text)
    except (OSError, ValueError) as error:
        raise BadParameter(
            f"no stop-list can be read from {which!r} ({error})",
            hint="give `default`, `none`, or a file with a host or URL pattern a line",
        ) from error
    return StopList.of(_known(told, which))


def _text(path: Path) -> str:
    """What stands in a file, if it is one and no larger than lists are."""
    if path.exists() and (not path.is_file() or path.stat().st_size > LONGEST):
        raise OSError("not a file, or too large for a list")
    return path.read_text("utf-8")


def _tables(text: str) -> dict[str, dict[str, list[str]]]:
    """The patterns of a plain file."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    urls = [line for line in lines if re.search(r"[*?/]", line)]
    hosts = [line for line in lines if line and line not in urls]
    return {"pages": {"hosts": hosts, "urls": urls}}


def _known(told: dict[str, Any], which: str) -> dict[str, dict[str, list[str]]]:
    """The tables, having seen that they are those of a stop-list."""
    for name, table in told.items():
        lists = table.values() if isinstance(table, dict) else [None]
        plain = all(isinstance(v, list) and all(isinstance(p, str) and p for p in v) for v in lists)
        if name not in LAYOUT or not plain or not set(table) <= set(LAYOUT[name]):
            raise BadParameter(
                f"{which!r} has a table {name!r} that no stop-list has",
                hint="[pages] lists hosts, homes and urls; [links] lists endings",
            )
    return told


def _host(place: str) -> str:
    return re.escape(place.strip().lower().strip("."))


def _globs(patterns: Sequence[str]) -> str:
    """Any of some patterns; those that begin anywhere share their beginning, which is faster."""
    anywhere = [pattern.lstrip("*") for pattern in patterns if pattern.startswith("*")]
    others = [pattern for pattern in patterns if not pattern.startswith("*")]
    within, at_start = ("|".join(map(_whole, some)) for some in (anywhere, others))
    return "|".join(filter(None, [within and f".*(?:{within})", at_start]))


def _whole(pattern: str) -> str:
    """A pattern up to the end, unless anything may end it."""
    return _glob(pattern.rstrip("*")) + ("" if pattern.endswith("*") else "$")


def _glob(pattern: str) -> str:
    return "".join(WILD.get(sign) or re.escape(sign) for sign in pattern)


def _found(names: pa.Array, expression: str) -> Flags:
    if not expression or not len(names):
        return np.zeros(len(names), bool)
    found: Flags = pc.match_substring_regex(names, expression).to_numpy(zero_copy_only=False)
    return found.astype(bool)


def matching(names: pa.Array, pattern: str) -> Flags:
    """Which names a pattern means.

    A bare host or domain stands for itself and all below it. With `*`, `?` or
    a slash it is a pattern of URLs, whose scheme may be left out.

    Examples
    --------
    >>> urls = pa.array(["http://ads.example/x", "http://www.ads.example/", "http://a.org/ads"])
    >>> matching(urls, "ads.example").tolist(), matching(urls, "*/ads").tolist()
    ([True, True, False], [False, False, True])
    """
    if not pattern.strip():
        raise BadParameter("an empty pattern means no page", hint="give a host or a URL with *")
    if re.search(r"[*?/]", pattern):
        return _found(names, f"(?s)^{SCHEME}{_glob(pattern)}$")
    return _found(names, f"(?i)^{SCHEME}{BELOW}{_host(pattern)}{REST}")


def without(
    data: WebGraph | BaseSet, patterns: Sequence[str]
) -> tuple[WebGraph | BaseSet, tuple[Dropped, ...]]:
    """The same without the pages that patterns mean; what each left out is told.

    A page that several patterns mean counts for the first of them. The links
    of all are told together, at the last.
    """
    if not patterns:
        return data, ()
    graph = data if isinstance(data, WebGraph) else data.graph
    kept, told = np.ones(len(graph), bool), []
    for pattern in patterns:
        gone = kept & matching(graph.names, pattern)
        kept &= ~gone
        told.append(Dropped(f"without {pattern}", int(gone.sum()), 0))
    view, lost = subgraph(graph, kept)
    told[-1] = replace(told[-1], links=lost.links)
    if isinstance(data, WebGraph):
        return view, tuple(told)
    return _part(data, kept, view, tuple(told)), tuple(told)


def _part(base: BaseSet, kept: Flags, view: WebGraph, told: tuple[Dropped, ...]) -> BaseSet:
    """A base set with the chosen pages alone."""
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    chosen, via = np.flatnonzero(kept).astype(np.int32), base.via[kept]

    def some(read: Texts) -> Sequence[str]:
        every = read()
        return [every[k] for k in chosen.tolist()] if len(every) else every

    def among(read: Anchors) -> pa.Table:
        table = read()
        ends = {side: number[table[side].to_numpy()] for side in ("source", "target")}
        for at, (side, numbers) in enumerate(ends.items()):
            table = table.set_column(at, side, pa.array(numbers, pa.int32()))
        return table.filter(pa.array((ends["source"] >= 0) & (ends["target"] >= 0)))

    return replace(
        base,
        graph=view,
        numbers=base.numbers[kept],
        origin=base.origin[kept],
        rank=base.rank[kept],
        via=np.where(via < 0, -1, number[via]).astype(np.int32),
        text_score=base.text_score[kept],
        dropped=(*base.dropped, *told),
        read_texts=cache(lambda: some(base.read_texts)),
        read_anchors=cache(lambda: among(base.read_anchors)),
        read_titles=cache(lambda: some(base.read_titles)),
        read_words=cache(lambda: base.words.some(chosen)),
        read_blocks=cache(lambda: among(base.read_blocks)),
        read_said=lambda sources, targets: base.said(chosen[sources], chosen[targets]),
    )
