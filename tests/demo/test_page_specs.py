"""Every page number has one spec, whose role and URL come from its index in the site."""

from collections import Counter
from functools import cache

import pytest

from weft.demo.page_specs import PageSpec, PageSpecs, is_links_page, page_role, page_topic, page_url
from weft.demo.plan import PRINT_VERSION_SITE_SIZE, DemoSite, DemoWeb, SiteKind
from weft.demo.sites import plan_sites
from weft.demo.words import QUERY_SENSES


@cache
def page_specs(pages: int = 1500, mixing: float = 0.1) -> list[PageSpec]:
    specs = PageSpecs(plan_sites(DemoWeb(pages, mixing=mixing)))
    return [specs.spec(number) for number in range(pages)]


def site(kind: SiteKind, size: int) -> DemoSite:
    return DemoSite(kind, "cars", "A site", "http://www.a.example/", size, style_bits=1)


@pytest.mark.parametrize(
    ("kind", "size", "roles"),
    [
        ("authority", 5, ["authority", "navigation", "navigation", "content", "content"]),
        ("portal", 2, ["portal", "navigation"]),
        ("directory", 6, ["navigation", "hub", "hub", "hub", "hub", "background"]),
        ("fan", 1, ["hub"]),
        ("fan", 3, ["content", "hub", "content"]),
        (
            "fan",
            PRINT_VERSION_SITE_SIZE,
            ["content", "hub", "navigation", "content", "content", "duplicate"],
        ),
        ("background", 2, ["background", "background"]),
        ("mirror", 2, ["mirror", "mirror"]),
    ],
)
def test_roles_by_index(kind: SiteKind, size: int, roles: list[str]) -> None:
    assert [page_role(site(kind, size), index) for index in range(size)] == roles


def test_a_directory_has_a_page_for_each_topic() -> None:
    directory = site("directory", 6)
    assert [page_topic(directory, index) for index in range(5)] == ["", *QUERY_SENSES]
    assert not is_links_page(directory, 0)
    assert page_topic(site("fan", 3), 2) == "cars"


def test_urls_are_below_the_base_url() -> None:
    fan = site("fan", 3)
    assert page_url(fan, 0, "content", "Home") == "http://www.a.example/"
    assert page_url(fan, 1, "hub", "Links") == "http://www.a.example/links.htm"
    assert page_url(fan, 2, "content", "My Car") == "http://www.a.example/my-car-2.html"
    assert (
        page_url(site("company", 3), 2, "company", "Kit") == "http://support.a.example/kit-2.html"
    )


@pytest.mark.parametrize("pages", [200, 1500])
def test_urls_are_unique(pages: int) -> None:
    specs = page_specs(pages)
    assert len({spec.url for spec in specs}) == pages
    assert [spec.number for spec in specs] == list(range(pages))


def test_the_source_of_a_copy_is_not_a_copy() -> None:
    specs = page_specs()
    copies = [spec for spec in specs if spec.source_number != spec.number]
    assert {spec.role for spec in copies} == {"mirror", "duplicate"}
    for spec in copies:
        source = specs[spec.source_number]
        assert source.source_number == source.number
        assert (spec.title, spec.topic, spec.second_sense) == (
            source.title,
            source.topic,
            source.second_sense,
        )
    mirrored = Counter(spec.source_number for spec in copies if spec.role == "mirror")
    assert max(mirrored.values()) == 1


@pytest.mark.parametrize("mixing", [0.0, 0.3, 1.0])
def test_as_many_hubs_mix_two_senses_as_asked_for(mixing: float) -> None:
    hubs = [spec for spec in page_specs(mixing=mixing) if spec.role == "hub"]
    mixed = [spec for spec in hubs if spec.second_sense]
    assert len(mixed) / len(hubs) == pytest.approx(mixing, abs=0.1)
    assert all(
        spec.second_sense in QUERY_SENSES and spec.second_sense != spec.sense for spec in mixed
    )
    assert not [spec for spec in page_specs(mixing=mixing) if spec.second_sense and not spec.sense]
