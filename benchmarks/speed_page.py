"""Write the page on speed from saved figures: `python -m benchmarks.speed_page`.

The figures are those of the last `python -m benchmarks.rank`. The generated parts
of `docs/explanation/speed.md` are between two comments with their names.
"""

import json
import math
import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.webs import OUT

DOCS = Path(__file__).parents[1] / "docs"
NAMES = {
    "weft": "Weft",
    "prototype": "prototype",
    "scipy": "SciPy",
    "propack": "SciPy, PROPACK",
    "networkit": "NetworKit",
    "graphblas": "python-graphblas",
    "igraph": "igraph",
    "sknetwork": "scikit-network",
}
LEFT, BAR, ROW, FONT = 150, 430, 17, 11


def main() -> None:
    """Fill the page and draw its picture."""
    figures = json.loads((OUT / "rank.json").read_text())
    page = DOCS / "explanation" / "speed.md"
    against = {key: found for key, found in figures.items() if len(found["peers"]) > 1}
    text = page.read_text()
    text = filled(text, "tables", "\n".join(table(*item) for item in against.items()))
    text = filled(text, "growth", growth(figures))
    text = filled(text, "alone", alone({k: v for k, v in figures.items() if k not in against}))
    text = filled(text, "machine", figures[next(iter(figures))]["versions"] + ".\n")
    page.write_text(text)
    (DOCS / "images" / "speed.svg").write_text(picture(against))


def filled(text: str, name: str, part: str) -> str:
    """The page with one generated part replaced."""
    marks = rf"(?<=<!-- begin {name} -->\n).*?(?=<!-- end {name} -->)"
    return re.sub(marks, lambda _: f"\n{part}\n", text, flags=re.DOTALL)


def table(key: str, found: dict[str, Any]) -> str:
    """One web and method: a row per library, fastest first."""
    web, method = key.split(" ")
    ours = found["peers"]["weft"]["total"]
    lines = [
        f"**{method} on {web}**: {found['pages']:,} pages, {found['links']:,} links, "
        f"median of {found['repeats']} interleaved runs\n",
        "| | build s | solve s | total s | times Weft | iterations | peak MB | error |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, row in sorted(found["peers"].items(), key=lambda item: item[1]["total"]):
        iterations = f"{row['iterations']:.0f}" if row["iterations"] else ""
        lines.append(
            f"| {NAMES[name]} | {row['build']:.2f} | {row['solve']:.2f} | {row['total']:.2f} "
            f"| {row['total'] / ours:.2f} | {iterations} | {row['peak']:,.0f} "
            f"| {row['error']:.0e} |"
        )
    return "\n".join(lines) + "\n"


def alone(figures: dict[str, Any]) -> str:
    """Weft alone on webs that are too large for the other libraries."""
    lines = ["| web | links | method | build s | solve s | peak MB |", "|---|--:|---|--:|--:|--:|"]
    for key, found in figures.items():
        web, method = key.split(" ")
        row = found["peers"]["weft"]
        lines.append(
            f"| {web} | {found['links']:,} | {method} | {row['build']:.2f} | {row['solve']:.2f} "
            f"| {row['peak']:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def growth(figures: dict[str, Any]) -> str:
    """Weft's cost per link as R-MAT graphs grow."""
    lines = [
        "| web | links | " + " | ".join(f"{m}, ns per link" for m in ("pagerank", "hits")) + " |"
    ]
    lines.append("|---|--:|--:|--:|")
    for web in sorted({key.split(" ")[0] for key in figures if key.startswith("rmat")}):
        cells = []
        for method in ("pagerank", "hits"):
            found = figures.get(f"{web} {method}")
            row = found["peers"]["weft"] if found else None
            seconds = row["total"] / found["links"] if found and row else None
            cells.append("" if seconds is None else f"{seconds * 1e9:.0f}")
            links = found["links"] if found else 0
        lines.append(f"| {web} | {links:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def picture(figures: dict[str, Any]) -> str:
    """Bars of total time on a logarithmic scale, one group for each web and method."""
    rows: list[str] = []
    y = 34
    times = [row["total"] for found in figures.values() for row in found["peers"].values()]
    low, high = math.log10(min(times) / 1.3), math.log10(max(times) * 1.1)
    for key, found in figures.items():
        rows.append(f'<text x="12" y="{y + 12}" font-weight="bold">{escape(key)}</text>')
        y += ROW + 4
        for name, row in sorted(found["peers"].items(), key=lambda item: item[1]["total"]):
            width = (math.log10(row["total"]) - low) / (high - low) * BAR
            fill = "#26629e" if name == "weft" else "#b9b9b0"
            rows.append(
                f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{escape(NAMES[name])}</text>'
                f'<rect x="{LEFT}" y="{y + 2}" width="{width:.1f}" height="{ROW - 4}" '
                f'fill="{fill}"/>'
                f'<text x="{LEFT + width + 5:.1f}" y="{y + 12}">{row["total"]:.2f} s</text>'
            )
            y += ROW
        y += 8
    title = "Seconds from arrays of links to scores, logarithmic scale"
    width, height = LEFT + BAR + 70, y + 6
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="{FONT}" fill="#222222" role="img" '
        f'aria-label="{title}">\n<title>{title}</title>\n'
        f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff" stroke="#c8c8c8"/>\n'
        f'<text x="12" y="22" font-size="13">{title}</text>\n' + "\n".join(rows) + "\n</svg>\n"
    )


if __name__ == "__main__":
    main()
