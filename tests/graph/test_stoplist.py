"""Stop-lists: what a pattern means, and what is left of a graph."""

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
from weft.graph import stoplist
from weft.graph.baseset import BaseSet
from weft.graph.expand import whole
from weft.graph.stoplist import StopList, matching, read_stoplist, shipped, without
from weft.graph.webgraph import WebGraph
from weft.run.workspace import Workspace

URLS = [
    "http://ads.example/",
    "https://www.ads.example:8080/x",
    "http://badads.example/",
    "http://a.org/print/1.html",
    "http://a.org/ads.example",
    "ads.example",
]


@pytest.mark.parametrize(
    ("pattern", "meant"),
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
def test_what_a_pattern_means(pattern: str, meant: list[int]) -> None:
    found = matching(pa.array(URLS), pattern)
    assert [k for k, yes in enumerate(found) if yes] == meant


def test_an_empty_pattern_is_refused() -> None:
    with pytest.raises(BadParameter):
        matching(pa.array(URLS), " ")


def test_pages_go_with_their_links_and_are_told() -> None:
    graph = WebGraph.from_links([("a.org", "ads.com"), ("a.org", "b.org"), ("ads.com", "b.org")])
    left, told = without(graph, ["ads.com", "nothing.net"])
    assert isinstance(left, WebGraph)
    assert list(left.pages) == ["a.org", "b.org"]
    assert left.link_count == 1
    assert [(t.reason, t.pages) for t in told] == [
        ("without ads.com", 1),
        ("without nothing.net", 0),
    ]
    assert sum(t.links for t in told) == 2


def test_no_patterns_change_nothing() -> None:
    graph = WebGraph.from_links([("a", "b")])
    assert without(graph, []) == (graph, ())


def test_a_base_set_keeps_the_words_of_what_is_left(keep: Callable[..., Workspace]) -> None:
    workspace = keep(
        Page("http://a.com/", title="A", text="first", links=(Link("http://b.com/", "to b"),)),
        Page("http://ads.com/", title="Ad", text="buy", links=(Link("http://b.com/", "win"),)),
        Page("http://b.com/", title="B", text="third", links=(Link("http://a.com/", "back"),)),
    )
    left, _ = without(whole(workspace.collection), ["ads.com"])
    assert isinstance(left, BaseSet)
    assert list(left.pages) == ["http://a.com/", "http://b.com/"]
    assert list(left.texts) == ["first", "third"]
    said = {(r["source"], r["target"]): r["anchor"] for r in left.anchors.to_pylist()}
    assert said == {(0, 1): "to b", (1, 0): "back"}
    assert left.dropped[-1].pages == 1


Told = list[tuple[tuple[str, ...], Any]]


def each_page(base: BaseSet, what: Iterable[Any]) -> Told:
    return [((page,), one) for page, one in zip(base.pages, what, strict=True)]


def each_link(base: BaseSet, table: pa.Table) -> Told:
    return [
        ((base.pages[row.pop("source")], base.pages[row.pop("target")]), row)
        for row in table.to_pylist()
    ]


def each_weight(base: BaseSet) -> Told:
    words = base.words
    stems, weights, starts = words.stems.to_pylist(), words.weights.tolist(), words.rows.starts
    named = [stems[k] for k in words.rows.ids.tolist()]
    rows = [dict(zip(named[a:b], weights[a:b], strict=True)) for a, b in pairwise(starts.tolist())]
    return each_page(base, rows)


def each_pair(base: BaseSet) -> Told:
    pairs = list(product(range(len(base)), repeat=2))
    ends, words = base.said(*np.array(pairs, np.int32).T)
    return [
        ((base.pages[source], base.pages[target]), words[a:b].to_pylist())
        for (source, target), (a, b) in zip(pairs, pairwise(ends.tolist()), strict=True)
    ]


READ: dict[str, Callable[[BaseSet], Told]] = {
    "read_texts": lambda base: each_page(base, base.texts),
    "read_titles": lambda base: each_page(base, base.titles),
    "read_words": each_weight,
    "read_anchors": lambda base: each_link(base, base.anchors),
    "read_blocks": lambda base: each_link(base, base.blocks),
    "read_said": each_pair,
}


@pytest.mark.parametrize("name", [f.name for f in fields(BaseSet) if f.name.startswith("read_")])
def test_all_that_is_read_is_that_of_the_pages_left(
    keep: Callable[..., Workspace], name: str
) -> None:
    """Whatever a base set reads is told of the same pages as before, but for those gone."""
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
    base = whole(keep(*pages).collection)
    left, _ = without(base, ["ads.com"])
    assert isinstance(left, BaseSet)
    told, gone = READ[name](base), "http://ads.com/"
    assert any(gone in about for about, _ in told)
    assert READ[name](left) == [(about, what) for about, what in told if gone not in about]


def meant(names: list[str], listed: StopList) -> tuple[list[str], list[str]]:
    array = pa.array(names)
    stops, shuns = listed.stops(array).tolist(), listed.shuns(array).tolist()
    return (
        [name for name, yes in zip(names, stops, strict=True) if yes],
        [name for name, yes in zip(names, shuns, strict=True) if yes],
    )


def test_the_shipped_list_knows_advertisers_counters_and_front_pages() -> None:
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
    assert meant([*noise, *pages], shipped()) == (noise, [])


def test_the_shipped_list_knows_how_legal_pages_are_called() -> None:
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
    assert meant([*legal, *pages], shipped()) == ([], legal)


def test_a_list_from_a_file(tmp_path: Path) -> None:
    plain = tmp_path / "mine.txt"
    plain.write_text("ads.example  # mine\n\n# nothing\n*/print/*\n")
    assert meant(URLS, read_stoplist(str(plain)))[0] == [URLS[0], URLS[1], URLS[3], URLS[5]]
    tables = tmp_path / "mine.toml"
    tables.write_text('[pages]\nhomes = ["a.org"]\n[links]\nendings = ["1", "ads.*"]\n')
    listed = read_stoplist(str(tables))
    assert meant([*URLS, "http://a.org/"], listed) == (["http://a.org/"], [URLS[3], URLS[4]])
    assert meant(URLS, read_stoplist("none")) == ([], [])
    assert read_stoplist("default") == shipped()


@pytest.mark.parametrize(
    "words",
    ["pages = 3", "[pages]\nhost = []", "[pages]\nhosts = [1]", "[links", "[extra]\na = []"],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(words)
    with pytest.raises(BadParameter, match=r"mine\.toml"):
        read_stoplist(str(path))


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadParameter, match=r"nowhere\.txt"):
        read_stoplist("nowhere.txt")


def test_only_a_file_of_a_lists_size_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for odd in (Path("/dev/zero"), tmp_path):
        with pytest.raises(BadParameter, match="not a file"):
            read_stoplist(str(odd))
    (tmp_path / "list").write_text("a.org\n" * 10)
    monkeypatch.setattr(stoplist, "LONGEST", 20)
    with pytest.raises(BadParameter, match="too large"):
        read_stoplist(str(tmp_path / "list"))
