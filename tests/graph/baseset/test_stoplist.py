"""Stop-lists and patterns: which pages match, and what is left of a graph."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from weft.core.errors import BadParameter
from weft.gather.page import Link, Page
from weft.gather.url import match_pattern
from weft.graph.baseset import stoplist
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import whole_base_set
from weft.graph.baseset.stoplist import StopList, default_stoplist, exclude_pages, read_stoplist
from weft.graph.webgraph import WebGraph
from weft.workspace.workspace import Workspace

URLS = [
    "http://ads.example/",
    "https://www.ads.example:8080/x",
    "http://badads.example/",
    "http://a.org/print/1.html",
    "http://a.org/ads.example",
    "ads.example",
]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("ads.example", [0, 1, 5]),
        ("ADS.Example", [0, 1, 5]),
        ("www.ads.example", [1]),
        ("*/print/*", [3]),
        ("a.org/*", [3, 4]),
        ("http://a.org/print/?.html", [3]),
        ("a.org/print", []),
        ("org", [3, 4]),
        ("a+b.org", []),
    ],
)
def test_pages_that_match_a_pattern(pattern: str, expected: list[int]) -> None:
    found = match_pattern(pa.array(URLS), pattern)
    assert [k for k, yes in enumerate(found) if yes] == expected


def test_an_empty_pattern_is_refused() -> None:
    with pytest.raises(BadParameter):
        match_pattern(pa.array(URLS), " ")


def test_excluded_pages_are_dropped_with_their_links() -> None:
    graph = WebGraph.from_links([("a.org", "ads.com"), ("a.org", "b.org"), ("ads.com", "b.org")])
    left, dropped = exclude_pages(graph, ["ads.com", "nothing.net"])
    assert isinstance(left, WebGraph)
    assert list(left.pages) == ["a.org", "b.org"]
    assert left.link_count == 1
    assert [(part.reason, part.pages) for part in dropped] == [
        ("without ads.com", 1),
        ("without nothing.net", 0),
    ]
    assert sum(part.links for part in dropped) == 2


def test_no_patterns_change_nothing() -> None:
    graph = WebGraph.from_links([("a", "b")])
    assert exclude_pages(graph, []) == (graph, ())


def test_a_base_set_keeps_the_texts_of_the_pages_left(keep: Callable[..., Workspace]) -> None:
    workspace = keep(
        Page("http://a.com/", title="A", text="first", links=(Link("http://b.com/", "to b"),)),
        Page("http://ads.com/", title="Ad", text="buy", links=(Link("http://b.com/", "win"),)),
        Page("http://b.com/", title="B", text="third", links=(Link("http://a.com/", "back"),)),
    )
    left, _ = exclude_pages(whole_base_set(workspace.collection), ["ads.com"])
    assert isinstance(left, BaseSet)
    assert list(left.pages) == ["http://a.com/", "http://b.com/"]
    assert list(left.texts) == ["first", "third"]
    anchors = {(r["source"], r["target"]): r["anchor"] for r in left.anchors.to_pylist()}
    assert anchors == {(0, 1): "to b", (1, 0): "back"}
    assert left.dropped[-1].pages == 1


Facts = list[tuple[tuple[str, ...], Any]]


def by_page(base: BaseSet, values: Iterable[Any]) -> Facts:
    return [((page,), value) for page, value in zip(base.pages, values, strict=True)]


def by_link(base: BaseSet, table: pa.Table) -> Facts:
    return [
        ((base.pages[row.pop("source")], base.pages[row.pop("target")]), row)
        for row in table.to_pylist()
    ]


def weights_by_page(base: BaseSet) -> Facts:
    words = base.term_weights
    stems, weights, starts = words.stems.to_pylist(), words.weights.tolist(), words.matrix.starts
    named = [stems[k] for k in words.matrix.ids.tolist()]
    rows = [dict(zip(named[a:b], weights[a:b], strict=True)) for a, b in pairwise(starts.tolist())]
    return by_page(base, rows)


def anchors_by_pair(base: BaseSet) -> Facts:
    pairs = list(product(range(len(base)), repeat=2))
    ends, words = base.anchor_texts(*np.array(pairs, np.int32).T)
    return [
        ((base.pages[source], base.pages[target]), words[a:b].to_pylist())
        for (source, target), (a, b) in zip(pairs, pairwise(ends.tolist()), strict=True)
    ]


READ: dict[str, Callable[[BaseSet], Facts]] = {
    "read_texts": lambda base: by_page(base, base.texts),
    "read_titles": lambda base: by_page(base, base.titles),
    "read_term_weights": weights_by_page,
    "read_anchors": lambda base: by_link(base, base.anchors),
    "read_blocks": lambda base: by_link(base, base.blocks),
    "read_anchor_texts": anchors_by_pair,
    "read_host_titles": lambda base: by_page(base, [base.host_titles(k) for k in range(len(base))]),
}


READERS = {f.name for f in fields(BaseSet) if f.name.startswith("read_")}


@pytest.mark.parametrize("name", sorted(READERS - {"read_topics"}))
def test_readers_give_the_data_of_the_pages_left(keep: Callable[..., Workspace], name: str) -> None:
    """Each reader gives the same as before, without the excluded page.

    Topics to rank by are attached last, to what is left.
    """
    sites = ["ads.com", "b.com", "c.com", "d.com"]
    pages = [
        Page(
            f"http://{site}/",
            title=f"Title of {site}",
            text=f"{word} and more",
            links=tuple(
                Link(
                    f"http://{other}/", f"{site} on {other}", "see", "there", position=at, path=word
                )
                for at, other in enumerate(sites)
            ),
        )
        for site, word in zip(sites, ["forest", "forest", "engine", "engine"], strict=True)
    ]
    base = whole_base_set(keep(*pages).collection)
    left, _ = exclude_pages(base, ["ads.com"])
    assert isinstance(left, BaseSet)
    before, excluded = READ[name](base), "http://ads.com/"
    assert any(excluded in pages for pages, _ in before)
    assert READ[name](left) == [fact for fact in before if excluded not in fact[0]]


def matches(names: list[str], listed: StopList) -> tuple[list[str], list[str]]:
    array = pa.array(names)
    stopped, ignored = listed.match_pages(array).tolist(), listed.match_link_targets(array).tolist()
    return (
        [name for name, yes in zip(names, stopped, strict=True) if yes],
        [name for name, yes in zip(names, ignored, strict=True) if yes],
    )


def test_the_default_list_has_advertisers_counters_and_portals() -> None:
    noise = [
        "http://ad.doubleclick.net/click?x",
        "https://www.googletagmanager.com/",
        "http://www.yahoo.com/",
        "http://uk.yahoo.com",
        "http://search.yahoo.com/search?p=jaguar",
        "https://www.facebook.com/sharer/sharer.php?u=x",
        "http://www.statcounter.com/free/",
    ]
    pages = [
        "http://dir.yahoo.com/Recreation/Automotive/",
        "http://notyahoo.com/",
        "http://www.yahoo.com/searching-for-jaguars/",
        "http://jaguar.org/?from=http://www.doubleclick.net/",
        "http://a.com/doubleclick.net",
        "Bede",
    ]
    assert matches([*noise, *pages], default_stoplist()) == (noise, [])


def test_the_default_list_has_legal_pages() -> None:
    legal = [
        "http://a.com/privacy",
        "http://a.com/legal/privacy-policy.html",
        "http://a.com/x/Copyright.HTM",
        "http://a.com/terms/",
        "http://a.com/sitemap.xml?page=2",
    ]
    pages = [
        "http://a.com/privacy/history.html",
        "http://privacy.com/",
        "http://a.com/?page=/privacy",
        "http://a.com/my-privacy-and-me.html",
    ]
    assert matches([*legal, *pages], default_stoplist()) == ([], legal)


def test_a_list_from_a_file(tmp_path: Path) -> None:
    plain = tmp_path / "mine.txt"
    plain.write_text("ads.example  # mine\n\n# nothing\n*/print/*\n")
    assert matches(URLS, read_stoplist(str(plain)))[0] == [URLS[0], URLS[1], URLS[3], URLS[5]]
    tables = tmp_path / "mine.toml"
    tables.write_text('[pages]\nhomes = ["a.org"]\n[links]\nendings = ["1", "ads.*"]\n')
    listed = read_stoplist(str(tables))
    assert matches([*URLS, "http://a.org/"], listed) == (["http://a.org/"], [URLS[3], URLS[4]])
    assert matches(URLS, read_stoplist("none")) == ([], [])
    assert read_stoplist("default") == default_stoplist()


@pytest.mark.parametrize(
    "words",
    ["pages = 3", "[pages]\nhost = []", "[pages]\nhosts = [1]", "[links", "[extra]\na = []"],
)
def test_an_invalid_list_is_refused(tmp_path: Path, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(words)
    with pytest.raises(BadParameter, match=r"mine\.toml"):
        read_stoplist(str(path))


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(BadParameter, match=r"nowhere\.txt"):
        read_stoplist("nowhere.txt")


def test_only_regular_files_of_limited_size_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for odd in (Path("/dev/zero"), tmp_path):
        with pytest.raises(BadParameter, match="not a file"):
            read_stoplist(str(odd))
    (tmp_path / "list").write_text("a.org\n" * 10)
    monkeypatch.setattr(stoplist, "MAX_STOPLIST_BYTES", 20)
    with pytest.raises(BadParameter, match="too large"):
        read_stoplist(str(tmp_path / "list"))
