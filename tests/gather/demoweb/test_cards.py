"""Every number has one card, whose role and address come from its place."""

from collections import Counter
from functools import cache

import pytest

from weft.gather.demoweb.banks import SENSES
from weft.gather.demoweb.cards import Card, Cards, address, is_links_page, role_of, topic_of
from weft.gather.demoweb.layout import make_plan
from weft.gather.demoweb.plan import PRINTED, DemoWeb, Kind, Site


@cache
def dealt(pages: int = 1500, mixing: float = 0.1) -> list[Card]:
    cards = Cards(make_plan(DemoWeb(pages, mixing=mixing)))
    return [cards.card(number) for number in range(pages)]


def site(kind: Kind, size: int) -> Site:
    return Site(kind, "cars", "A site", "http://www.a.example/", size, look=1)


@pytest.mark.parametrize(
    ("kind", "size", "roles"),
    [
        ("authority", 5, ["authority", "navigation", "navigation", "content", "content"]),
        ("portal", 2, ["portal", "navigation"]),
        ("directory", 6, ["navigation", "hub", "hub", "hub", "hub", "background"]),
        ("fan", 1, ["hub"]),
        ("fan", 3, ["content", "hub", "content"]),
        ("fan", PRINTED, ["content", "hub", "navigation", "content", "content", "duplicate"]),
        ("background", 2, ["background", "background"]),
        ("mirror", 2, ["mirror", "mirror"]),
    ],
)
def test_roles_by_place(kind: Kind, size: int, roles: list[str]) -> None:
    assert [role_of(site(kind, size), place) for place in range(size)] == roles


def test_a_directory_has_a_page_for_each_topic() -> None:
    whole = site("directory", 6)
    assert [topic_of(whole, place) for place in range(5)] == ["", *SENSES]
    assert not is_links_page(whole, 0)
    assert topic_of(site("fan", 3), 2) == "cars"


def test_addresses_are_those_of_the_site() -> None:
    fan = site("fan", 3)
    assert address(fan, 0, "content", "Home") == "http://www.a.example/"
    assert address(fan, 1, "hub", "Links") == "http://www.a.example/links.htm"
    assert address(fan, 2, "content", "My Car") == "http://www.a.example/my-car-2.html"
    assert address(site("company", 3), 2, "company", "Kit") == "http://support.a.example/kit-2.html"


@pytest.mark.parametrize("pages", [200, 1500])
def test_no_address_is_dealt_twice(pages: int) -> None:
    cards = dealt(pages)
    assert len({card.url for card in cards}) == pages
    assert [card.number for card in cards] == list(range(pages))


def test_copies_name_a_page_that_is_no_copy() -> None:
    cards = dealt()
    copies = [card for card in cards if card.source != card.number]
    assert {card.role for card in copies} == {"mirror", "duplicate"}
    for card in copies:
        first = cards[card.source]
        assert first.source == first.number
        assert (card.title, card.topic, card.also) == (first.title, first.topic, first.also)
    mirrored = Counter(card.source for card in copies if card.role == "mirror")
    assert max(mirrored.values()) == 1


@pytest.mark.parametrize("mixing", [0.0, 0.3, 1.0])
def test_as_many_hubs_mix_two_senses_as_asked_for(mixing: float) -> None:
    hubs = [card for card in dealt(mixing=mixing) if card.role == "hub"]
    mixed = [card for card in hubs if card.also]
    assert len(mixed) / len(hubs) == pytest.approx(mixing, abs=0.1)
    assert all(card.also in SENSES and card.also != card.sense for card in mixed)
    assert not [card for card in dealt(mixing=mixing) if card.also and not card.sense]
