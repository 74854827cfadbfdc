"""The pictures of a report: bars, and curves from hubs to authorities."""

from collections.abc import Sequence

import numpy as np

from weft.core.arrays import Floats
from weft.core.markup import Markup, link, tag
from weft.core.wording import address, shortened
from weft.run.report.contents import Share, Ties
from weft.run.report.pieces import colour, headed
from weft.topics.evidence import Evidence

REM = 16.0
ROW, SPREAD = 3 * REM, 34.0
THIN, THICK = 0.8, 4.5
SHADES = 3


def shares(what: str, parts: Sequence[Share], total: int) -> Markup:
    """A bar of several parts with a legend below: how some pages divide."""
    drawn, at = [], 0
    for place, part in enumerate(parts):
        x, width = (f"{100 * pages / max(total, 1):.2f}%" for pages in (at, part.pages))
        drawn.append(tag("rect", x=x, width=width, height="100%", class_=_shade(part, place)))
        at += part.pages
    keys = [
        tag(
            "li",
            tag("svg", tag("rect", width="100%", height="100%"), class_=f"key {_shade(part, k)}"),
            f"{part.topic} " if part.topic else "",
            tag("bdi", shortened(part.what, 60)),
            " ",
            tag("b", f"{part.pages:,}"),
        )
        for k, part in enumerate(parts)
    ]
    return tag(
        "figure",
        tag("figcaption", what),
        tag("svg", *drawn, class_="shares", role="img", aria_label=what),
        tag("ul", *keys, class_="keys"),
        class_="divided",
    )


def _shade(part: Share, place: int) -> str:
    return colour(part.topic) or f"shade{place % SHADES}"


def curves(ties: Ties, about: str) -> Markup:
    """Hubs on the left, authorities on the right, and a curve for each link between them.

    The stronger both ends, the thicker the curve. Names are text beside the
    drawing, so that they keep their size on a narrow screen.
    """
    weight = ties.weight
    rows = max(weight.shape)
    drawn = [
        _curve(left, right, float(weight[hub, authority]))
        for (hub, authority), left, right in sorted(
            _ends(weight), key=lambda found: weight[found[0]]
        )
    ]
    height = rows * ROW
    lines = tag(
        "svg",
        *drawn,
        height=f"{height / REM:g}em",
        viewBox=f"0 0 100 {height:g}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{about}: {len(drawn)} links from its best hubs to its best authorities",
    )
    return tag(
        "figure",
        tag("figcaption", tag("span", "hubs"), tag("span", "authorities")),
        _names(ties.hubs, "from"),
        lines,
        _names(ties.authorities, "to"),
        class_="ties",
    )


def _ends(weight: Floats) -> list[tuple[tuple[int, int], float, float]]:
    """For each link its hub and authority, and where it leaves and arrives, from above.

    The links of a page are spread over its row, in the order of their other
    ends, so that few of them cross.
    """
    found = [(int(hub), int(authority)) for hub, authority in np.argwhere(weight > 0)]
    heights = []
    for side in (0, 1):
        own = [sorted(np.flatnonzero(line > 0).tolist()) for line in (weight, weight.T)[side]]
        heights.append(
            [
                _height(ends[side], own[ends[side]].index(ends[1 - side]), len(own[ends[side]]))
                for ends in found
            ]
        )
    return list(zip(found, *heights, strict=True))


def _height(row: int, place: int, of: int) -> float:
    return (row + 0.5) * ROW + SPREAD * ((place + 0.5) / of - 0.5)


def _curve(left: float, right: float, weight: float) -> Markup:
    width = THIN + (THICK - THIN) * weight
    path = f"M0 {left:.1f}C45 {left:.1f} 55 {right:.1f} 100 {right:.1f}"
    return tag(
        "path", d=path, stroke_width=f"{width / REM:.3f}em", opacity=f"{0.3 + 0.5 * weight:.2f}"
    )


def _names(ends: Sequence[Evidence], side: str) -> Markup:
    named = [
        tag(
            "li",
            link(one.page, tag("bdi", headed(one) or shortened(address(one.page), 80))),
            tag("small", shortened(address(one.page), 80)) if headed(one) else "",
        )
        for one in ends
    ]
    return tag("ol", *named, class_=side)
