"""Write the part of the speed page on structure: `python -m benchmarks.race_page`.

The figures are those of the last `python -m benchmarks.structure`; they go into
`docs/explanation/speed.md`, between two comments with their name.
"""

import json
from typing import Any

from benchmarks.side_by_side import table
from benchmarks.speed_page import DOCS, filled
from benchmarks.structure import GROWTH, KEPT

HEADS = ["", "build s", "solve s", "total s", "CPU s", "peak GB", "times Weft"]


def main() -> None:
    """Fill the page."""
    figures = json.loads(KEPT.read_text())
    races = [(name, result) for name, result in figures.items() if name != "growth"]
    races.sort(key=lambda race: (race[0].partition(",")[0], race[1]["links"]))
    parts = [race(name, result) for name, result in races]
    parts += [grown(task, rows) for task, rows in figures["growth"].items() if task != "versions"]
    measured_with = figures["growth"]["versions"]
    page = DOCS / "explanation" / "speed.md"
    text = "\n\n".join([f"{measured_with}.", *parts])
    page.write_text(filled(page.read_text(), "structure", text + "\n"))


def race(name: str, result: dict[str, Any]) -> str:
    """One task on one web, by every library that finished."""
    own = result["peers"]["weft"]["total"]
    rows = [
        [
            peer,
            *(f"{row[part]:.2f}" for part in ("build", "solve", "total", "cpu")),
            f"{row['peak'] / 1000:.1f}",
            f"{row['total'] / own:.1f}",
        ]
        for peer, row in result["peers"].items()
    ]
    return f"**{name}**: {result['pages']:,} pages, {result['links']:,} links\n\n" + table(
        HEADS, rows
    )


def grown(task: str, rows: list[dict[str, Any]]) -> str:
    """Cost per link as webs grow."""
    cells = [
        [
            row["web"],
            f"{row['links']:,}",
            f"{row['total']:.2f}",
            f"{row['total'] / row['links'] * 1e9:.0f}",
            f"{row['peak'] / 1000:.1f}",
        ]
        for row in rows
        if row["web"] in GROWTH
    ]
    return f"**{task}, growth**\n\n" + table(["", "links", "s", "ns per link", "peak GB"], cells)


if __name__ == "__main__":
    main()
