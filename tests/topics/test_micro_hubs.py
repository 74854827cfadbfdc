"""Micro-hubs as HTML: faithful to the block, with all markup escaped."""

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BLOCK_SCHEMA, BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.webgraph import WebGraph
from weft.groups import MicroHub
from weft.topics.micro_hubs import MAX_LINKS_SHOWN, allowed_tag, build_micro_hub
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
Row = tuple[str, str, int, str]
TEXT = "Good pages\nthe cat, by hand\nA page.\nIn German.\nand the car too. More.\nEnd"


def hub(rows: list[Row], text: str = TEXT) -> MicroHub:
    """The micro-hub of links of a page `p`, each with its target, anchor, position and path."""
    graph = WebGraph.from_links([("http://p.org/", target) for target, *_ in rows])
    ends = [(graph.page_number("http://p.org/"), graph.page_number(row[0])) for row in rows]
    columns = [*zip(*ends, strict=True), *list(zip(*rows, strict=True))[1:]]
    table = pa.table(
        [
            pa.array(list(values), pa.string() if kind == BLOCK_SCHEMA.field("path").type else kind)
            for values, kind in zip(columns, BLOCK_SCHEMA.types, strict=True)
        ],
        BLOCK_SCHEMA.names,
    )
    path = table["path"].combine_chunks().dictionary_encode()
    table = table.set_column(4, "path", path).cast(BLOCK_SCHEMA)
    texts = [text if page == "http://p.org/" else "" for page in graph.pages]
    return build_micro_hub(BaseSet.from_graph(graph), table, np.arange(len(rows)), 0.5, texts)


def test_the_block_is_rebuilt() -> None:
    micro_hub = hub(
        [
            ("http://car.org/", "the car", TEXT.index("the car"), "body/ul[3]/li[2]"),
            ("http://cat.org/", "the cat", TEXT.index("the cat"), "body/ul[3]/li[1]/b[1]"),
        ]
    )
    assert micro_hub.path == "body/ul[3]"
    assert micro_hub.targets == ("http://cat.org/", "http://car.org/")
    assert micro_hub.anchors == ("the cat", "the car")
    assert re.sub(r' rel="[^"]*"', "", micro_hub.fragment) == (
        '<ul><li><b><a href="http://cat.org/">the cat</a> , by hand A page. In German.</b></li> '
        '<li>and <a href="http://car.org/">the car</a> too. More.</li></ul>'
    )


def test_markup_in_text_is_escaped() -> None:
    evil = '<script>alert("x")</script>'
    text = f"{evil} {evil}\n<img src=x onerror=y>"
    micro_hub = hub([("http://a.org/?a=1&b='\"", evil, len(evil) + 1, "body/p[1]")], text)
    assert re.findall(r"<(\w+)", micro_hub.fragment) == ["p", "a"]
    assert micro_hub.fragment.count("&lt;script&gt;") == 2
    assert "'" not in micro_hub.fragment
    assert "b=&#x27;&quot;" in micro_hub.fragment


@pytest.mark.parametrize("target", ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "a"])
def test_only_web_addresses_are_linked_to(target: str) -> None:
    micro_hub = hub([(target, "here", -1, "")])
    assert "href" not in micro_hub.fragment
    assert "here" in micro_hub.fragment


@pytest.mark.parametrize(
    ("step", "name"),
    [
        ("li[3]", "li"),
        ("body", "div"),
        ("script[1]", "div"),
        ("svg[1]", "div"),
        ("p\"onclick='x[1]", "div"),
        ("x<script>[2]", "div"),
        ("ul[2][1]", "div"),
        ("", "div"),
    ],
)
def test_allowed_tags(step: str, name: str) -> None:
    assert allowed_tag(step) == name


def test_control_characters_are_left_out() -> None:
    micro_hub = hub(
        [("http://a.org/", "\x1b[31mred\u202e", 0, "body")], "\x1b[31mred\u202e\x00 tail"
    )
    assert not re.search("[\x00-\x1f\u202e]", micro_hub.fragment)
    assert "[31mred" in micro_hub.fragment


def test_a_block_of_many_links_is_cut_short() -> None:
    micro_hub = hub(
        [(f"http://a.org/{k}", f"n{k}", -1, "body/ul[1]") for k in range(MAX_LINKS_SHOWN + 7)]
    )
    assert micro_hub.count == MAX_LINKS_SHOWN + 7
    assert (
        len(micro_hub.targets)
        == len(micro_hub.anchors)
        == micro_hub.fragment.count("<a ")
        == MAX_LINKS_SHOWN
    )
    assert micro_hub.fragment.endswith("<p>and 7 more</p>")


def test_long_text_is_cut_short() -> None:
    text = "word " * 1000 + "here" + " word" * 1000
    micro_hub = hub([("http://a.org/", "here", 5000, "body/p[1]")], text)
    assert len(micro_hub.fragment) < 600
    assert micro_hub.fragment.startswith("<p>…")
    assert micro_hub.fragment.endswith("…</p>")


def test_no_position_no_text() -> None:
    micro_hub = hub([("http://a.org/", "a map", -1, "body"), ("http://b.org/", "End", -1, "body")])
    assert re.sub("<[^>]*>", "", micro_hub.fragment) == "a map End"


def test_a_link_without_anchor_shows_its_target() -> None:
    micro_hub = hub([("http://a.org/x", "", -1, "body")])
    assert re.sub("<[^>]*>", "", micro_hub.fragment) == "a.org/x"
    assert micro_hub.anchors == ("",)


def test_an_anchor_that_is_no_text_of_the_page() -> None:
    """A picture stands in the text as nothing, and is called by its title."""
    micro_hub = hub([("http://a.org/", "logo", TEXT.index("A page"), "body/p[1]")])
    assert re.sub("<[^>]*>", "", micro_hub.fragment) == "logo A page."


def test_blocks_come_from_a_collection(keep: Keep) -> None:
    links = (
        Link("http://b.com/", "two", position=4, path="body/p[2]"),
        Link("http://c.com/", "own"),
        Link("http://b.com/", "one", position=0, path="body/p[1]"),
    )
    workspace = keep(
        Page("http://a.com/", text="jaguar", links=links), Page("http://b.com/", text="jaguar")
    )
    base = build_query_base_set(workspace.collection, "jaguar")
    assert base.blocks.schema == BLOCK_SCHEMA
    rows = base.blocks.drop_columns(["source"]).to_pylist()
    assert [(base.pages[row.pop("target")], *row.values()) for row in rows] == [
        ("http://b.com/", "two", 4, "body/p[2]"),
        ("http://b.com/", "one", 0, "body/p[1]"),
        ("http://c.com/", "own", -1, ""),
    ]
    assert base.blocks["anchor"].to_pylist() == base.anchors["anchor"].to_pylist()
