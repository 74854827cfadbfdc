"""What a page is, before it is written: its role, title and address, from its number alone."""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from weft.gather.demoweb.banks import SENSES, Words, background_names, topics
from weft.gather.demoweb.plan import PRINTED, Plan, Site, slug
from weft.gather.demoweb.truth import Role

CATEGORIES = ("jaguar/", "sports/football/jaguars/", "games/jaguar/", "animals/jaguar/")
FLAT: dict[str, Role] = {"company": "company", "advertiser": "advertiser", "mirror": "mirror"}


@dataclass(frozen=True, slots=True)
class Card:
    """A page before it is written; `source` is the page whose words it repeats, mostly itself."""

    number: int
    site: Site
    role: Role
    topic: str
    title: str
    subject: str
    url: str
    source: int
    also: str = ""

    @property
    def sense(self) -> str:
        """The sense of the query that the page belongs to, if any."""
        return self.topic if self.topic in SENSES else ""


class Cards:
    """The cards of a web, made when asked for and kept while they are in use."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.card = lru_cache(maxsize=1 << 14)(self._card)
        self._fans = [site for sense in SENSES for site in plan.by_topic[sense]]
        self._stride = next(s for s in range(7, 1000) if gcd(s, len(self._fans)) == 1)
        self._first_mirror = plan.by_topic["mirror"][0].start

    def _card(self, number: int) -> Card:
        site = self.plan.site_of(number)
        role = role_of(site, number - site.start)
        if role == "mirror":
            return self._copy(number, site, role, self._mirrored(number))
        if role == "duplicate":
            return self._copy(number, site, role, site.start + 3)
        return self._original(number, site, role)

    def _original(self, number: int, site: Site, role: Role) -> Card:
        place = number - site.start
        name = topic_of(site, place)
        topic = topics().get(name, topics()["advertiser"])
        rng = self.plan.web.random(0, number)
        words = Words(rng, topic.slots)
        voice = topic.voices[site.voice]
        also = ""
        if role == "hub" or is_links_page(site, place):
            title = words.choose(voice.hub_titles)
            if name in SENSES and rng.random() < self.plan.web.mixing:
                also = rng.choice([sense for sense in SENSES if sense != name])
        else:
            title = _title(site, role, place) or words.choose(
                [voice.titles[(site.look + place) % len(voice.titles)]]
            )
        url = address(site, place, role, title)
        return Card(number, site, role, name, title, words["subject"], url, number, also)

    def _mirrored(self, number: int) -> int:
        """The page that a mirror copies; no page is copied twice, and most are hubs."""
        index = number - self._first_mirror
        site = self._fans[index * self._stride % len(self._fans)]
        place = 2 if site.size in (3, 4) and index % 2 else min(1, site.size - 1)
        return site.start + place

    def _copy(self, number: int, site: Site, role: Role, source: int) -> Card:
        first = self.card(source)
        folder = "print/" if role == "duplicate" else "www/"
        tail = first.url[len(site.base) :] if role == "duplicate" else first.url[len("http://") :]
        url = f"{site.base}{folder}{tail}"
        return Card(
            number, site, role, first.topic, first.title, first.subject, url, source, first.also
        )


def role_of(site: Site, place: int) -> Role:
    """What the page at a place of its site is there for."""
    if site.kind in FLAT:
        return FLAT[site.kind]
    if site.kind == "portal":
        return "navigation" if place else "portal"
    if site.kind == "authority":
        return "authority" if place == 0 else "navigation" if place < 3 else "content"
    if site.kind == "directory":
        return "navigation" if place == 0 else "hub" if place <= len(SENSES) else "background"
    if site.size >= 5 and place == 2:
        return "navigation"
    return "background" if site.kind == "background" else _fan_role(site, place)


def _fan_role(site: Site, place: int) -> Role:
    if is_links_page(site, place):
        return "hub"
    if site.size == PRINTED and place == site.size - 1:
        return "duplicate"
    return "content"


def is_links_page(site: Site, place: int) -> bool:
    """Whether a page is its site's list of links; a site of one page is nothing else."""
    if site.kind == "directory":
        return place > 0
    return site.kind in ("fan", "background") and place == min(1, site.size - 1)


def topic_of(site: Site, place: int) -> str:
    """What a page is about: what its site is about, but a directory has a page for each topic."""
    if site.kind != "directory":
        return site.topic
    return ("", *SENSES, *background_names())[place]


def _title(site: Site, role: Role, place: int) -> str:
    if place == 0:
        return site.name
    if role == "navigation":
        return f"About {site.name}" if place == 1 else f"{site.name}: site map"
    return ""


def address(site: Site, place: int, role: Role, title: str) -> str:
    """Where a page stands; the home page has the address of its site."""
    if site.kind == "directory" and place:
        path = (*CATEGORIES, *(f"{name}/" for name in background_names()))[place - 1]
    elif place == 0:
        path = ""
    elif role == "navigation":
        path = "about.html" if place == 1 else "sitemap.html"
    elif is_links_page(site, place):
        path = ("links.html", "links.htm", "resources/links.html", "bookmarks.html")[site.look % 4]
    else:
        path = f"{'articles/' if site.look & 16 else ''}{slug(title)}-{place}.html"
    if site.kind == "company" and place % 3 == 2:
        return f"{site.base.replace('//www.', '//support.')}{path}"
    return f"{site.base}{path}"
