"""Plots of crawls: the harvest rate of one, and curves of several strategies."""

import numpy as np

from weft.core.arrays import Offsets
from weft.core.html import Markup
from weft.crawl.crawl import Crawl
from weft.crawl.evaluation import CrawlComparison, harvest_curve
from weft.report.plots.charts import ChartLabels, Series, draw_curves
from weft.report.plots.svg import DEFAULT_FRAME, SERIES_COLOURS, Frame

MAX_POINTS = 200
WINDOW = 100
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3")


def draw_harvest(crawl: Crawl, frame: Frame = DEFAULT_FRAME) -> Markup:
    """The harvest rate of a crawl: of all pages so far, and of the last hundred."""
    at = sample_places(len(crawl))
    curves = {
        "all pages so far": harvest_curve(crawl.relevance),
        f"last {WINDOW} pages": harvest_curve(crawl.relevance, WINDOW),
    }
    series = [
        Series(name, (at + 1).astype(float), values[at], colour)
        for (name, values), colour in zip(curves.items(), SERIES_COLOURS, strict=False)
    ]
    labels = ChartLabels(
        f"Harvest rate of {crawl.method}",
        "pages fetched",
        "mean relevance",
        f"Mean relevance of the pages of a crawl by {crawl.method}",
    )
    return draw_curves(labels, series, frame=frame)


def draw_comparison(
    comparison: CrawlComparison, title: str, frame: Frame = DEFAULT_FRAME
) -> Markup:
    """The mean curve of each strategy, with a band of one standard error."""
    size = next((curves.shape[1] for curves in comparison.curves.values()), 0)
    at = sample_places(size)
    names = list(comparison.curves)
    colours = list(SERIES_COLOURS)
    series = [
        Series(
            name,
            (at + 1).astype(float),
            comparison.mean(name)[at],
            colours[k % len(colours)],
            dash_pattern=DASHES[k % len(DASHES)],
        )
        for k, name in enumerate(names)
    ]
    spreads = [comparison.standard_error(name)[at] for name in names]
    labels = ChartLabels(title, "pages fetched", comparison.measure, f"{title}: {', '.join(names)}")
    return draw_curves(labels, series, spreads, frame)


def sample_places(size: int) -> Offsets:
    """Up to 200 positions, evenly spread, with the last one."""
    return np.unique(np.linspace(0, size - 1, min(size, MAX_POINTS)).astype(np.int64))
