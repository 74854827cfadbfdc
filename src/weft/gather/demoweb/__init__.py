"""A web written by ourselves, with known truth: the query *jaguar* and its four senses."""

from weft.gather.demoweb.plan import DemoWeb
from weft.gather.demoweb.stream import DemoPage, pages
from weft.gather.demoweb.truth import Fact, Truth
from weft.gather.demoweb.warc import truth_path, write_warc

__all__ = ["DemoPage", "DemoWeb", "Fact", "Truth", "pages", "truth_path", "write_warc"]
