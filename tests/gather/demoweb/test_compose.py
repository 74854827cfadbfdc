"""A page is written from its card alone, and stands as its role demands."""

import re
from functools import cache
from typing import get_args
from urllib.parse import urljoin

import pytest

from weft.gather.demoweb import DemoWeb, pages
from weft.gather.demoweb.cards import Card, Cards
from weft.gather.demoweb.compose import BAR, WRITERS, compose
from weft.gather.demoweb.layout import make_plan
from weft.gather.demoweb.truth import Role

HREF = re.compile('<a href="([^"]*)"', re.IGNORECASE)
WEB = DemoWeb(800, seed=3)


@cache
def dealt(seed: int = 3) -> Cards:
    return Cards(make_plan(DemoWeb(800, seed)))


def cards(role: Role) -> list[Card]:
    every = (dealt().card(number) for number in range(WEB.pages))
    return [card for card in every if card.role == role]


def targets(card: Card) -> list[str]:
    found = [urljoin(card.url, one) for one in HREF.findall(compose(dealt(), card))]
    return [url.removesuffix("index.html") for url in found]


def test_pages_do_not_depend_on_those_before_them() -> None:
    written = [page.html for page in pages(WEB)]
    for number in (799, 400, 3):
        fresh = Cards(make_plan(WEB))
        assert compose(fresh, fresh.card(number)) == written[number]
        assert compose(dealt(4), dealt(4).card(number)) != written[number]


def test_there_is_a_writer_for_every_page_that_is_no_copy() -> None:
    assert set(WRITERS) == set(get_args(Role)) - {"mirror", "duplicate", "redirect", "seen"}


@pytest.mark.parametrize("role", sorted(WRITERS))
def test_title_and_way_home_are_on_every_page(role: Role) -> None:
    found = cards(role)
    assert found
    for card in found[:20]:
        html = compose(dealt(), card)
        assert f"<title>{card.title}</title>" in html.replace("TITLE>", "title>")
        site = card.site
        shown = range(site.start, site.start + min(site.size, BAR))
        bar = [dealt().card(number) for number in shown if number != card.number]
        assert {one.url for one in bar if one.role != "duplicate"} <= set(targets(card))


def test_a_copy_says_what_its_original_says_and_where_that_is() -> None:
    for card in cards("mirror"):
        first = dealt().card(card.source)
        assert set(targets(card)) - set(targets(first)) <= {first.site.base, first.url}
        assert first.site.base in targets(card)
    for card in cards("duplicate"):
        first = dealt().card(card.source)
        assert f'<link rel="canonical" href="{first.url}">' in compose(dealt(), card)
        assert set(targets(card)) == set(targets(first))


def test_hubs_list_more_than_content_does() -> None:
    away = {
        role: [sum(not url.startswith(card.site.base) for url in targets(card)) for card in found]
        for role in ("hub", "content")
        if (found := cards(role))
    }
    means = {role: sum(counts) / len(counts) for role, counts in away.items()}
    assert means["hub"] > 2 * means["content"] > 0
