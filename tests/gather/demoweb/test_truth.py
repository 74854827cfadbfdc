"""The truth says of every address what the page that was written shows."""

import gzip
import json
import re
from pathlib import Path
from typing import get_args

from weft.gather.demoweb import DemoWeb, Fact, Truth, pages, write_warc
from weft.gather.demoweb.truth import Role
from weft.gather.url import site

HREF = re.compile('href="[^"]*"', re.IGNORECASE)


def test_truth_survives_its_file(tmp_path: Path) -> None:
    truth = write_warc(DemoWeb(200), tmp_path / "demo.warc.gz")
    assert Truth.from_json(tmp_path / "demo.truth.jsonl.gz") == truth
    with gzip.open(tmp_path / "demo.truth.jsonl.gz", "rt") as lines:
        assert sum(1 for _ in lines) == len(truth)
    assert repr(truth) == f"<Truth about {len(truth):,} addresses in 4 senses>"


def test_one_object_a_line_with_the_names_of_a_fact(tmp_path: Path) -> None:
    fact = Fact("http://é.example/", "hub", "cars", "é.example", says_jaguar=True, also="animal")
    Truth((fact, Fact("http://a.example/", "seen"))).to_json(tmp_path / "t.gz")
    lines = gzip.decompress((tmp_path / "t.gz").read_bytes()).decode().splitlines()
    assert json.loads(lines[0]) == fact._asdict()
    assert [json.loads(line)["role"] for line in lines] == ["hub", "seen"]


def test_facts_agree_with_the_pages(tmp_path: Path) -> None:
    web = DemoWeb(400, seed=6)
    written = {page.url: page for page in pages(web)}
    truth = write_warc(web, tmp_path / "demo.warc.gz")
    assert {fact.role for fact in truth.rows()} == set(get_args(Role))
    for fact in truth.rows():
        assert fact.site == site(fact.url)
        assert (fact.url in written) == (fact.role != "seen")
        assert bool(fact.mirror_of) == (fact.role in ("mirror", "duplicate", "redirect"))
        assert not fact.mirror_of or fact.mirror_of in written
        assert not fact.also or (fact.also != fact.sense and fact.sense)
        if fact.role not in ("seen", "redirect"):
            shown = HREF.sub("", written[fact.url].html).lower()
            assert fact.says_jaguar == ("jaguar" in shown)
