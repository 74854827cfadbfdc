"""What stands on each page, by its role."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from weft.gather.demoweb.banks import Topic, Words, common, topics
from weft.gather.demoweb.cards import Card, Cards, is_links_page
from weft.gather.demoweb.links import Links, Pointer
from weft.gather.demoweb.sheet import Sheet
from weft.gather.demoweb.truth import Role

BAR = 5


@dataclass(frozen=True, slots=True)
class Draft:
    """A page in the making: what it is, its words and links, the sheet it is written on."""

    card: Card
    topic: Topic
    rng: Random
    words: Words
    links: Links
    sheet: Sheet

    def chance(self, share: float) -> bool:
        """Whether something that happens on this share of pages happens here."""
        return self.rng.random() < share

    def say(self, options: list[str]) -> str:
        """One of the texts, its gaps filled."""
        return self.words.choose(options)

    def sentences(self, count: int) -> list[str]:
        """Different sentences on the topic, in the voice of the site."""
        bank = self.topic.voices[self.card.site.voice].sentences
        chosen = self.rng.sample(bank, min(count, len(bank)))
        return [sentence.format_map(self.words) for sentence in chosen]


def compose(cards: Cards, card: Card) -> str:
    """Write a page. A copy says what its original says, with a note of where that is."""
    source = cards.card(card.source)
    rng = cards.plan.web.random(4, source.number)
    topic = topics().get(source.topic, topics()["advertiser"])
    words = Words(rng, topic.slots, source.subject)
    links = Links(cards, source, rng)
    sheet = Sheet(source.site, card.url, copied=card is not source)
    draft = Draft(source, topic, rng, words, links, sheet)
    _write_bar(draft)
    WRITERS[source.role](draft)
    _write_foot(draft)
    _mark_copy(card, source, sheet)
    return sheet.html(source.title)


def _mark_copy(card: Card, source: Card, sheet: Sheet) -> None:
    if card.role == "duplicate":
        sheet.canonical(source.url)
    elif card.role == "mirror":
        link = sheet.link(Pointer(source.site.base, source.site.name))
        sheet.footer(common()["mirrors"]["note"].format(link=link))


def _write_bar(draft: Draft) -> None:
    site = draft.card.site
    bar = []
    for number in range(site.start, site.start + min(site.size, BAR)):
        card = draft.links.cards.card(number)
        if number != draft.card.number and card.role != "duplicate":
            bar.append(Pointer(card.url, _label(card)))
    draft.sheet.navigation(bar)


def _label(card: Card) -> str:
    place = card.number - card.site.start
    if place == 0:
        return "Home"
    if card.role == "navigation":
        return "About" if place == 1 else "Site map"
    return "Links" if is_links_page(card.site, place) and card.site.size > 1 else card.title


def _write_content(draft: Draft) -> None:
    draft.sheet.heading(draft.card.title)
    draft.sheet.paragraph(draft.say(draft.topic.voices[draft.card.site.voice].leads))
    pointers = _content_links(draft)
    rest = _write_prose(draft, draft.rng.randint(6, 13), pointers)
    if draft.topic.details and draft.card.site.voice in ("", "quiet") and draft.chance(0.3):
        _write_details(draft)
    if rest:
        draft.sheet.listing(rest)


def _content_links(draft: Draft) -> list[Pointer]:
    sense = draft.card.topic
    pointers = draft.links.authorities(sense, draft.rng.randint(0, 3))
    pointers += draft.links.others(sense, draft.rng.randint(0, 3))
    if draft.chance(0.08):
        pointers += draft.links.directory(sense)
    if draft.chance(0.15):
        pointers.append(draft.links.dead(draft.words))
    return pointers


def _write_prose(draft: Draft, count: int, pointers: list[Pointer]) -> list[Pointer]:
    """Write paragraphs with a link at the end of some; give back the links left over."""
    lines = draft.sentences(count)
    left = list(pointers)
    english = draft.card.site.voice in ("", "quiet")
    while lines:
        length = draft.rng.randint(2, 4)
        part, lines = lines[:length], lines[length:]
        if draft.topic.headings and english and draft.chance(0.3):
            draft.sheet.subheading(draft.rng.choice(draft.topic.headings))
        if left and english and draft.chance(0.7):
            link = draft.sheet.link(left.pop(0))
            part.append(draft.rng.choice(common()["see_also"]).format(link=link))
        draft.sheet.paragraph(*part)
    return left


def _write_details(draft: Draft) -> None:
    rows = draft.rng.sample(list(draft.topic.details.items()), draft.rng.randint(3, 5))
    draft.sheet.details((label, draft.rng.choice(values)) for label, values in rows)


def _write_hub(draft: Draft) -> None:
    voice = draft.topic.voices[draft.card.site.voice]
    draft.sheet.heading(draft.card.title)
    draft.sheet.paragraph(draft.say(voice.hub_intros))
    draft.sheet.listing(_hub_links(draft))
    if draft.chance(0.6):
        draft.sheet.paragraph(*draft.sentences(2))


def _hub_links(draft: Draft) -> list[Pointer]:
    sense, also = draft.card.topic, draft.card.also
    count = min(25, 6 + int(draft.rng.expovariate(0.2)))
    second = draft.links.authorities(also, count * 2 // 5) if also else []
    first = draft.links.authorities(sense, count - len(second))
    others = draft.links.others(sense, draft.rng.randint(0, 1 + len(first) // 3))
    if draft.chance(0.3):
        others.append(draft.links.dead(draft.words))
    if draft.chance(0.2):
        others += draft.links.directory(sense)
    return first + second + others


def _write_authority(draft: Draft) -> None:
    site = draft.card.site
    voice = draft.topic.voices[site.voice]
    draft.sheet.heading(site.name)
    draft.sheet.paragraph(site.about, draft.say(voice.leads))
    _write_prose(draft, draft.rng.randint(4, 8), [])
    draft.sheet.listing(draft.links.local(8))
    if draft.chance(0.3):
        draft.sheet.listing(draft.links.authorities(site.topic, draft.rng.randint(1, 2)))


def _write_navigation(draft: Draft) -> None:
    draft.sheet.heading(draft.card.title)
    if draft.card.site.about:
        draft.sheet.paragraph(draft.card.site.about)
    draft.sheet.paragraph(draft.say(common()["about_lines"]), draft.say(common()["contact_lines"]))
    draft.sheet.listing(draft.links.local(60))


def _write_background(draft: Draft) -> None:
    place = draft.card.number - draft.card.site.start
    draft.sheet.heading(draft.card.title)
    if is_links_page(draft.card.site, place):
        draft.sheet.paragraph(*draft.sentences(2))
        draft.sheet.listing(draft.links.others(draft.card.topic, draft.rng.randint(6, 14)))
        return
    pointers = draft.links.others(draft.card.topic, draft.rng.randint(1, 4))
    if draft.chance(0.1):
        pointers.append(draft.links.dead(draft.words))
    draft.sheet.listing(_write_prose(draft, draft.rng.randint(6, 10), pointers))


def _write_portal(draft: Draft) -> None:
    site = draft.card.site
    draft.sheet.heading(site.name)
    draft.sheet.paragraph(site.about)
    draft.sheet.listing(draft.links.local(8))
    directories = draft.links.cards.plan.by_topic["directory"][:4]
    draft.sheet.listing(Pointer(one.base, one.name) for one in directories)


def _write_company(draft: Draft) -> None:
    draft.sheet.heading(draft.card.title)
    _write_prose(draft, draft.rng.randint(4, 7), [])
    draft.sheet.listing(one for one in draft.links.local(draft.card.site.size) if draft.chance(0.9))
    if draft.chance(0.1):
        draft.sheet.listing(draft.links.authorities("cars", 1))


def _write_advertiser(draft: Draft) -> None:
    draft.sheet.heading(draft.card.title)
    draft.sheet.paragraph(*draft.sentences(5))
    draft.sheet.listing(draft.links.local(4))
    draft.sheet.banner(draft.links.banner(draft.words))


def _write_foot(draft: Draft) -> None:
    """Portals and banners, as they stand below most pages whatever these are about."""
    if draft.card.role in ("company", "advertiser", "portal"):
        return
    for portal in draft.links.portals(draft.rng.choice((0, 0, 1, 1, 2))):
        draft.sheet.footer(portal.about.format(link=draft.sheet.link(portal)))
    if draft.chance(0.2):
        draft.sheet.banner(draft.links.banner(draft.words))


WRITERS: Mapping[Role, Callable[[Draft], None]] = {
    "authority": _write_authority,
    "hub": _write_hub,
    "content": _write_content,
    "navigation": _write_navigation,
    "portal": _write_portal,
    "company": _write_company,
    "advertiser": _write_advertiser,
    "background": _write_background,
}
