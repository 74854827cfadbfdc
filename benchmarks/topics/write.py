"""Write the page on the quality of topics from saved results."""

import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import versions
from benchmarks.side_by_side import DOCS, table
from benchmarks.topics import partitions
from benchmarks.topics.kept import Kept, variants
from benchmarks.topics.tables import Tables
from benchmarks.topics.tasks import PARTS, Extent, all_blogs, one_set, part_methods
from weft.graph.baseset.baseset import ROOT

PAGE = DOCS / "explanation" / "topics-quality.md"


def write_page(extent: Extent, page: Path = PAGE) -> None:
    """Write the generated parts of the page."""
    text = page.read_text("utf-8")
    for part in PARTS:
        text = put(text, part, tables(part, extent, part_methods(part, ())))
    text = put(text, "variants", all_variants(extent))
    text = put(text, "webs", webs(extent))
    text = put(text, "queries", query_table())
    text = put(text, "machine", f"{versions('numpy', 'scipy', 'graspologic-native')}.")
    page.write_text(text, "utf-8")
    print(f"written: {page}")


def tables(part: str, extent: Extent, methods: Sequence[str]) -> str:
    """The saved results of some methods in one part."""
    return Tables.of(part, extent, [Kept.of(part, name) for name in methods]).text()


def put(text: str, name: str, part: str) -> str:
    """The page with one of its generated parts replaced."""
    between = re.compile(rf"(?s)(?<=<!-- begin {name} -->\n).*?(?=<!-- end {name} -->)")
    if not between.search(text):
        raise SystemExit(f"the page has no part {name}")
    return between.sub(lambda _: f"\n{part}\n\n", text)


def all_variants(extent: Extent) -> str:
    """The tables of methods with other options, beside their defaults."""
    made = []
    for part in PARTS:
        named = variants(part)
        plain = sorted({name.partition("?")[0] for name in named})
        if named:
            made.append(tables(part, extent, [*plain, *named]))
    return "\n\n".join(made) or "None were measured."


def webs(extent: Extent) -> str:
    """The real sets in numbers."""
    rows = [
        [
            " and ".join(web.sets),
            web.query,
            f"{len(web):,}",
            f"{len(web.source):,}",
            f"{int((web.origin == ROOT).sum()):,}",
            f"{int(web.on_topic().sum()):,}",
        ]
        for web in [*map(one_set, extent.paths), all_blogs()]
    ]
    head = ["set", "query", "pages", "links", "root pages", "on topic"]
    return table(head, rows, "llrrrr")


def query_table() -> str:
    """The queries with their senses, and the number of pages of each."""
    rows = []
    for query in partitions.queries():
        case = partitions.partition_case(query)
        senses = [f"{sense} {int(flags.sum()):,}" for sense, flags in case.sets.items()]
        rows.append([query.collection, query.words, f"{len(case.base):,}", ", ".join(senses)])
    return table(["collection", "query", "base set", "pages of each sense"], rows, "llrl")
