"""A plan has the right number of pages at every size, and each kind of site its share."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.demo.plan import DemoPlan, DemoWeb
from weft.demo.sites import plan_sites
from weft.demo.words import QUERY_SENSES, background_topic_names, load_topics


def pages_of(plan: DemoPlan, *groups: str) -> int:
    return sum(site.page_count for group in groups for site in plan.sites_by_topic[group])


@given(st.integers(200, 6000), st.integers(0, 1000))
def test_every_page_belongs_to_one_site(pages: int, seed: int) -> None:
    plan = plan_sites(DemoWeb(pages, seed))
    assert plan.page_count == pages
    assert all(
        site.first_page + site.page_count == following.first_page
        for site, following in pairwise(plan.sites)
    )
    assert min(site.page_count for site in plan.sites) >= 1
    assert len({site.base_url for site in plan.sites}) == len(plan.sites)
    assert sum(map(len, plan.sites_by_topic.values())) == len(plan.sites)


@pytest.mark.parametrize("pages", [1500, 20_000])
def test_senses_and_background_have_their_shares(pages: int) -> None:
    plan = plan_sites(DemoWeb(pages))
    sense_pages = pages_of(plan, *QUERY_SENSES)
    for sense in QUERY_SENSES:
        assert pages_of(plan, sense) / sense_pages == pytest.approx(
            load_topics()[sense].page_share, abs=0.01
        )
    background = pages_of(plan, *background_topic_names())
    assert sense_pages / (sense_pages + background) == pytest.approx(0.64, abs=0.01)
    assert pages_of(plan, "mirror") == pages // 50
    assert pages_of(plan, "company") < pages / 30


def test_authorities_grow_slowly_and_weights_fall_by_rank() -> None:
    counts = []
    for pages in (200, 1500, 50_000):
        plan = plan_sites(DemoWeb(pages))
        for sense in QUERY_SENSES:
            weights = plan.cumulative_weights[sense]
            steps = [weights[0], *(after - before for before, after in pairwise(weights))]
            assert steps == sorted(steps, reverse=True)
            assert len(weights) == len(plan.authorities[sense])
        counts.append(len(plan.authorities["cars"]))
    assert counts[0] < counts[1] < counts[2] < 10 * counts[0]


def test_redirects_lead_to_captured_authorities() -> None:
    plan = plan_sites(DemoWeb(3000))
    bases = {site.base_url for site in plan.sites if site.kind == "authority"}
    authorities = {each.site.url for sense in QUERY_SENSES for each in plan.authorities[sense]}
    assert {target for _, target, _ in plan.redirects} <= bases < authorities
    assert len({old_url for old_url, _, _ in plan.redirects}) == len(plan.redirects) >= 12


def test_some_sites_of_each_sense_are_quiet_foreign_or_of_one_person() -> None:
    plan = plan_sites(DemoWeb(3000))
    for sense in QUERY_SENSES:
        sites = plan.sites_by_topic[sense]
        assert {site.writing_style for site in sites} == {"", "quiet", "de", "fr", "es"}
        shared = [site for site in sites if "/~" in site.base_url]
        assert 0.2 < len(shared) / len(sites) < 0.3
        assert min(site.page_count for site in sites[:-1] if site.avoids_query) >= 2
