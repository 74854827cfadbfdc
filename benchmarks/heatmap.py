"""A square of numbers as a picture: plain SVG on a white ground, for light pages and dark."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np

CELL, FONT, MARGIN = 22, 11, 12
LOW, MIDDLE, HIGH = (178, 88, 40), (247, 247, 243), (38, 98, 158)


def heatmap(title: str, labels: Sequence[str], values: np.ndarray) -> str:
    """A cell for each pair: blue for 1, white for 0, brown for -1, hundredths written in it."""
    room = int(max(map(len, labels)) * FONT * 0.62) + 10
    left, top = MARGIN + room, MARGIN + 24 + room
    width, height = left + CELL * len(labels) + MARGIN, top + CELL * len(labels) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="{FONT}" '
        f'fill="#222222" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff" stroke="#c8c8c8"/>',
        f'<text x="{MARGIN}" y="{MARGIN + 12}" font-size="13">{escape(title)}</text>',
    ]
    for k, label in enumerate(labels):
        middle = CELL * k + CELL // 2
        parts.append(
            f'<text x="{left - 5}" y="{top + middle + 4}" text-anchor="end">{escape(label)}</text>'
        )
        parts.append(
            f'<text transform="translate({left + middle + 4},{top - 5}) rotate(-90)">'
            f"{escape(label)}</text>"
        )
    for row, column in np.ndindex(values.shape):
        parts += cell(left + CELL * column, top + CELL * row, float(values[row, column]))
    return "\n".join([*parts, "</svg>"]) + "\n"


def cell(x: int, y: int, value: float) -> list[str]:
    """A square in the colour of its value, with the value in hundredths."""
    square = f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}"'
    if np.isnan(value):
        return [f'{square} fill="#dddddd" stroke="#ffffff"/>']
    ink = "#ffffff" if abs(value) > 0.6 else "#222222"
    return [
        f'{square} fill="{colour(value)}" stroke="#ffffff"/>',
        f'<text x="{x + CELL // 2}" y="{y + CELL // 2 + 3}" font-size="9" text-anchor="middle" '
        f'fill="{ink}">{round(100 * value)}</text>',
    ]


def colour(value: float) -> str:
    """Between white and the colour of the end that the value is nearer to."""
    end = HIGH if value > 0 else LOW
    mixed = [round(m + (e - m) * min(abs(value), 1)) for m, e in zip(MIDDLE, end, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)
