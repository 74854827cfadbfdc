"""The pages of a demo web, one after the other."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from weft.gather.demoweb.cards import Card, Cards
from weft.gather.demoweb.compose import compose
from weft.gather.demoweb.layout import make_plan
from weft.gather.demoweb.links import says_it
from weft.gather.demoweb.plan import DemoWeb, Plan
from weft.gather.demoweb.truth import Fact
from weft.gather.url import site

FIRST_DAY = 1_078_099_200  # 2004-03-01
DAYS = 100
ADDRESSES = re.compile('href="[^"]*"', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page as it would be captured; `time` counts seconds since 1970."""

    url: str
    html: str
    time: int
    fact: Fact
    status: int = 200
    location: str = ""


def pages(web: DemoWeb) -> Iterator[DemoPage]:
    """Write the pages of a web one by one, then the old addresses that redirect."""
    return pages_of(make_plan(web))


def pages_of(plan: Plan) -> Iterator[DemoPage]:
    """Write the pages that a plan foresees; only the plan is kept in memory.

    Every page depends on the parameters and on its own number alone.
    """
    web = plan.web
    cards = Cards(plan)
    for number in range(web.pages):
        card = cards.card(number)
        html = compose(cards, card)
        yield DemoPage(card.url, html, _time(web, number), _fact(cards, card, html))
    for number, (alias, target, sense) in enumerate(plan.redirects, start=web.pages):
        fact = Fact(alias, "redirect", sense, site(alias), says_jaguar=False, mirror_of=target)
        html = f'<html><body>Moved <a href="{target}">here</a>.</body></html>\n'
        yield DemoPage(alias, html, _time(web, number), fact, 301, target)


def seen(plan: Plan) -> Iterator[Fact]:
    """The authorities that are linked to and were not captured."""
    for sense, famous in plan.famous.items():
        for one in famous:
            if not one.named.captured:
                yield Fact(one.named.url, "seen", sense, site(one.named.url))


def _time(web: DemoWeb, number: int) -> int:
    return FIRST_DAY + (number * 7919 + web.seed * 104_729) % (DAYS * 86_400)


def _fact(cards: Cards, card: Card, html: str) -> Fact:
    says = says_it(html) and says_it(ADDRESSES.sub("", html))
    copied = cards.card(card.source).url if card.source != card.number else ""
    return Fact(card.url, card.role, card.sense, site(card.url), says, copied, card.also)
