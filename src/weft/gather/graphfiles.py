"""Readers of graphs that declare their nodes: GML, GraphML and two old formats of base sets."""

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
from weft.gather import cells
from weft.gather.linktable import HOST_ALONE, UNKNOWN, both_ways, clean, named, parts, tell_rows
from weft.gather.page import Edges, Problems
from weft.gather.url import LONGEST

BATCH, DEEPEST = 1 << 18, 1000
SHARED = "nodes of a graph file that share a name"
SAME = "nodes of a graph file that are the address of a host, and another with its slash"
NAMELESS = "nodes of a graph file without a usable name"
TORN = "XML files that are broken"
LONG = "words of a graph file longer than 16 MB"
GML_TOKEN = re.compile(r'(^[ \t]*#.*$)|"[^"]*"|[\[\]]|[^\s\[\]"]+', re.MULTILINE)
GML_SPACE = b"\t\r "
GML_KEYS = frozenset(["id", "label", "source", "target", "value", "weight"])
GRAPHML_KEYS = frozenset(["url", "label", "name", "title", "weight", "value"])
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
HOST = re.compile(HOST_ALONE)
LAR_NODE = re.compile(r"(\d+) \(\d+\) \[\w+\]")
LAR_DEGREES = re.compile(r"\d+ \d+")
LAR_ROW = re.compile(r"(\d+):((?: \d+)*) -1")


class Node(NamedTuple):
    """A node as a file declares it."""

    key: str
    name: str
    title: str = ""


class Arc(NamedTuple):
    """A link between two nodes by their keys, and the line that says so."""

    source: str
    target: str
    line: int
    weight: str = ""
    mutual: bool = False


def read_california(path: Path, origin: str, problems: Problems) -> Iterator[Edges]:
    """Kleinberg's base sets: `n id url` and `e source target` lines."""
    return _assembled(partial(_california, path), path, origin, problems)


def read_lar(path: Path, origin: str, problems: Problems) -> Iterator[Edges]:
    """Base sets of the LAR experiments: the folder of `nodes` and `adj_list`, or either file."""
    rows, nodes = lar_files(path)
    yield from _assembled(partial(_lar, nodes, rows), rows, origin, problems)


def lar_files(path: Path) -> list[Path]:
    """The files of a base set, by the folder or by either: the links, then the nodes."""
    folder = path if path.is_dir() else path.parent
    return [_sibling(folder, "adj_list"), _sibling(folder, "nodes")]


def read_gml(path: Path, origin: str, problems: Problems) -> Iterator[Edges]:
    """A graph in GML; a node is called by its label, or by its id where it has none."""
    return _assembled(partial(_gml, path), path, origin, problems)


def read_graphml(path: Path, origin: str, problems: Problems) -> Iterator[Edges]:
    """A graph in GraphML; a node is called by its url, label or name, or by its id."""
    return _assembled(partial(_graphml, path), path, origin, problems)


def _california(path: Path, problems: Problems) -> Iterator[Node | Arc]:
    for line, text in cells.lines(path, problems):
        kind, key, rest = [*text.split(maxsplit=2), "", "", ""][:3]
        if kind == "n":
            yield Node(key, rest)
        else:
            yield Arc(key, rest, line) if kind == "e" else Arc("", "", line)


def _sibling(folder: Path, name: str) -> Path:
    found = [path for end in ("", ".gz", ".zst") if (path := folder / f"{name}{end}").is_file()]
    if not found:
        raise WeftError(
            f"{folder} has no file called {name}",
            hint="a base set is two files: nodes and adj_list",
        )
    return found[0]


def _lar(nodes: Path, rows: Path, problems: Problems) -> Iterator[Node | Arc]:
    lines = cells.lines(nodes, problems, "latin-1")
    for _, text in lines:
        if head := LAR_NODE.fullmatch(text):
            (_, url), (_, title) = next(lines, (0, "")), next(lines, (0, ""))
            yield Node(head[1], url, "" if LAR_DEGREES.fullmatch(title) else title)
    for line, text in cells.lines(rows, problems):
        row = LAR_ROW.fullmatch(text)
        if row is None:
            yield Arc("", "", line)
        else:
            yield from (Arc(row[1], target, line) for target in row[2].split())


def _gml(path: Path, problems: Problems) -> Iterator[Node | Arc]:
    mutual = not _gml_directed(path)
    for line, kind, fields in _records(_tokens(path, problems)):
        if kind == "node":
            key = fields.get("id", UNKNOWN)
            yield Node(key, fields.get("label") or key)
        elif kind == "edge":
            source, target = fields.get("source", ""), fields.get("target", "")
            yield Arc(source, target, line, _weight(fields), mutual)


def _gml_directed(path: Path) -> bool:
    """Whether a GML file says that its links have a direction, which it may do behind them."""
    blocks = cells.blocks(path, Problems(), quoted=True, apart=GML_SPACE)
    if not any(b"directed" in block.text.lower() for block in blocks):
        return False
    said = (fields.get("directed") for _, _, fields in _records(_tokens(path, Problems())))
    return next(filter(None, said), "") == "1"


def _tokens(path: Path, problems: Problems) -> Iterator[tuple[int, str]]:
    """The words, strings and brackets of a GML file, each with its line."""
    for block in cells.blocks(path, problems, quoted=True, apart=GML_SPACE):
        text, line, seen = block.text.decode(), block.line, 0
        for match in GML_TOKEN.finditer(text):
            line, seen = line + text.count("\n", seen, match.start()), match.start()
            if match[0].startswith(("\0", '"\0')):
                problems.tell(LONG, f"{path}:{line}")
            if not match[1]:
                yield line, match[0]


def _records(
    tokens: Iterable[tuple[int, str]],
) -> Iterator[tuple[int, str, dict[str, str]]]:
    """The nodes and edges of a GML file with their own keys, and the keys of the graph."""
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
                fields.setdefault(key, ENTITY.sub(lambda e: unescape(e[0]), token.strip('"')))
            key = ""


def _graphml(path: Path, problems: Problems) -> Iterator[Node | Arc]:
    file = _GraphML(path)
    with cells.plain(path) as stream:
        try:
            fed = 0
            while piece := stream.read(cells.PIECE):
                fed += len(piece)
                file.parser.Parse(piece, False)  # noqa: FBT003  positional in expat
                yield from file.taken()
                if fed - file.parser.CurrentByteIndex > cells.BLOCK:
                    problems.tell(LONG, f"{path}:{file.parser.CurrentLineNumber}")
                    return
            file.parser.Parse(b"", True)  # noqa: FBT003
        except OSError:
            problems.tell(cells.CLIPPED, str(path))
        except (expat.ExpatError, ValueError, LookupError) as error:
            problems.tell(TORN, f"{path}: {error}")
    yield from file.taken()


class _GraphML:
    """What a GraphML file has said so far; no tree is built, no entity or DTD is let in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.found: list[Node | Arc] = []
        self.keys: dict[str, str] = {}
        self.defaults: dict[str, str] = {}
        self.directed = [False]
        self.open: list[tuple[dict[str, str], dict[str, str]]] = []
        self.key, self.depth = "", 0

    def taken(self) -> list[Node | Arc]:
        """Hand over what was found since the last time."""
        found, self.found = self.found, []
        return found

    def _refuse(self, *_: Any) -> None:
        raise WeftError(
            f"{self.path} declares a document type, which could load or expand anything",
            hint="take the <!DOCTYPE ...> out of the file",
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError(f"tags are nested more than {DEEPEST:,} deep")
        match tag.rpartition("}")[2]:
            case "key":
                self.keys[attributes.get("id", "")] = attributes.get("attr.name", "").lower()
                self.open.append((attributes, {}))
            case "graph":
                self.directed.append(attributes.get("edgedefault") == "directed")
            case "node" | "edge":
                self.open.append((attributes, {}))
            case "default":
                self.key = self.keys.get(self.open[-1][0].get("id", ""), "") if self.open else ""
            case "data":
                self.key = self.keys.get(attributes.get("key", ""), "")
            case "NodeLabel":
                self.key = "label"

    def _text(self, text: str) -> None:
        if self.key in GRAPHML_KEYS and self.open:
            fields = self.open[-1][1]
            fields[self.key] = (fields.get(self.key, "") + text)[: LONGEST + 1]

    def _end(self, tag: str) -> None:
        self.depth -= 1
        match tag.rpartition("}")[2]:
            case "data" | "default" | "NodeLabel":
                self.key = ""
            case "graph":
                self.directed.pop()
            case "key":
                attributes, fields = self.open.pop()
                if attributes.get("for", "all") in ("all", "edge"):
                    self.defaults |= fields
            case "node":
                self.found.append(_graphml_node(*self.open.pop()))
            case "edge":
                self.found.append(self._arc(*self.open.pop()))

    def _arc(self, attributes: dict[str, str], fields: dict[str, str]) -> Arc:
        directed = attributes.get("directed", str(self.directed[-1])).lower() == "true"
        weight = _weight(fields) or _weight(self.defaults)
        source, target = attributes.get("source", ""), attributes.get("target", "")
        return Arc(source, target, self.parser.CurrentLineNumber, weight, not directed)


def _weight(fields: dict[str, str]) -> str:
    return fields.get("weight") or fields.get("value", "")


def _graphml_node(attributes: dict[str, str], fields: dict[str, str]) -> Node:
    key = attributes.get("id", UNKNOWN)
    label = fields.get("label", "").strip() or fields.get("name", "").strip()
    url = fields.get("url", "").strip()
    return Node(key, url or label or key, fields.get("title", label if url else "").strip())


def _assembled(
    read: Callable[[Problems], Iterator[Node | Arc]], path: Path, origin: str, problems: Problems
) -> Iterator[Edges]:
    """Nodes and links by name.

    Links that come before their nodes are read once more at the end, when all
    names are known: memory is that of the names, however many links there are.
    """
    names: dict[str, str] = {}
    taken: Counter[str] = Counter()
    late = 0
    for batch in _batches(read(problems)):
        nodes = [_told_apart(each, taken) for each in batch if isinstance(each, Node)]
        names |= {node.key: node.name[: LONGEST + 1] for node in nodes if node.key}
        ready = [each for each in batch if isinstance(each, Arc) and _is_known(each, names)]
        late += len(batch) - len(nodes) - len(ready)
        yield from parts(origin, nodes=_node_table(nodes, path, problems))
        yield from _linked(ready, names, path, origin, problems)
    for arcs in _late(read(Problems())) if late else ():
        yield from _linked(arcs, names, path, origin, problems)
    if same := sum(1 for name in taken if (other := _slashed(name)) and other in taken):
        problems.tell(SAME, str(path), damage=False, times=same)
    if shared := sum(taken.values()) - len(taken):
        problems.tell(SHARED, str(path), damage=False, times=shared)


def _batches(statements: Iterator[Node | Arc]) -> Iterator[list[Node | Arc]]:
    while batch := list(islice(statements, BATCH)):
        yield batch


def _late(statements: Iterator[Node | Arc]) -> Iterator[list[Arc]]:
    """The links that come before one of their nodes, or have none."""
    known: set[str] = set()
    for batch in _batches(statements):
        known.update(each.key for each in batch if isinstance(each, Node) and each.key)
        yield [each for each in batch if isinstance(each, Arc) and not _is_known(each, known)]


def _is_known(arc: Arc, names: Container[str]) -> bool:
    return arc.source in names and arc.target in names


def _slashed(name: str) -> str:
    """What else the address of a host may be called, with its slash; else nothing."""
    host = HOST.fullmatch(name)
    return f"{host[1]}/{host[2] or ''}" if host else ""


def _told_apart(node: Node, taken: Counter[str]) -> Node:
    """Give a node whose name another node has already its own key behind it."""
    name = node.name.strip()
    taken[name] += 1
    return node._replace(name=name if taken[name] == 1 else f"{name} ({node.key})")


def _node_table(nodes: list[Node], path: Path, problems: Problems) -> pa.Table:
    names = pa.array([node.name[: LONGEST + 1] or UNKNOWN for node in nodes], pa.string())
    kept, bad = clean(names, pa.repeat("any", len(nodes)))
    if len(bad):
        problems.tell(NAMELESS, str(path), times=len(bad))
    nameless = set(bad.tolist())
    titles = [node.title[:LONGEST] for k, node in enumerate(nodes) if k not in nameless]
    return named(kept["source"].cast(pa.string()), pa.array(titles, pa.string()))


def _linked(
    arcs: list[Arc], names: dict[str, str], path: Path, origin: str, problems: Problems
) -> Iterator[Edges]:
    for mutual in (False, True):
        some = [arc for arc in arcs if arc.mutual == mutual]
        source = pa.array([names.get(arc.source) or UNKNOWN for arc in some], pa.string())
        target = pa.array([names.get(arc.target) or UNKNOWN for arc in some], pa.string())
        table, bad = clean(source, target, pa.array([arc.weight for arc in some], pa.string()))
        tell_rows(problems, path, [some[k].line for k in bad])
        yield from parts(origin, both_ways(table) if mutual else table)
