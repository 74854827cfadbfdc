"""Curves of crawls: lines, bands, and nothing where there is nothing to draw."""

import re
from xml.etree import ElementTree

import numpy as np

from weft.crawl import Crawl, CrawlStep
from weft.crawl.evaluation import CrawlComparison
from weft.report.plots.crawls import draw_comparison, draw_harvest

SVG = "{http://www.w3.org/2000/svg}"


def paths(picture: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter(f"{SVG}path"))


def test_a_harvest_curve_has_a_line_for_all_pages_and_one_for_the_last() -> None:
    steps = tuple(CrawlStep(f"http://a.org/{k}", float(k % 2), 0.0, 1, "") for k in range(400))
    picture = draw_harvest(Crawl("auto", "jazz", steps, {}, 0))
    assert "Harvest rate of auto" in picture
    long_paths = [path for path in paths(picture) if path.get("d", "").count("L") > 100]
    assert len(long_paths) == 2


def test_a_comparison_has_a_line_and_a_band_for_each_strategy() -> None:
    curves = {name: [np.linspace(0, top, 50), np.linspace(0, 1, 50)] for name, top in RATES.items()}
    comparison = CrawlComparison.from_curves("recall", curves, 50, "best-first")
    picture = draw_comparison(comparison, "Recall <b>")
    assert "<b>" not in picture
    bands = [path for path in paths(picture) if path.get("fill-opacity")]
    assert len(bands) == len(RATES)
    heights = [float(y) for band in bands for y in re.findall(r" ([0-9.]+)", band.get("d", ""))]
    assert min(heights) >= 0


def test_an_empty_crawl_draws_a_message() -> None:
    assert "nothing to draw" in draw_harvest(Crawl("auto", "", (), {}, 0))


RATES = {"auto": 0.9, "best-first": 0.4}
