"""Base sets of two experiments as GraphML, which `weft add` reads.

Kleinberg's are one file of `n id url` and `e source target` lines. Those of the
LAR experiments are a folder of two files: `nodes`, of four lines a node (`id (n)
[tag]`, URL, a title that may be missing, degrees), and `adj_list`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

LAR_NODE, LAR_DEGREES = re.compile(r"(\d+) \(\d+\) \[\w+\]"), re.compile(r"\d+ \d+")
LAR_ROW = re.compile(r"(\d+):((?: \d+)*) -1")
NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
GRAPHML = """<graphml>
<key id="u" for="node" attr.name="url"/><key id="t" for="node" attr.name="title"/>
<graph edgedefault="directed">
%s
</graph></graphml>
"""


def write_graphml(base_set: Path, into: Path) -> Path:
    """Write a base set, a file of Kleinberg's or a folder of LAR, as GraphML."""
    elements = _lar(base_set) if base_set.is_dir() else _kleinberg(base_set)
    into.write_text(GRAPHML % "\n".join(elements), "utf-8")
    return into


def _node(key: str, url: str, title: str = "") -> str:
    title = escape(NOT_IN_XML.sub(" ", title))
    data = f'<data key="u">{escape(url)}</data><data key="t">{title}</data>'
    return f"<node id={quoteattr(key)}>{data}</node>"


def _edge(source: str, target: str) -> str:
    return f"<edge source={quoteattr(source)} target={quoteattr(target)}/>"


def _kleinberg(path: Path) -> Iterator[str]:
    for line in path.read_text("utf-8").splitlines():
        kind, first, second = line.split(maxsplit=2)
        yield _node(first, second) if kind == "n" else _edge(first, second)


def _lar(folder: Path) -> Iterator[str]:
    text = (folder / "nodes").read_text("latin-1")
    lines = (line.strip() for line in text.split("\n") if line.strip())
    for line in lines:
        if header := LAR_NODE.fullmatch(line):
            url, title = next(lines), next(lines, "")
            yield _node(header[1], url, "" if LAR_DEGREES.fullmatch(title) else title)
    for row in LAR_ROW.finditer((folder / "adj_list").read_text("ascii")):
        yield from (_edge(row[1], target) for target in row[2].split())
