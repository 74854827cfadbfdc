"""Read graph files that declare their nodes: GML and GraphML."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

import pyarrow as pa

from weft.core.errors import WeftError
from weft.gather.edges import text_rows
from weft.gather.edges.edge_tables import (
    HOST_ONLY_PATTERN,
    UNKNOWN_NAME,
    add_reverse_links,
    clean_links,
    make_node_table,
    report_bad_rows,
    split_into_batches,
)
from weft.gather.formats import Evidence, InputHead, input_format
from weft.gather.page import EdgeBatch, Problems
from weft.gather.url import MAX_URL_CHARS

BATCH_DECLARATIONS, MAX_XML_DEPTH = 1 << 18, 1000
DUPLICATE_NODE_NAMES = "graph nodes that share a name"
HOSTS_WITH_AND_WITHOUT_SLASH = "graph nodes that name one host with and without a slash"
UNNAMED_NODES = "graph nodes without a usable name"
BROKEN_XML = "malformed XML files"
OVERLONG_TOKENS = "graph file tokens longer than 16 MB"
GML_START = re.compile(rb"\s*+(?:#.*\n\s*+|\w++[ \t]++(?:\"[^\"]*+\"|[\w.+-]++)\s*+)*+graph\s*\[")
GRAPHML_ROOT = re.compile(rb"<(?:\w+:)?graphml[\s>]")
GML_TOKEN = re.compile(r'(^[ \t]*#.*$)|"[^"]*"|[\[\]]|[^\s\[\]"]+', re.MULTILINE)
GML_SEPARATORS = b"\t\r "
GML_KEYS = frozenset(["id", "label", "source", "target", "value", "weight"])
GRAPHML_KEYS = frozenset(["url", "label", "name", "title", "weight", "value"])
CHARACTER_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
HOST_ONLY_URL = re.compile(HOST_ONLY_PATTERN)


class NodeDeclaration(NamedTuple):
    """A node of a file: its key in the file, its name and title."""

    key: str
    name: str
    title: str = ""


class EdgeDeclaration(NamedTuple):
    """A link between two nodes by their keys, and its line in the file."""

    source: str
    target: str
    line: int
    weight: str = ""
    undirected: bool = False


@input_format(
    "gml",
    "GML",
    evidence=Evidence.STRUCTURE,
    recognise=lambda head: GML_START.match(head.text) is not None,
)
def read_gml(path: Path, input_digest: str, problems: Problems) -> Iterator[EdgeBatch]:
    """Nodes and links; the name of a node is its label, or else its id."""
    return _resolve_node_keys(partial(_parse_gml, path), path, input_digest, problems)


def _is_graphml(head: InputHead) -> bool:
    is_xml = head.text.lstrip().startswith(b"<")
    return is_xml and GRAPHML_ROOT.search(head.text) is not None


@input_format("graphml", "GraphML", evidence=Evidence.STRUCTURE, recognise=_is_graphml)
def read_graphml(path: Path, input_digest: str, problems: Problems) -> Iterator[EdgeBatch]:
    """Nodes and links; the name of a node is its url, label or name, or else its id."""
    return _resolve_node_keys(partial(_parse_graphml, path), path, input_digest, problems)


def _parse_gml(path: Path, problems: Problems) -> Iterator[NodeDeclaration | EdgeDeclaration]:
    undirected = not _is_gml_directed(path)
    for line, kind, fields in _gml_records(_gml_tokens(path, problems)):
        if kind == "node":
            key = fields.get("id", UNKNOWN_NAME)
            yield NodeDeclaration(key, fields.get("label") or key)
        elif kind == "edge":
            source, target = fields.get("source", ""), fields.get("target", "")
            yield EdgeDeclaration(source, target, line, _edge_weight(fields), undirected)


def _is_gml_directed(path: Path) -> bool:
    """Whether a GML file has `directed 1`, which may come after its links."""
    blocks = text_rows.read_blocks(path, Problems(), quoted=True, separators=GML_SEPARATORS)
    if not any(b"directed" in block.text.lower() for block in blocks):
        return False
    records = _gml_records(_gml_tokens(path, Problems()))
    values = (fields.get("directed") for _, _, fields in records)
    return next(filter(None, values), "") == "1"


def _gml_tokens(path: Path, problems: Problems) -> Iterator[tuple[int, str]]:
    """The words, strings and brackets of a GML file, each with its line number."""
    for block in text_rows.read_blocks(path, problems, quoted=True, separators=GML_SEPARATORS):
        text, line, counted = block.text.decode(), block.first_line, 0
        for match in GML_TOKEN.finditer(text):
            line, counted = line + text.count("\n", counted, match.start()), match.start()
            if match[0].startswith(("\0", '"\0')):
                problems.add(OVERLONG_TOKENS, f"{path}:{line}")
            if not match[1]:
                yield line, match[0]


def _gml_records(tokens: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, dict[str, str]]]:
    """The nodes and edges of a GML file with their fields, and each field of the graph.

    Depth 1 is inside the graph, depth 2 inside a node or edge.
    """
    key, kind, depth = "", "", 0
    fields: dict[str, str] = {}
    for line, token in tokens:
        if token in "[]":
            if token == "[" and depth == 1:
                kind, fields = key, {}
            elif token == "]" and depth == 2:
                yield line, kind, fields
            depth, key = max(depth + (1 if token == "[" else -1), 0), ""
        elif not key:
            key = token.lower()
        else:
            if depth == 1:
                yield line, "graph", {key: token}
            elif depth == 2 and key in GML_KEYS:
                fields.setdefault(
                    key, CHARACTER_REFERENCE.sub(lambda e: unescape(e[0]), token.strip('"'))
                )
            key = ""


def _parse_graphml(path: Path, problems: Problems) -> Iterator[NodeDeclaration | EdgeDeclaration]:
    graphml = _GraphMLParser(path)
    with text_rows.open_decompressed_stream(path) as stream:
        try:
            bytes_fed = 0
            while block := stream.read(text_rows.READ_BYTES):
                bytes_fed += len(block)
                graphml.parser.Parse(block, False)  # noqa: FBT003  positional in expat
                yield from graphml.take_parsed()
                # expat buffers a token until its end: a token without end would fill the memory.
                if bytes_fed - graphml.parser.CurrentByteIndex > text_rows.MAX_BLOCK_BYTES:
                    problems.add(OVERLONG_TOKENS, f"{path}:{graphml.parser.CurrentLineNumber}")
                    return
            graphml.parser.Parse(b"", True)  # noqa: FBT003
        except OSError:
            problems.add(text_rows.TRUNCATED_COMPRESSION, str(path))
        except (expat.ExpatError, ValueError, LookupError) as error:
            problems.add(BROKEN_XML, f"{path}: {error}")
    yield from graphml.take_parsed()


class _GraphMLParser:
    """A streaming parser of GraphML; it builds no tree and refuses DTDs, so no entities expand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start_element
        self.parser.EndElementHandler = self._end_element
        self.parser.CharacterDataHandler = self._add_text
        self.parsed: list[NodeDeclaration | EdgeDeclaration] = []
        self.key_names: dict[str, str] = {}
        self.edge_defaults: dict[str, str] = {}
        self.directed_graphs = [False]
        self.open_elements: list[tuple[dict[str, str], dict[str, str]]] = []
        self.current_key, self.depth = "", 0

    def take_parsed(self) -> list[NodeDeclaration | EdgeDeclaration]:
        """Return the declarations parsed since the last call."""
        parsed, self.parsed = self.parsed, []
        return parsed

    def _refuse_doctype(self, *_: Any) -> None:
        raise WeftError(
            f"{self.path} declares a document type, which could load or expand anything",
            hint="remove the <!DOCTYPE ...> from the file",
        )

    def _start_element(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_XML_DEPTH:
            raise ValueError(f"tags are nested more than {MAX_XML_DEPTH:,} deep")
        match tag.rpartition("}")[2]:
            case "key":
                self.key_names[attributes.get("id", "")] = attributes.get("attr.name", "").lower()
                self.open_elements.append((attributes, {}))
            case "graph":
                self.directed_graphs.append(attributes.get("edgedefault") == "directed")
            case "node" | "edge":
                self.open_elements.append((attributes, {}))
            case "default":
                self.current_key = (
                    self.key_names.get(self.open_elements[-1][0].get("id", ""), "")
                    if self.open_elements
                    else ""
                )
            case "data":
                self.current_key = self.key_names.get(attributes.get("key", ""), "")
            case "NodeLabel":
                self.current_key = "label"

    def _add_text(self, text: str) -> None:
        if self.current_key in GRAPHML_KEYS and self.open_elements:
            fields = self.open_elements[-1][1]
            value = fields.get(self.current_key, "") + text
            fields[self.current_key] = value[: MAX_URL_CHARS + 1]

    def _end_element(self, tag: str) -> None:
        self.depth -= 1
        match tag.rpartition("}")[2]:
            case "data" | "default" | "NodeLabel":
                self.current_key = ""
            case "graph":
                self.directed_graphs.pop()
            case "key":
                attributes, fields = self.open_elements.pop()
                if attributes.get("for", "all") in ("all", "edge"):
                    self.edge_defaults |= fields
            case "node":
                self.parsed.append(_make_graphml_node(*self.open_elements.pop()))
            case "edge":
                self.parsed.append(self._make_edge(*self.open_elements.pop()))

    def _make_edge(self, attributes: dict[str, str], fields: dict[str, str]) -> EdgeDeclaration:
        directed = attributes.get("directed", str(self.directed_graphs[-1])).lower() == "true"
        weight = _edge_weight(fields) or _edge_weight(self.edge_defaults)
        source, target = attributes.get("source", ""), attributes.get("target", "")
        return EdgeDeclaration(source, target, self.parser.CurrentLineNumber, weight, not directed)


def _edge_weight(fields: dict[str, str]) -> str:
    return fields.get("weight") or fields.get("value", "")


def _make_graphml_node(attributes: dict[str, str], fields: dict[str, str]) -> NodeDeclaration:
    key = attributes.get("id", UNKNOWN_NAME)
    label = fields.get("label", "").strip() or fields.get("name", "").strip()
    url = fields.get("url", "").strip()
    return NodeDeclaration(
        key, url or label or key, fields.get("title", label if url else "").strip()
    )


def _resolve_node_keys(
    read_declarations: Callable[[Problems], Iterator[NodeDeclaration | EdgeDeclaration]],
    path: Path,
    input_digest: str,
    problems: Problems,
) -> Iterator[EdgeBatch]:
    """Replace the keys of links by node names, in batches.

    Links that come before their nodes need a second pass over the file, when
    all names are known. Memory is that of the names, not of the links.
    """
    names: dict[str, str] = {}
    name_counts: Counter[str] = Counter()
    postponed = 0
    for batch in _batch_declarations(read_declarations(problems)):
        nodes = [
            _make_name_unique(declared, name_counts)
            for declared in batch
            if isinstance(declared, NodeDeclaration)
        ]
        names |= {node.key: node.name[: MAX_URL_CHARS + 1] for node in nodes if node.key}
        edges = [
            declared
            for declared in batch
            if isinstance(declared, EdgeDeclaration) and _has_known_ends(declared, names)
        ]
        postponed += len(batch) - len(nodes) - len(edges)
        yield from split_into_batches(input_digest, nodes=_clean_node_table(nodes, path, problems))
        yield from _directed_edge_batches(edges, names, path, input_digest, problems)
    for edges in _edges_before_nodes(read_declarations(Problems())) if postponed else ():
        yield from _directed_edge_batches(edges, names, path, input_digest, problems)
    with_slash = filter(None, map(_add_host_slash, name_counts))
    if same_hosts := sum(name in name_counts for name in with_slash):
        problems.add(HOSTS_WITH_AND_WITHOUT_SLASH, str(path), damage=False, count=same_hosts)
    if duplicates := sum(name_counts.values()) - len(name_counts):
        problems.add(DUPLICATE_NODE_NAMES, str(path), damage=False, count=duplicates)


def _batch_declarations(
    declarations: Iterator[NodeDeclaration | EdgeDeclaration],
) -> Iterator[list[NodeDeclaration | EdgeDeclaration]]:
    while batch := list(islice(declarations, BATCH_DECLARATIONS)):
        yield batch


def _edges_before_nodes(
    declarations: Iterator[NodeDeclaration | EdgeDeclaration],
) -> Iterator[list[EdgeDeclaration]]:
    """The links that come before one of their nodes, or whose node is missing."""
    known: set[str] = set()
    for batch in _batch_declarations(declarations):
        known.update(node.key for node in batch if isinstance(node, NodeDeclaration) and node.key)
        yield [
            edge
            for edge in batch
            if isinstance(edge, EdgeDeclaration) and not _has_known_ends(edge, known)
        ]


def _has_known_ends(edge: EdgeDeclaration, names: Container[str]) -> bool:
    return edge.source in names and edge.target in names


def _add_host_slash(name: str) -> str:
    """The URL of a host with its slash, if the name is one without; else nothing."""
    host = HOST_ONLY_URL.fullmatch(name)
    return f"{host[1]}/{host[2] or ''}" if host else ""


def _make_name_unique(node: NodeDeclaration, name_counts: Counter[str]) -> NodeDeclaration:
    """Append the key to a name that an earlier node has."""
    name = node.name.strip()
    name_counts[name] += 1
    return node._replace(name=name if name_counts[name] == 1 else f"{name} ({node.key})")


def _clean_node_table(nodes: list[NodeDeclaration], path: Path, problems: Problems) -> pa.Table:
    names = pa.array(
        [node.name[: MAX_URL_CHARS + 1] or UNKNOWN_NAME for node in nodes], pa.string()
    )
    # Check the names as sources of links to one valid target.
    cleaned, bad = clean_links(names, pa.repeat("any", len(nodes)))
    if len(bad):
        problems.add(UNNAMED_NODES, str(path), count=len(bad))
    unnamed = set(bad.tolist())
    titles = [node.title[:MAX_URL_CHARS] for k, node in enumerate(nodes) if k not in unnamed]
    return make_node_table(cleaned["source"].cast(pa.string()), pa.array(titles, pa.string()))


def _directed_edge_batches(
    edges: list[EdgeDeclaration],
    names: dict[str, str],
    path: Path,
    input_digest: str,
    problems: Problems,
) -> Iterator[EdgeBatch]:
    """Directed links as they are, then undirected links in both directions."""
    for undirected in (False, True):
        chosen = [edge for edge in edges if edge.undirected == undirected]
        source = pa.array([names.get(edge.source) or UNKNOWN_NAME for edge in chosen], pa.string())
        target = pa.array([names.get(edge.target) or UNKNOWN_NAME for edge in chosen], pa.string())
        weight = pa.array([edge.weight for edge in chosen], pa.string())
        links, bad = clean_links(source, target, weight)
        report_bad_rows(problems, path, [chosen[k].line for k in bad])
        links = add_reverse_links(links) if undirected else links
        yield from split_into_batches(input_digest, links)
