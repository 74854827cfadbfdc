"""A page is written from its spec alone, as its role requires."""

import re
from functools import cache
from typing import get_args
from urllib.parse import urljoin

import pytest

from weft.demo import DemoWeb, generate_pages
from weft.demo.content import MAX_NAVIGATION_LINKS, WRITER_BY_ROLE, write_page
from weft.demo.page_specs import PageSpec, PageSpecs
from weft.demo.sites import plan_sites
from weft.demo.truth import PageRole

HREF = re.compile('<a href="([^"]*)"', re.IGNORECASE)
WEB = DemoWeb(800, seed=3)


@cache
def page_specs(seed: int = 3) -> PageSpecs:
    return PageSpecs(plan_sites(DemoWeb(800, seed)))


def specs_of_role(role: PageRole) -> list[PageSpec]:
    all_specs = (page_specs().spec(number) for number in range(WEB.pages))
    return [spec for spec in all_specs if spec.role == role]


def targets(spec: PageSpec) -> list[str]:
    found = [urljoin(spec.url, href) for href in HREF.findall(write_page(page_specs(), spec))]
    return [url.removesuffix("index.html") for url in found]


def test_pages_do_not_depend_on_those_before_them() -> None:
    written = [page.html for page in generate_pages(WEB)]
    for number in (799, 400, 3):
        fresh = PageSpecs(plan_sites(WEB))
        assert write_page(fresh, fresh.spec(number)) == written[number]
        assert write_page(page_specs(4), page_specs(4).spec(number)) != written[number]


def test_every_role_but_copies_has_a_writer() -> None:
    assert set(WRITER_BY_ROLE) == set(get_args(PageRole)) - {
        "mirror",
        "duplicate",
        "redirect",
        "uncaptured",
    }


@pytest.mark.parametrize("role", sorted(WRITER_BY_ROLE))
def test_title_and_navigation_are_on_every_page(role: PageRole) -> None:
    found = specs_of_role(role)
    assert found
    for spec in found[:20]:
        html = write_page(page_specs(), spec)
        assert f"<title>{spec.title}</title>" in html.replace("TITLE>", "title>")
        site = spec.site
        shown = range(site.first_page, site.first_page + min(site.page_count, MAX_NAVIGATION_LINKS))
        bar = [page_specs().spec(number) for number in shown if number != spec.number]
        assert {other.url for other in bar if other.role != "duplicate"} <= set(targets(spec))


def test_a_copy_has_the_links_of_its_original_and_one_to_it() -> None:
    for spec in specs_of_role("mirror"):
        source = page_specs().spec(spec.source_number)
        assert set(targets(spec)) - set(targets(source)) <= {source.site.base_url, source.url}
        assert source.site.base_url in targets(spec)
    for spec in specs_of_role("duplicate"):
        source = page_specs().spec(spec.source_number)
        assert f'<link rel="canonical" href="{source.url}">' in write_page(page_specs(), spec)
        assert set(targets(spec)) == set(targets(source))


def test_hubs_list_more_than_content_does() -> None:
    away = {
        role: [
            sum(not url.startswith(spec.site.base_url) for url in targets(spec)) for spec in found
        ]
        for role in ("hub", "content")
        if (found := specs_of_role(role))
    }
    means = {role: sum(counts) / len(counts) for role, counts in away.items()}
    assert means["hub"] > 2 * means["content"] > 0
