"""The demo web: generated pages with ground truth, around the query *jaguar* in four senses."""

from weft.demo.plan import DemoWeb
from weft.demo.truth import DemoTruth, PageTruth
from weft.demo.warc import DemoPage, generate_pages, truth_path, write_warc

__all__ = [
    "DemoPage",
    "DemoTruth",
    "DemoWeb",
    "PageTruth",
    "generate_pages",
    "truth_path",
    "write_warc",
]
