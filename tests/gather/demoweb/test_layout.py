"""A plan has as many pages as asked for, whatever the size, and the leaders have their shares."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.demoweb.banks import SENSES, background_names, topics
from weft.gather.demoweb.layout import make_plan
from weft.gather.demoweb.plan import DemoWeb, Plan


def pages_of(plan: Plan, *groups: str) -> int:
    return sum(site.size for group in groups for site in plan.by_topic[group])


@given(st.integers(200, 6000), st.integers(0, 1000))
def test_every_page_belongs_to_one_site(pages: int, seed: int) -> None:
    plan = make_plan(DemoWeb(pages, seed))
    assert plan.written == pages
    assert all(one.start + one.size == two.start for one, two in pairwise(plan.sites))
    assert min(site.size for site in plan.sites) >= 1
    assert len({site.base for site in plan.sites}) == len(plan.sites)
    assert sum(map(len, plan.by_topic.values())) == len(plan.sites)


@pytest.mark.parametrize("pages", [1500, 20_000])
def test_senses_have_their_shares_and_noise_its_own(pages: int) -> None:
    plan = make_plan(DemoWeb(pages))
    whole = pages_of(plan, *SENSES)
    for sense in SENSES:
        assert pages_of(plan, sense) / whole == pytest.approx(topics()[sense].share, abs=0.01)
    background = pages_of(plan, *background_names())
    assert whole / (whole + background) == pytest.approx(0.64, abs=0.01)
    assert pages_of(plan, "mirror") == pages // 50
    assert pages_of(plan, "company") < pages / 30


def test_authorities_grow_slowly_and_the_first_is_the_most_famous() -> None:
    counts = []
    for pages in (200, 1500, 50_000):
        plan = make_plan(DemoWeb(pages))
        for sense in SENSES:
            weights = plan.weights[sense]
            steps = [weights[0], *(two - one for one, two in pairwise(weights))]
            assert steps == sorted(steps, reverse=True)
            assert len(weights) == len(plan.famous[sense])
        counts.append(len(plan.famous["cars"]))
    assert counts[0] < counts[1] < counts[2] < 10 * counts[0]


def test_old_addresses_lead_to_authorities_that_were_captured() -> None:
    plan = make_plan(DemoWeb(3000))
    bases = {site.base for site in plan.sites if site.kind == "authority"}
    famous = {one.named.url for sense in SENSES for one in plan.famous[sense]}
    assert {target for _, target, _ in plan.redirects} <= bases < famous
    assert len({alias for alias, _, _ in plan.redirects}) == len(plan.redirects) >= 12


def test_some_sites_of_each_sense_are_quiet_foreign_or_of_one_person() -> None:
    plan = make_plan(DemoWeb(3000))
    for sense in SENSES:
        sites = plan.by_topic[sense]
        assert {site.voice for site in sites} == {"", "quiet", "de", "fr", "es"}
        shared = [site for site in sites if "/~" in site.base]
        assert 0.2 < len(shared) / len(sites) < 0.3
        assert min(site.size for site in sites[:-1] if site.quiet) >= 2
