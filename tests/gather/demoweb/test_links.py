"""Links are drawn as they are meant to be: by fame, by noise, and never twice to one page."""

from collections import Counter
from functools import cache
from random import Random

import pytest

from weft.gather.demoweb.banks import SENSES, Words, topics
from weft.gather.demoweb.cards import Card, Cards
from weft.gather.demoweb.layout import make_plan
from weft.gather.demoweb.links import Links, says_it
from weft.gather.demoweb.plan import DemoWeb


@cache
def dealt(noise: float) -> Cards:
    return Cards(make_plan(DemoWeb(noise=noise)))


def hub(noise: float = 0.0, *, quiet: bool = False) -> Card:
    """The links page of a fan of cars with pages enough."""
    plan = dealt(noise).plan
    found = [one for one in plan.by_topic["cars"] if one.quiet == quiet and one.size > 4]
    return dealt(noise).card(found[0].start + 1)


def links(seed: int, noise: float = 0.0, *, quiet: bool = False) -> Links:
    return Links(dealt(noise), hub(noise, quiet=quiet), Random(seed))


def test_the_famous_are_linked_to_more_often() -> None:
    told = Counter(
        pointer.url for seed in range(600) for pointer in links(seed).authorities("cars", 3)
    )
    famous = dealt(0.0).plan.famous["cars"]
    often = [told[one.named.url] + told[one.alias] for one in famous]
    assert sum(often) == told.total()
    assert often[0] > 1.5 * often[3] > 1.5 * 1.2 * often[-1] > 0


@pytest.mark.parametrize("noise", [0.0, 0.2, 1.0])
def test_noise_is_the_share_of_links_that_stray(noise: float) -> None:
    own = {one.named.url for one in dealt(0.0).plan.famous["football"]}
    own |= {one.alias for one in dealt(0.0).plan.famous["football"]}
    told = [p.url for seed in range(300) for p in links(seed, noise).authorities("football", 8)]
    strayed = sum(url not in own for url in told) / len(told)
    assert strayed == pytest.approx(noise, abs=0.03)


def test_no_page_is_pointed_to_twice_nor_the_page_itself() -> None:
    for seed in range(50):
        made = links(seed, 0.3)
        told = made.authorities("cars", 9) + made.others("cars", 30) + made.authorities("cars", 9)
        assert len({pointer.url for pointer in told}) == len(told) > 10
        assert hub().url not in {pointer.url for pointer in told}


def test_others_are_on_other_sites_and_the_early_ones_better_known() -> None:
    plan = dealt(0.0).plan
    sites = plan.by_topic["cars"]
    starts = Counter[int]()
    numbers = {dealt(0.0).card(n).url: n for n in range(plan.web.pages)}
    for seed in range(300):
        for pointer in links(seed).others("cars", 5):
            found = plan.site_of(numbers[pointer.url])
            assert found.topic == "cars"
            assert found is not hub().site
            starts[sites.index(found)] += 1
    half = len(sites) // 2
    assert sum(n for k, n in starts.items() if k < half) > 0.57 * starts.total()


def test_quiet_pages_are_quiet_in_their_links() -> None:
    for seed in range(100):
        made = links(seed, 0.2, quiet=True)
        pointers = made.authorities("cars", 6) + made.others("cars", 4)
        assert pointers
        assert not [p for p in pointers if says_it(p.text + p.about)]
    assert any(says_it(p.text) for p in links(1).authorities("cars", 6))


def test_a_directory_is_linked_to_where_it_keeps_the_sense() -> None:
    cards = [dealt(0.0).card(number) for number in range(dealt(0.0).plan.web.pages)]
    kept = {card.url: card.topic for card in cards if card.site.kind == "directory"}
    for sense in SENSES:
        [pointer] = links(3).directory(sense)
        assert kept[pointer.url] == sense


def test_pages_of_the_own_site_in_order() -> None:
    site = hub().site
    pages = [dealt(0.0).card(number) for number in range(site.start, site.start + site.size)]
    wanted = [card.url for card in pages if card != hub() and card.role != "duplicate"]
    assert [pointer.url for pointer in links(0).local(site.size)] == wanted
    assert [pointer.url for pointer in links(0).local(3)] == [pages[0].url, pages[2].url]


def test_banners_and_portals() -> None:
    words = Words(Random(1), topics()["cars"].slots)
    paid = [links(seed).banner(words) for seed in range(200)]
    assert {pointer.rel for pointer in paid} == {"", "nofollow", "sponsored"}
    assert {pointer.url for pointer in paid} <= {
        s.base for s in dealt(0.0).plan.by_topic["advertiser"]
    }
    known = {site.base for site in dealt(0.0).plan.by_topic["portal"]}
    drawn = Counter(pointer.url for seed in range(300) for pointer in links(seed).portals(2))
    assert set(drawn) == known
    assert all("{link}" in pointer.about for pointer in links(0).portals(2))


def test_dead_links_lead_to_no_page_of_the_web() -> None:
    words = Words(Random(2), topics()["cars"].slots)
    written = {dealt(0.0).card(number).url for number in range(dealt(0.0).plan.web.pages)}
    assert not {links(seed).dead(words).url for seed in range(100)} & written
