"""The pictures of a topics report: share bars, and curves from hubs to authorities."""

from collections.abc import Sequence

import numpy as np

from weft.core.arrays import Floats
from weft.core.html import Markup, html_element, page_link
from weft.core.text import shorten, strip_scheme
from weft.report.contents import HubAuthorityLinks, PageShare
from weft.report.html import page_title, topic_colour_class
from weft.topics.evidence import Evidence

REM_PIXELS = 16.0
ROW_HEIGHT, LINK_SPREAD = 3 * REM_PIXELS, 34.0
MIN_STROKE_WIDTH, MAX_STROKE_WIDTH = 0.8, 4.5
SHADE_COUNT = 3


def draw_share_bar(caption: str, shares: Sequence[PageShare], total: int) -> Markup:
    """Draw how pages divide as a stacked bar, with a legend below."""
    bars, legend, pages_before = [], [], 0
    for position, share in enumerate(shares):
        x, width = (
            f"{100 * pages / max(total, 1):.2f}%" for pages in (pages_before, share.page_count)
        )
        colour = _share_colour_class(share, position)
        bars.append(html_element("rect", x=x, width=width, height="100%", class_=colour))
        legend.append(_legend_item(share, colour))
        pages_before += share.page_count
    return html_element(
        "figure",
        html_element("figcaption", caption),
        html_element("svg", *bars, class_="shares", role="img", aria_label=caption),
        html_element("ul", *legend, class_="keys"),
        class_="divided",
    )


def _legend_item(share: PageShare, colour: str) -> Markup:
    swatch = html_element(
        "svg", html_element("rect", width="100%", height="100%"), class_=f"key {colour}"
    )
    return html_element(
        "li",
        swatch,
        f"{share.topic_number} " if share.topic_number else "",
        html_element("bdi", shorten(share.label, 60)),
        " ",
        html_element("b", f"{share.page_count:,}"),
    )


def _share_colour_class(share: PageShare, position: int) -> str:
    return topic_colour_class(share.topic_number) or f"shade{position % SHADE_COUNT}"


def draw_hub_authority_links(links: HubAuthorityLinks, description: str) -> Markup:
    """Draw hubs on the left, authorities on the right, and a curve for each link.

    The stronger both ends, the thicker the curve; the strongest are on top.
    Names are text beside the drawing, so that they keep their size on a narrow
    screen.
    """
    weights = links.weights
    curves = [
        _draw_curve(left, right, float(weights[link]))
        for link, left, right in sorted(_curve_ends(weights), key=lambda end: weights[end[0]])
    ]
    height = max(weights.shape) * ROW_HEIGHT
    drawing = html_element(
        "svg",
        *curves,
        height=f"{height / REM_PIXELS:g}em",
        viewBox=f"0 0 100 {height:g}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{description}: {len(curves)} links from its best hubs to its best authorities",
    )
    return html_element(
        "figure",
        html_element(
            "figcaption", html_element("span", "hubs"), html_element("span", "authorities")
        ),
        _page_name_list(links.hubs, "from"),
        drawing,
        _page_name_list(links.authorities, "to"),
        class_="hub-links",
    )


def _curve_ends(weights: Floats) -> list[tuple[tuple[int, int], float, float]]:
    """For each link its hub and authority, and the y at which it leaves and arrives.

    The links of a page are spread over its row in the order of their other
    ends, so that few of them cross.
    """
    links = [(int(hub), int(authority)) for hub, authority in np.argwhere(weights > 0)]
    heights = []
    for side, matrix in enumerate((weights, weights.T)):
        neighbours = [np.flatnonzero(row > 0).tolist() for row in matrix]
        heights.append(
            [
                _curve_end_height(
                    link[side],
                    neighbours[link[side]].index(link[1 - side]),
                    len(neighbours[link[side]]),
                )
                for link in links
            ]
        )
    return list(zip(links, *heights, strict=True))


def _curve_end_height(row: int, position: int, count: int) -> float:
    return (row + 0.5) * ROW_HEIGHT + LINK_SPREAD * ((position + 0.5) / count - 0.5)


def _draw_curve(left: float, right: float, weight: float) -> Markup:
    width = MIN_STROKE_WIDTH + (MAX_STROKE_WIDTH - MIN_STROKE_WIDTH) * weight
    path = f"M0 {left:.1f}C45 {left:.1f} 55 {right:.1f} 100 {right:.1f}"
    return html_element(
        "path",
        d=path,
        stroke_width=f"{width / REM_PIXELS:.3f}em",
        opacity=f"{0.3 + 0.5 * weight:.2f}",
    )


def _page_name_list(pages: Sequence[Evidence], side: str) -> Markup:
    items = []
    for evidence in pages:
        title, address = page_title(evidence), shorten(strip_scheme(evidence.page), 80)
        items.append(
            html_element(
                "li",
                page_link(evidence.page, html_element("bdi", title or address)),
                html_element("small", address) if title else "",
            )
        )
    return html_element("ol", *items, class_=side)
