"""The figures in the guide to Spark, each table between two comments with its name."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.measure import versions
from benchmarks.spark.losses import VICTIMS
from benchmarks.spark.sweeps import BLOCKS, BROADCAST, EXCHANGE, GRAPHX, JOINS, ONE, SCORES
from benchmarks.speed_page import DOCS, filled

PAGE = DOCS / "how-to" / "spark.md"


def write_page(found: Mapping[str, Any]) -> None:
    """Fill the tables of the parts that were measured."""
    text = PAGE.read_text()
    for part, draw in TABLES.items():
        if part in found:
            text = filled(text, part, draw(found[part]))
    PAGE.write_text(filled(text, "machine", f"{versions('pyspark', 'numpy', 'numba')}.\n"))


def sweeps(found: Mapping[str, Any]) -> str:
    """The ways to rank pages, the dearest first, and what the blocks cost before."""
    rows = [(way, found[way]) for way in (GRAPHX, JOINS, BROADCAST, EXCHANGE, ONE)]
    lines = table(["way", "CPU-seconds", "exchanged through Spark"], "--:")
    for way, row in sorted(rows, key=lambda item: -item[1]["cpu"]):
        exchanged = f"{row['shuffled MB']:,.1f} MB" if row["shuffled MB"] else ""
        if way == EXCHANGE:
            exchanged += f", {row['bytes per 8 bytes of a message']:.2f} times 8 bytes a message"
        lines.append(f"| {way} | {row['cpu']:.3g} | {exchanged} |")
    lines += ["", f"Writing the blocks, once, took {found[BLOCKS]['cpu']:.0f} CPU-seconds."]
    lines += [f"Scores differ from those of one machine by at most {found[SCORES]:.0e}."]
    return "\n".join(lines) + "\n"


def archives(found: Mapping[str, Any]) -> str:
    """What was cut and added, and which tables differ."""
    names = ["files", "pages", "repeated", "problems", "tables"]
    lines = table(["archives", *names, "that differ"], "--:")
    for web, row in found.items():
        cells = [f"{row[name]:,}" for name in names]
        lines.append(f"| {web} | {' | '.join(cells)} | {', '.join(row['differing']) or 'none'} |")
    return "\n".join(lines) + "\n"


def losses(found: Mapping[str, Any]) -> str:
    """How often a process was killed in the middle of a job, and how often nothing changed."""
    lines = table(["job", *(f"{victim} killed" for victim in VICTIMS)], "---")
    for job, row in found.items():
        cells = [f"{row[v]['same']} of {row[v]['killed']} the same" for v in VICTIMS]
        lines.append(f"| {job} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def table(names: Sequence[str], align: str) -> list[str]:
    """The head of a table whose columns but the first are aligned alike."""
    return [f"| {' | '.join(names)} |", f"|---|{'|'.join([align] * (len(names) - 1))}|"]


TABLES = {"sweeps": sweeps, "archives": archives, "losses": losses}
