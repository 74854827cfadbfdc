"""Generate the pages of a demo web, and write them as a WARC file with their truth."""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from weft.core.progress import track
from weft.demo.content import write_page
from weft.demo.links import mentions_query
from weft.demo.page_specs import PageSpec, PageSpecs
from weft.demo.plan import DemoPlan, DemoWeb
from weft.demo.sites import plan_sites
from weft.demo.truth import DemoTruth, PageTruth
from weft.gather.url import site

FIRST_CAPTURE_TIME = 1_078_099_200  # 2004-03-01
CAPTURE_DAYS = 100
GZIP_LEVEL = 3
HTTP_REASON_PHRASES = {200: "OK", 301: "Moved Permanently"}
HREF_ATTRIBUTE = re.compile('href="[^"]*"', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page as captured; `time` is in Unix seconds."""

    url: str
    html: str
    time: int
    truth: PageTruth
    status: int = 200
    location: str = ""


def generate_pages(web: DemoWeb) -> Iterator[DemoPage]:
    """Generate the pages of a web one by one, then its redirects."""
    return generate_planned_pages(plan_sites(web))


def generate_planned_pages(plan: DemoPlan) -> Iterator[DemoPage]:
    """Generate the pages of a plan one by one, then its redirects.

    A page depends only on the parameters and on its own number.
    """
    web = plan.web
    specs = PageSpecs(plan)
    for number in range(web.pages):
        spec = specs.spec(number)
        html = write_page(specs, spec)
        yield DemoPage(spec.url, html, _capture_time(web, number), _page_truth(specs, spec, html))
    for number, (old_url, target, sense) in enumerate(plan.redirects, start=web.pages):
        truth = PageTruth(old_url, "redirect", sense, site(old_url), mirror_of=target)
        html = f'<html><body>Moved <a href="{target}">here</a>.</body></html>\n'
        yield DemoPage(old_url, html, _capture_time(web, number), truth, 301, target)


def uncaptured_authorities(plan: DemoPlan) -> Iterator[PageTruth]:
    """The authorities that are linked, not captured."""
    for sense, authorities in plan.authorities.items():
        for authority in authorities:
            if not authority.site.captured:
                url = authority.site.url
                yield PageTruth(url, "uncaptured", sense, site(url))


def _capture_time(web: DemoWeb, number: int) -> int:
    return FIRST_CAPTURE_TIME + (number * 7919 + web.seed * 104_729) % (CAPTURE_DAYS * 86_400)


def _page_truth(specs: PageSpecs, spec: PageSpec, html: str) -> PageTruth:
    says_jaguar = mentions_query(html) and mentions_query(HREF_ATTRIBUTE.sub("", html))
    mirror_of = specs.spec(spec.source_number).url if spec.source_number != spec.number else ""
    return PageTruth(
        spec.url, spec.role, spec.sense, site(spec.url), says_jaguar, mirror_of, spec.second_sense
    )


def write_warc(web: DemoWeb, path: Path) -> DemoTruth:
    """Write a demo web as WARC, and its truth beside it.

    The truth of `demo.warc.gz` is `demo.truth.jsonl.gz`, one JSON object a line.
    """
    plan = plan_sites(web)
    total = web.pages + len(plan.redirects)
    pages: list[PageTruth] = []
    with path.open("wb") as file:
        file.write(_gzip_member(_warcinfo_record(web)))
        for page in track(generate_planned_pages(plan), "writing the demo web", total):
            file.write(_gzip_member(_response_record(web, page)))
            pages.append(page.truth)
    truth = DemoTruth((*pages, *uncaptured_authorities(plan)))
    truth.write_gzip_jsonl(truth_path(path))
    return truth


def truth_path(path: Path) -> Path:
    """The path of the truth that belongs to a WARC file.

    Examples
    --------
    >>> truth_path(Path("demo.warc.gz")).name
    'demo.truth.jsonl.gz'
    """
    return path.with_name(f"{path.name.removesuffix('.gz').removesuffix('.warc')}.truth.jsonl.gz")


def _gzip_member(record: bytes) -> bytes:
    return gzip.compress(record, GZIP_LEVEL, mtime=0)


def _warcinfo_record(web: DemoWeb) -> bytes:
    lines = f"software: weft demo web\r\nformat: WARC File Format 1.0\r\ndescription: {web}\r\n"
    kind = ("warcinfo", "application/warc-fields", "")
    return _warc_record(kind, FIRST_CAPTURE_TIME, f"{web}", lines.encode())


def _response_record(web: DemoWeb, page: DemoPage) -> bytes:
    body = page.html.encode()
    location = f"Location: {page.location}\r\n" if page.location else ""
    head = (
        f"HTTP/1.1 {page.status} {HTTP_REASON_PHRASES[page.status]}\r\n"
        f"Content-Type: text/html; charset=utf-8\r\n{location}Content-Length: {len(body)}\r\n\r\n"
    )
    kind = ("response", "application/http; msgtype=response", page.url)
    return _warc_record(kind, page.time, f"{web.seed} {page.url}", head.encode() + body)


def _warc_record(
    type_mime_url: tuple[str, str, str], time: int, identity: str, block: bytes
) -> bytes:
    name, mime, url = type_mime_url
    target = f"WARC-Target-URI: {url}\r\n" if url else ""
    date = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = (
        f"WARC/1.0\r\nWARC-Type: {name}\r\nWARC-Date: {date}\r\n{target}"
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, identity)}>\r\n"
        f"Content-Type: {mime}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"
