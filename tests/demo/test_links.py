"""Links are drawn by weight and by noise, and never twice to one page."""

from collections import Counter
from functools import cache
from random import Random

import pytest

from weft.demo.links import LinkSampler, mentions_query
from weft.demo.page_specs import PageSpec, PageSpecs
from weft.demo.plan import DemoWeb
from weft.demo.sites import plan_sites
from weft.demo.words import QUERY_SENSES, TemplateFiller, load_topics


@cache
def page_specs(noise: float) -> PageSpecs:
    return PageSpecs(plan_sites(DemoWeb(noise=noise)))


def hub(noise: float = 0.0, *, quiet: bool = False) -> PageSpec:
    """The links page of a fan site on cars with more than four pages."""
    plan = page_specs(noise).plan
    sites = [
        site
        for site in plan.sites_by_topic["cars"]
        if site.avoids_query == quiet and site.page_count > 4
    ]
    return page_specs(noise).spec(sites[0].first_page + 1)


def link_sampler(seed: int, noise: float = 0.0, *, quiet: bool = False) -> LinkSampler:
    return LinkSampler(page_specs(noise), hub(noise, quiet=quiet), Random(seed))


def test_top_authorities_are_linked_more_often() -> None:
    drawn = Counter(
        link.url for seed in range(600) for link in link_sampler(seed).draw_authorities("cars", 3)
    )
    authorities = page_specs(0.0).plan.authorities["cars"]
    counts = [drawn[authority.site.url] + drawn[authority.old_url] for authority in authorities]
    assert sum(counts) == drawn.total()
    assert counts[0] > 1.5 * counts[3] > 1.5 * 1.2 * counts[-1] > 0


@pytest.mark.parametrize("noise", [0.0, 0.2, 1.0])
def test_noise_is_the_share_of_diverted_links(noise: float) -> None:
    authorities = page_specs(0.0).plan.authorities["football"]
    own = {url for authority in authorities for url in (authority.site.url, authority.old_url)}
    drawn = [
        link.url
        for seed in range(300)
        for link in link_sampler(seed, noise).draw_authorities("football", 8)
    ]
    diverted = sum(url not in own for url in drawn) / len(drawn)
    assert diverted == pytest.approx(noise, abs=0.03)


def test_targets_are_distinct_and_not_the_page_itself() -> None:
    for seed in range(50):
        sampler = link_sampler(seed, 0.3)
        drawn = (
            sampler.draw_authorities("cars", 9)
            + sampler.draw_topic_pages("cars", 30)
            + sampler.draw_authorities("cars", 9)
        )
        assert len({link.url for link in drawn}) == len(drawn) > 10
        assert hub().url not in {link.url for link in drawn}


def test_topic_pages_are_on_other_sites_and_early_sites_are_likelier() -> None:
    plan = page_specs(0.0).plan
    sites = plan.sites_by_topic["cars"]
    site_counts = Counter[int]()
    numbers = {page_specs(0.0).spec(n).url: n for n in range(plan.web.pages)}
    for seed in range(300):
        for link in link_sampler(seed).draw_topic_pages("cars", 5):
            found = plan.site_of(numbers[link.url])
            assert found.topic == "cars"
            assert found is not hub().site
            site_counts[sites.index(found)] += 1
    half = len(sites) // 2
    assert sum(n for k, n in site_counts.items() if k < half) > 0.57 * site_counts.total()


def test_quiet_pages_have_no_query_word_in_their_links() -> None:
    for seed in range(100):
        sampler = link_sampler(seed, 0.2, quiet=True)
        drawn = sampler.draw_authorities("cars", 6) + sampler.draw_topic_pages("cars", 4)
        assert drawn
        assert not [link for link in drawn if mentions_query(link.anchor + link.about)]
    assert any(mentions_query(link.anchor) for link in link_sampler(1).draw_authorities("cars", 6))


def test_a_directory_link_leads_to_its_page_of_the_sense() -> None:
    specs = [page_specs(0.0).spec(number) for number in range(page_specs(0.0).plan.web.pages)]
    topics = {spec.url: spec.topic for spec in specs if spec.site.kind == "directory"}
    for sense in QUERY_SENSES:
        [link] = link_sampler(3).draw_directory(sense)
        assert topics[link.url] == sense


def test_site_pages_in_order() -> None:
    site = hub().site
    pages = [
        page_specs(0.0).spec(number)
        for number in range(site.first_page, site.first_page + site.page_count)
    ]
    wanted = [spec.url for spec in pages if spec != hub() and spec.role != "duplicate"]
    assert [link.url for link in link_sampler(0).same_site_links(site.page_count)] == wanted
    assert [link.url for link in link_sampler(0).same_site_links(3)] == [pages[0].url, pages[2].url]


def test_banners_and_portals() -> None:
    filler = TemplateFiller(Random(1), load_topics()["cars"].slots)
    paid = [link_sampler(seed).draw_banner(filler) for seed in range(200)]
    assert {link.rel for link in paid} == {"", "nofollow", "sponsored"}
    assert {link.url for link in paid} <= {
        s.base_url for s in page_specs(0.0).plan.sites_by_topic["advertiser"]
    }
    known = {site.base_url for site in page_specs(0.0).plan.sites_by_topic["portal"]}
    drawn = Counter(link.url for seed in range(300) for link in link_sampler(seed).draw_portals(2))
    assert set(drawn) == known
    assert all("{link}" in link.about for link in link_sampler(0).draw_portals(2))


def test_dead_links_lead_to_no_page_of_the_web() -> None:
    filler = TemplateFiller(Random(2), load_topics()["cars"].slots)
    written = {page_specs(0.0).spec(number).url for number in range(page_specs(0.0).plan.web.pages)}
    assert not {link_sampler(seed).draw_dead_link(filler).url for seed in range(100)} & written
