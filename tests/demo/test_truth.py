"""The truth agrees with the pages that were written, and survives its file."""

import gzip
import json
import re
from pathlib import Path
from typing import get_args

from weft.demo import DemoTruth, DemoWeb, PageTruth, generate_pages, write_warc
from weft.demo.truth import PageRole
from weft.gather.url import site

HREF = re.compile('href="[^"]*"', re.IGNORECASE)


def test_truth_survives_its_file(tmp_path: Path) -> None:
    truth = write_warc(DemoWeb(200), tmp_path / "demo.warc.gz")
    assert DemoTruth.read_gzip_jsonl(tmp_path / "demo.truth.jsonl.gz") == truth
    with gzip.open(tmp_path / "demo.truth.jsonl.gz", "rt") as lines:
        assert sum(1 for _ in lines) == len(truth)
    assert repr(truth) == f"<DemoTruth of {len(truth):,} pages in 4 senses>"


def test_one_json_object_per_line(tmp_path: Path) -> None:
    page = PageTruth(
        "http://é.example/", "hub", "cars", "é.example", says_jaguar=True, second_sense="animal"
    )
    DemoTruth((page, PageTruth("http://a.example/", "uncaptured"))).write_gzip_jsonl(
        tmp_path / "t.gz"
    )
    lines = gzip.decompress((tmp_path / "t.gz").read_bytes()).decode().splitlines()
    assert json.loads(lines[0]) == page._asdict()
    assert [json.loads(line)["role"] for line in lines] == ["hub", "uncaptured"]


def test_truth_agrees_with_the_pages(tmp_path: Path) -> None:
    web = DemoWeb(400, seed=6)
    written = {page.url: page for page in generate_pages(web)}
    truth = write_warc(web, tmp_path / "demo.warc.gz")
    assert {page.role for page in truth.rows()} == set(get_args(PageRole))
    for page in truth.rows():
        assert page.site == site(page.url)
        assert (page.url in written) == (page.role != "uncaptured")
        assert bool(page.mirror_of) == (page.role in ("mirror", "duplicate", "redirect"))
        assert not page.mirror_of or page.mirror_of in written
        assert not page.second_sense or (page.second_sense != page.sense and page.sense)
        if page.role not in ("uncaptured", "redirect"):
            shown = HREF.sub("", written[page.url].html).lower()
            assert page.says_jaguar == ("jaguar" in shown)
