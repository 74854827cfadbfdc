"""The pages of a demo web have the structure that its parameters and its truth promise."""

import re
from collections import Counter
from functools import cache
from itertools import combinations
from typing import get_args
from urllib.parse import urljoin

import pytest

from weft.demo import DemoPage, DemoWeb, PageTruth, generate_pages
from weft.demo.sites import plan_sites
from weft.demo.truth import PageRole
from weft.demo.warc import uncaptured_authorities
from weft.demo.words import QUERY_SENSES, load_topics

HREF = re.compile(r'<a href="([^"]*)"', re.IGNORECASE)
TAGS = re.compile(r"<[^>]*>")
ALT = re.compile(r'alt="([^"]*)"', re.IGNORECASE)
SIZES = [200, 1500]
OFF_TOPIC = ("portal", "advertiser")


@cache
def written(size: int, noise: float = 0.05, mixing: float = 0.1, seed: int = 0) -> list[DemoPage]:
    return list(generate_pages(DemoWeb(size, seed, noise, mixing)))


@cache
def truth_by_url(size: int) -> dict[str, PageTruth]:
    return {page.url: page.truth for page in written(size)}


def with_role(found: list[DemoPage], role: PageRole) -> list[DemoPage]:
    return [page for page in found if page.truth.role == role]


def targets(page: DemoPage) -> set[str]:
    links = (urljoin(page.url, link) for link in HREF.findall(page.html))
    return {link.removesuffix("index.html") for link in links}


def words(page: DemoPage) -> str:
    return " ".join([TAGS.sub(" ", page.html), *ALT.findall(page.html)])


def of_authorities(size: int, sense: str) -> set[str]:
    """The URLs of the authorities of a sense: current, former, and uncaptured."""
    truths = [page.truth for page in written(size) if page.truth.sense == sense]
    own = {truth.url for truth in truths if truth.role in ("authority", "redirect")}
    return own | {site.url for site in load_topics()[sense].authorities if not site.captured}


def editorial(page: DemoPage, known: dict[str, PageTruth]) -> list[str]:
    """Editorial links to other sites: no portals, no banners, no dead pages."""
    away = [known[url] for url in targets(page) if url in known]
    kept = [f for f in away if f.site != page.truth.site and f.role not in OFF_TOPIC]
    return [truth.url for truth in kept]


@pytest.mark.parametrize("size", SIZES)
def test_page_count(size: int) -> None:
    found = written(size)
    assert sum(page.status == 200 for page in found) == size
    assert len({page.url for page in found}) == len(found)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", [0, 5])
def test_every_role_and_sense_is_there(size: int, seed: int) -> None:
    found = Counter((page.truth.role, page.truth.sense) for page in written(size, seed=seed))
    assert {role for role, _ in found} == set(get_args(PageRole)) - {"uncaptured"}
    for sense in QUERY_SENSES:
        assert all(found[role, sense] >= 3 for role in ("authority", "hub", "content"))


@pytest.mark.parametrize("size", SIZES)
def test_hubs_point_to_authorities_of_their_sense(size: int) -> None:
    hubs = with_role(written(size, noise=0, mixing=0), "hub")
    for hub in hubs:
        given = {u: f for u, f in truth_by_url(size).items() if f.site == hub.truth.site}
        given |= {u: f for u, f in truth_by_url(size).items() if f.role in OFF_TOPIC}
        chosen = targets(hub) - given.keys()
        authorities = of_authorities(size, hub.truth.sense)
        assert len(chosen & authorities) > len(chosen) / 2
    assert len({hub.truth.site for hub in hubs}) > len(hubs) / 2


def test_mixed_hubs_point_to_two_senses() -> None:
    hubs = with_role(written(1500, noise=0, mixing=0.4), "hub")
    mixed = [hub for hub in hubs if hub.truth.second_sense]
    assert len(mixed) / len(hubs) == pytest.approx(0.4, abs=0.12)
    for hub in hubs:
        for sense in QUERY_SENSES:
            meets = bool(targets(hub) & of_authorities(1500, sense))
            assert meets == (sense in (hub.truth.sense, hub.truth.second_sense))


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.15, 0.3])
def test_share_of_random_links_is_the_noise(noise: float) -> None:
    """A random link leaves the sense of its hub seven or eight times out of ten."""
    found = written(1500, noise, 0)
    known = {page.url: page.truth for page in found}
    known |= {fact.url: fact for fact in uncaptured_authorities(plan_sites(DemoWeb()))}
    diverted, expected, total = 0, 0.0, 0
    for hub in with_role(found, "hub"):
        senses = [known[url].sense for url in editorial(hub, known)]
        others = sum(page.truth.sense != hub.truth.sense for page in found) / len(found)
        diverted += sum(sense != hub.truth.sense for sense in senses)
        expected += noise * others * len(senses)
        total += len(senses)
    assert total > 500
    assert diverted / total == pytest.approx(expected / total, abs=0.03)
    assert (diverted > 0) == (noise > 0)


@pytest.mark.parametrize("size", SIZES)
def test_copies_share_the_links_of_their_originals(size: int) -> None:
    by_url = {page.url: page for page in written(size)}
    for role in ("mirror", "duplicate"):
        copies = [page for page in written(size) if page.truth.role == role]
        assert len(copies) >= 4
        for copy in copies:
            own, original = targets(copy), targets(by_url[copy.truth.mirror_of])
            assert len(own & original) / len(own | original) > 0.8
            assert (copy.truth.site == by_url[copy.truth.mirror_of].truth.site) == (
                role != "mirror"
            )
            assert f'rel="canonical" href="{copy.truth.mirror_of}"' in copy.html or role == "mirror"


@pytest.mark.parametrize(("size", "seed"), [(200, 0), (200, 2), (200, 27), (1500, 0)])
def test_quiet_pages_never_use_the_word(size: int, seed: int) -> None:
    quiet = [
        page for page in written(size, seed=seed) if page.truth.sense and not page.truth.says_jaguar
    ]
    kinds = Counter((page.truth.role, page.truth.sense) for page in quiet)
    for sense in QUERY_SENSES:
        assert all(kinds[role, sense] for role in ("authority", "content", "hub"))
    for page in quiet:
        assert "jaguar" not in words(page).lower()
        assert "jaguar" not in page.url or page.truth.role == "redirect"


def test_other_pages_on_topic_use_it() -> None:
    loud = [page for page in written(200) if page.truth.sense and page.truth.says_jaguar]
    assert len(loud) > 60
    assert all("jaguar" in words(page).lower() for page in loud)


@pytest.mark.parametrize("size", SIZES)
def test_company_is_tightly_knit(size: int) -> None:
    company = with_role(written(size), "company")
    members = {page.url for page in company}
    inside = sum(len(targets(page) & members - {page.url}) for page in company)
    outside = sum(len(targets(page) - members) for page in company)
    assert len(company) >= 20
    assert inside / (len(company) * (len(company) - 1)) > 0.8
    assert outside < inside / 20
    assert len({page.url.split("/")[2] for page in company}) == 2
    assert len({page.truth.site for page in company}) == 1


def test_in_links_have_a_heavy_tail() -> None:
    inlinks = Counter(url for page in written(1500) for url in targets(page))
    known = truth_by_url(1500)
    for sense in QUERY_SENSES:
        authorities = [u for u, f in known.items() if (f.role, f.sense) == ("authority", sense)]
        plain = [u for u, f in known.items() if (f.role, f.sense) == ("content", sense)]
        best = max(inlinks[url] for url in authorities)
        assert best > 2 * min(inlinks[url] for url in authorities)
        assert best > 8 * sum(inlinks[url] for url in plain) / len(plain)
    portals = [inlinks[url] for url, fact in known.items() if fact.role == "portal"]
    assert min(portals) > 50


def test_portals_and_banners_stand_on_pages_of_every_topic() -> None:
    known = truth_by_url(1500)
    from_topics: dict[str, set[str]] = {role: set() for role in OFF_TOPIC}
    for page in written(1500):
        for url in targets(page) & known.keys():
            if known[url].role in OFF_TOPIC and known[url].site != page.truth.site:
                from_topics[known[url].role].add(page.truth.sense)
    assert all(topics_met == {*QUERY_SENSES, ""} for topics_met in from_topics.values())
    marked = Counter(
        re.findall(r'rel="(nofollow|sponsored)"', "".join(p.html for p in written(1500)))
    )
    assert set(marked) == {"nofollow", "sponsored"}


def test_links_inside_sites_lead_somewhere() -> None:
    inside = 0
    for page in written(1500):
        host = page.url.split("/")[2]
        shared = host.startswith(("members.", "mirror", "old."))
        local = {url for url in targets(page) if url.split("/")[2] == host and not shared}
        assert local <= truth_by_url(1500).keys()
        inside += len(local)
    assert inside > 1500


def test_some_pages_are_linked_and_not_captured() -> None:
    linked = {url for page in written(1500) for url in targets(page)}
    missing = {fact.url for fact in uncaptured_authorities(plan_sites(DemoWeb()))}
    assert len(missing) == len(QUERY_SENSES)
    assert missing <= linked - truth_by_url(1500).keys()
    assert len(linked - truth_by_url(1500).keys()) > 50


@pytest.mark.parametrize("size", SIZES)
def test_redirects_lead_to_authorities(size: int) -> None:
    moved = with_role(written(size), "redirect")
    linked = {url for page in written(size) for url in targets(page)}
    assert all(truth_by_url(size)[page.location].role == "authority" for page in moved)
    assert all(page.status == 301 and page.location == page.truth.mirror_of for page in moved)
    assert any(page.url in linked for page in moved)


def test_content_pages_have_eighty_to_three_hundred_words_or_so() -> None:
    lengths = [len(words(page).split()) for page in with_role(written(1500), "content")]
    assert min(lengths) > 70
    assert max(lengths) < 360


def test_pages_of_a_sense_differ() -> None:
    """No two articles have the same opening, and few share most of their sentences."""
    for sense in QUERY_SENSES:
        texts = [p for p in with_role(written(1500), "content") if p.truth.sense == sense]
        sentences = [frozenset(re.findall(r"[A-Z][^.<>]{30,}\.", page.html)) for page in texts]
        assert len(set(sentences)) == len(sentences) > 80
        similar = [len(a & b) / len(a | b) > 0.5 for a, b in combinations(sentences, 2)]
        assert sum(similar) < len(similar) / 1000


def test_hosts_are_reserved_names() -> None:
    everywhere = {url for page in written(1500) for url in {page.url, *targets(page)}}
    assert len(everywhere) > 1500
    assert all(url.split("/")[2].endswith(".example") for url in everywhere)
