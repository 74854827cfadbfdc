"""Write the tables and plots of the page on crawl strategies from saved results."""

from collections.abc import Sequence

from benchmarks.crawl.run import STARTS, STRATEGIES, WEBS, compare, report
from benchmarks.side_by_side import DOCS
from benchmarks.topics.write import put
from weft.report.plots.crawls import draw_comparison

PAGE = DOCS / "explanation" / "crawl-strategies.md"
IMAGES = DOCS / "images"
PLOTTED = ("auto", "best-first", "focused", "shark", "breadth-first")


def write_page(names: Sequence[str] = WEBS, sets: int = 3) -> None:
    """Put the tables into the page and draw one plot a web and start.

    Tables of fewer than three seed sets have a part of their own, and no plot.
    """
    text = PAGE.read_text("utf-8")
    for name in names:
        if sets < 3:
            text = put(text, f"{name}-{sets}", report([name], STRATEGIES, sets))
            continue
        text = put(text, name, report([name], STRATEGIES))
        for start in STARTS:
            recall = compare(name, start, "recall", PLOTTED)
            title = f"Recall of hidden targets on {name}, from {start}"
            picture = draw_comparison(recall, title)
            (IMAGES / f"crawl-{name}-{start}.svg").write_text(picture, "utf-8")
    PAGE.write_text(text, "utf-8")
    print(f"written: {PAGE}")
