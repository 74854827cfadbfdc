"""Write how fast the structure of a web is found: `python -m benchmarks.race_page`.

The figures are those of the last `python -m benchmarks.structure`; they stand
in `docs/explanation/speed.md` between two comments that name them.
"""

import json
from typing import Any

from benchmarks.side_by_side import table
from benchmarks.speed_page import DOCS, filled
from benchmarks.structure import GROWTH, KEPT

HEADS = ["", "build s", "solve s", "in all s", "CPU s", "peak GB", "times Weft"]


def main() -> None:
    """Fill the page."""
    figures = json.loads(KEPT.read_text())
    races = [(name, told) for name, told in figures.items() if name != "growth"]
    races.sort(key=lambda race: (race[0].partition(",")[0], race[1]["links"]))
    parts = [race(name, told) for name, told in races]
    parts += [grown(task, rows) for task, rows in figures["growth"].items() if task != "versions"]
    told = figures["growth"]["versions"]
    page = DOCS / "explanation" / "speed.md"
    text = "\n\n".join([f"{told}.", *parts])
    page.write_text(filled(page.read_text(), "structure", text + "\n"))


def race(name: str, told: dict[str, Any]) -> str:
    """One task on one web, by everybody who finished."""
    own = told["peers"]["weft"]["total"]
    rows = [
        [
            peer,
            *(f"{row[part]:.2f}" for part in ("build", "solve", "total", "cpu")),
            f"{row['peak'] / 1000:.1f}",
            f"{row['total'] / own:.1f}",
        ]
        for peer, row in told["peers"].items()
    ]
    return f"**{name}**: {told['pages']:,} pages, {told['links']:,} links\n\n" + table(HEADS, rows)


def grown(task: str, rows: list[dict[str, Any]]) -> str:
    """What a link costs as webs grow."""
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
    return f"**{task}, growth**\n\n" + table(["", "links", "s", "ns a link", "peak GB"], cells)


if __name__ == "__main__":
    main()
