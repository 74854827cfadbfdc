"""Where the pages point: authorities by fame, other pages by luck, portals by habit."""

from random import Random
from typing import NamedTuple

from weft.gather.demoweb.banks import SENSES, Words, common
from weft.gather.demoweb.cards import Card, Cards
from weft.gather.demoweb.plan import Famous, slug


class Pointer(NamedTuple):
    """A link to be written: where to, in what words, and what is said about it."""

    url: str
    text: str
    about: str = ""
    rel: str = ""


def says_it(text: str) -> bool:
    """Whether a text uses the word that people search for."""
    return "jaguar" in text.lower()


class Links:
    """The links of one page, drawn one after the other; no page is pointed to twice."""

    def __init__(self, cards: Cards, card: Card, rng: Random) -> None:
        self.cards, self.card, self.rng = cards, card, rng
        self._plan, self._noise = cards.plan, cards.plan.web.noise
        self._quiet = card.site.quiet
        self._used = {card.url}

    def authorities(self, sense: str, count: int) -> list[Pointer]:
        """Links to authorities of a sense, the famous ones first in everybody's mind."""
        famous = self._plan.famous[sense]
        drawn = self.rng.choices(famous, cum_weights=self._plan.weights[sense], k=3 * count)
        picked = list({one.named.url: one for one in drawn}.values())[:count]
        return self._settle([self._to_famous(one) for one in picked])

    def others(self, topic: str, count: int) -> list[Pointer]:
        """Links to pages on other sites of a topic; the earlier a site began, the better known."""
        sites = self._plan.by_topic[topic]
        found = []
        for _ in range(count):
            site = sites[int(len(sites) * self.rng.random() ** 1.7)]
            place = 0 if self.rng.random() < 0.5 else int(self.rng.random() * site.size)
            if site is not self.card.site:
                found.append(self._to_page(site.start + place))
        return self._settle(found)

    def directory(self, sense: str) -> list[Pointer]:
        """A link to the page that some directory keeps on a sense."""
        site = self.rng.choice(self._plan.by_topic["directory"])
        card = self.cards.card(site.start + 1 + SENSES.index(sense))
        return self._settle([Pointer(card.url, f"{site.name} directory")])

    def local(self, limit: int) -> list[Pointer]:
        """Links to the pages of the own site, in order."""
        site = self.card.site
        numbers = range(site.start, site.start + min(site.size, limit))
        cards = [self.cards.card(number) for number in numbers if number != self.card.number]
        return [Pointer(card.url, card.title) for card in cards if card.role != "duplicate"]

    def portals(self, count: int) -> list[Pointer]:
        """Links to sites that everybody links to, each with the line it stands in."""
        sites = self._plan.by_topic["portal"]
        places = {int(len(sites) * self.rng.random() ** 1.5) for _ in range(count)}
        return [self._to_portal(sites[place].base, place) for place in sorted(places)]

    def banner(self, words: Words) -> Pointer:
        """A paid link; some say so."""
        sites = self._plan.by_topic["advertiser"]
        site = sites[int(len(sites) * self.rng.random() ** 2)]
        rel = self.rng.choice(("", "", "nofollow", "sponsored"))
        return Pointer(site.base, words.choose(common()["advertisers"]["banners"]), rel=rel)

    def dead(self, words: Words) -> Pointer:
        """A link to a page that is gone, or that nobody captured."""
        host = slug(words.choose(["{surname} {town}", "{first} {surname}", "{town} online"]))
        file = words.choose(common()["dead_files"])
        return Pointer(f"http://www.{host}.example/{file}", words.choose(common()["dead_anchors"]))

    def _settle(self, pointers: list[Pointer]) -> list[Pointer]:
        """Let noise divert some links, and drop what is linked already."""
        settled = []
        for pointer in pointers:
            stray = self.rng.random() < self._noise
            last = self._anywhere() if stray else pointer
            if last.url not in self._used:
                self._used.add(last.url)
                settled.append(last)
        return settled

    def _anywhere(self) -> Pointer:
        return self._to_page(int(self.rng.random() * self._plan.web.pages))

    def _to_famous(self, famous: Famous) -> Pointer:
        named = famous.named
        quiet = self._quiet or self.rng.random() < 0.2
        text = self.rng.choice(named.quiet_anchors if quiet else named.anchors)
        old = famous.alias and self.rng.random() < 0.06
        about = "" if self._quiet and says_it(named.about) else named.about
        return Pointer(famous.alias if old else named.url, text, about)

    def _to_portal(self, url: str, place: int) -> Pointer:
        raw = common()["portal"][place]
        return Pointer(url, self.rng.choice(raw["anchors"]), raw["line"])

    def _to_page(self, number: int) -> Pointer:
        card = self.cards.card(number)
        plain = self.rng.random() < 0.1 or (self._quiet and says_it(card.title))
        text = self.rng.choice(common()["generic_anchors"]) if plain else card.title
        return Pointer(card.url, text)
