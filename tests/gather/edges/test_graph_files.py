"""Graphs that declare their nodes, by hand and on real data."""

import pytest
from tests.gather.graphs import BAD, GML, GRAPHML, Write, read, read_detected
from tests.real import DATA, real

from weft.core.errors import WeftError
from weft.gather.edges.graph_files import HOSTS_WITH_AND_WITHOUT_SLASH


def test_gml(write: Write) -> None:
    graph = read_detected(write(GML))
    assert graph.nodes == [("a & b", ""), ("2", ""), ("a?x=1&copy=2", "")]
    assert sorted(graph.links) == [("2", "a?x=1&copy=2", 1, ""), ("a & b", "2", 2.5, "")]
    assert graph.problems.locations == {BAD: [f"{write(GML)}:9"]}


def test_undirected_gml_has_links_in_both_directions(write: Write) -> None:
    graph = read_detected(write(GML.replace(b"directed 1", b"directed 0")))
    assert len(graph.links) == 4
    assert {(target, source) for source, target in graph.pairs} == set(graph.pairs)


def test_gml_may_say_at_its_end_that_it_is_directed(write: Write) -> None:
    late = GML.replace(b"  directed 1\n", b"").rstrip().removesuffix(b"]") + b"directed 1 ]"
    assert read_detected(write(late)).links == read_detected(write(GML)).links


def test_gml_is_undirected_if_only_a_name_says_otherwise(write: Write) -> None:
    named = b'graph [ node [ id 1 label "directed 1" directed 1 ] edge [ source 1 target 1 ] '
    named += b"node [ id 2 ] edge [ source 1 target 2 ] ]"
    assert len(read(write(named), "gml").links) == 3


@pytest.mark.slow
def test_malformed_gml_is_read_in_linear_time(write: Write) -> None:
    deep = b"graph [ node [ id 1 ] " + b"x [ " * 1_000_000 + b'"open ]'
    assert read(write(deep), "gml").nodes == [("1", "")]


def test_nodes_with_the_same_name_are_distinguished(write: Write) -> None:
    graph = read(write(b'graph [ node [ id 1 label "a" ] node [ id 2 label "a" ] ]'), "gml")
    assert [name for name, _ in graph.nodes] == ["a", "a (2)"]
    assert graph.problems.counts == {"graph nodes that share a name": 1}
    assert graph.problems.damage_count == 0


def test_nodes_without_a_usable_name_are_reported(write: Write) -> None:
    nodes = b'node [ id 1 label "a" ] node [ id 2 label " " ] node [ id 3 label "%b" ]' % (
        b"x" * 5000
    )
    edges = b"edge [ source 1 target 2 ] edge [ source 2 target 2 ] edge [ source 3 target 1 ]"
    graph = read(write(b"graph [ %b %b ]" % (nodes, edges)), "gml")
    assert (graph.nodes, graph.links) == ([("a", "")], [])
    assert graph.problems.counts == {"graph nodes without a usable name": 2, BAD: 3}


def test_graphml(write: Write) -> None:
    path = write(GRAPHML)
    graph = read_detected(path)
    cafe = "Caf\u00e9 & bar"
    assert graph.nodes == [(cafe, ""), ("http://x/", "X"), ("n2", "")]
    assert (cafe, "http://x/", 3, "") in graph.links
    assert sorted(graph.pairs) == [(cafe, "http://x/"), ("http://x/", "n2"), ("n2", "http://x/")]
    assert graph.problems.locations == {BAD: [f"{path}:11"]}


def test_graphs_inside_graphml_keep_their_direction_to_themselves(write: Write) -> None:
    inner = b'<graph edgedefault="directed"><node id="b"/><edge source="b" target="b"/></graph>'
    outer = b'<graphml><graph edgedefault="undirected"><node id="a">%b</node>' % inner
    graph = read(write(outer + b'<edge source="a" target="b"/></graph></graphml>'), "graphml")
    assert sorted(graph.pairs) == [("a", "b"), ("b", "a"), ("b", "b")]


def test_weights_of_graphml_have_a_default(write: Write) -> None:
    edges = (
        b'<edge source="a" target="b"/><edge source="b" target="a"><data key="w">3</data></edge>'
    )
    nodes = b'<node id="a"/><node id="b"/>'
    for use, weight in ((b'for="edge"', 2.5), (b"", 2.5), (b'for="node"', 1)):
        key = b'<key id="w" %b attr.name="weight"><default>\n2.5</default></key>' % use
        graph = b'<graphml>%b<graph edgedefault="directed">%b</graph></graphml>'
        found = read(write(graph % (key, nodes + edges)), "graphml")
        assert found.links == [("a", "b", weight, ""), ("b", "a", 3, "")]
        assert found.nodes == [("a", ""), ("b", "")]


def test_truncated_graphml_keeps_complete_elements(write: Write) -> None:
    graph = read(write(GRAPHML[: GRAPHML.index(b"<edge source=") + 10]), "graphml")
    assert len(graph.nodes) == 3
    assert list(graph.problems.counts) == ["malformed XML files"]


@pytest.mark.parametrize(
    "declared",
    [
        b'<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]>',
        b'<!DOCTYPE graphml SYSTEM "file:///etc/passwd">',
        b"<!--" + b" " * 200_000 + b"--><!DOCTYPE x>",
    ],
)
def test_document_types_are_refused(write: Write, declared: bytes) -> None:
    path = write(declared + b'<graphml><graph><node id="&c;"/></graph></graphml>')
    with pytest.raises(WeftError, match="declares a document type"):
        read(path, "graphml")


def test_the_url_of_a_host_gets_a_slash(write: Write) -> None:
    labels = [b"http://a", b"http://a/", b"http://b?q", b"HTTPS://c.com:80#x", b"a"]
    rows = [b'node [ id %d label "%b" ]' % node for node in enumerate(labels)]
    rows += [b"edge [ source %d target %d ]" % link for link in ((0, 2), (1, 4))]
    graph = read(write(b"graph [ directed 1\n%b\n]" % b"\n".join(rows)), "gml")
    names = ["http://a/", "http://a/", "http://b/?q", "HTTPS://c.com:80/#x", "a"]
    assert [name for name, _ in graph.nodes] == names
    assert graph.pairs == [("http://a/", "http://b/?q"), ("http://a/", "a")]
    assert graph.problems.counts == {HOSTS_WITH_AND_WITHOUT_SLASH: 1}
    assert graph.problems.damage_count == 0


@real
def test_real_political_blogs() -> None:
    path = DATA / "polblogs" / "polblogs.gml"
    graph = read_detected(path)
    assert len(graph.nodes) == 1_490
    assert len(graph.links) == path.read_text().count("edge [")
    assert graph.nodes[0] == ("100monkeystyping.com", "")
    assert graph.problems.counts == {}
