"""Which sites there are, how large each is, and whose pages lead.

The plan is small and made at once; the pages are written from it one by one.
"""

from itertools import accumulate

from weft.gather.demoweb.banks import (
    LANGUAGES,
    SENSES,
    Named,
    Topic,
    Words,
    background_names,
    common,
    topics,
)
from weft.gather.demoweb.plan import PRINTED, DemoWeb, Famous, Plan, Site, slug

SMALL = 1000
SMALL_SIZES = (1, 2, 3, 3, 4)
SIZES = (1, 1, 2, 3, 4, 4, 5, 6, 8, 12, 20)
COMPASS = ("", "North ", "South ", "East ", "West ", "Greater ", "Old ", "New ")


def make_plan(web: DemoWeb) -> Plan:
    """Lay out the sites: few and fixed those that lead, in proportion those that follow."""
    plan = Plan(web)
    growth = web.pages / 1500
    small = web.pages < SMALL
    for sense in SENSES:
        _add_authorities(plan, topics()[sense], max(6, round(10 * growth**0.3)))
    _add_portals(plan, 4 if small else 8, 2 if small else 3)
    _add_directories(plan, max(1, round(4 * growth**0.5)), 6 if small else 11)
    _add_company(plan, min(40, web.pages // 10) if growth <= 1 else round(40 * growth**0.2))
    _add_advertisers(plan, max(3, round(6 * growth**0.5)), 1 if small else 2)
    mirrors = max(4, web.pages // 50)
    left = web.pages - plan.written - mirrors
    for sense in SENSES:
        _add_fans(plan, topics()[sense], round(left * 0.64 * topics()[sense].share))
    names = background_names()
    for place, name in enumerate(names):
        left = web.pages - plan.written - mirrors
        _add_background(plan, topics()[name], left // (len(names) - place))
    _add_mirrors(plan, mirrors)
    return plan


def _add_authorities(plan: Plan, topic: Topic, count: int) -> None:
    famous = [_famous(plan, topic, place) for place in range(count)]
    for one in famous:
        if one.named.captured:
            _add_authority(plan, topic.name, one.named)
        if one.alias:
            plan.redirects.append((one.alias, one.named.url, topic.name))
    plan.famous[topic.name] = famous
    plan.weights[topic.name] = list(accumulate((1 / (i + 1)) ** 0.9 for i in range(count)))


def _famous(plan: Plan, topic: Topic, place: int) -> Famous:
    known = topic.authorities
    named = known[place] if place < len(known) else _regional(plan, topic, place - len(known))
    moved = named.captured and place % 3 == 0
    return Famous(named, f"http://old.webspace.example/~{slug(named.name)}/" if moved else "")


def _add_authority(plan: Plan, sense: str, named: Named) -> None:
    rng = plan.web.random(1, len(plan.sites))
    size = 2 if plan.web.pages < SMALL else rng.randint(3, 8)
    voice = "quiet" if named.quiet else ""
    plan.add(Site("authority", sense, named.name, named.url, size, voice, named.about))


def _regional(plan: Plan, topic: Topic, place: int) -> Named:
    towns = topic.slots["town"]
    town = COMPASS[place // len(towns) % len(COMPASS)] + towns[place % len(towns)]
    name = topic.regional.format(town=town)
    about = topic.regional_about.format(town=town)
    return Named(name, f"http://{plan.host(name)}/", about, [name], [f"the {town} group"])


def _add_portals(plan: Plan, count: int, size: int) -> None:
    for raw in common()["portal"][:count]:
        base = f"http://{raw['host']}/"
        plan.add(Site("portal", "", raw["name"], base, size, about=raw["about"]))


def _add_directories(plan: Plan, count: int, size: int) -> None:
    raw = common()["directories"]
    for place in range(count):
        if place < len(raw["hosts"]):
            name, host = raw["names"][place], raw["hosts"][place]
        else:
            name = plan.words(topics()["advertiser"]).choose(raw["further"])
            host = plan.host(name)
        plan.add(Site("directory", "", name, f"http://{host}/", size, about=raw["about"]))


def _add_company(plan: Plan, size: int) -> None:
    raw = common()["company"]
    plan.add(Site("company", "company", raw["name"], f"http://www.{raw['host']}/", size))


def _add_advertisers(plan: Plan, count: int, size: int) -> None:
    topic = topics()["advertiser"]
    for place in range(count):
        names = topic.voices[""].names
        name = plan.words(topic).choose([names[place % len(names)]])
        plan.add(Site("advertiser", "advertiser", name, f"http://{plan.host(name)}/", size))


def _add_fans(plan: Plan, topic: Topic, pages: int) -> None:
    end = plan.written + pages
    place = 0
    while plan.written < end:
        voice = "quiet" if place % 7 == 1 else LANGUAGES[place % 3] if place % 11 == 5 else ""
        words = plan.words(topic)
        name = words.choose(topic.voices[voice].names)
        base = _home_page(plan, words) if place % 4 == 2 else f"http://{plan.host(name)}/"
        least = PRINTED if place == 0 else 2 if voice == "quiet" else 1
        size = min(max(least, _size(plan, end)), end - plan.written)
        plan.add(Site("fan", topic.name, name, base, size, voice=voice))
        place += 1


def _home_page(plan: Plan, words: Words) -> str:
    """The address of somebody's pages on a host that many people share."""
    person = f"{words['first'][0]}{words['surname']}".lower()
    return f"http://members.freespace.example/~{plan.unique(person)}/"


def _add_background(plan: Plan, topic: Topic, pages: int) -> None:
    end = plan.written + pages
    while plan.written < end:
        name = plan.words(topic).choose(topic.voices[""].names)
        base = f"http://{plan.host(name)}/"
        plan.add(Site("background", topic.name, name, base, _size(plan, end)))


def _size(plan: Plan, end: int) -> int:
    sizes = SMALL_SIZES if plan.web.pages < SMALL else SIZES
    size = plan.web.random(3, len(plan.sites)).choice(sizes)
    return min(size, end - plan.written)


def _add_mirrors(plan: Plan, pages: int) -> None:
    hosts = common()["mirrors"]["hosts"]
    end = plan.written + pages
    place = 0
    while plan.written < end:
        host = hosts[place] if place < len(hosts) else f"mirror{place}.netarchive-west.example"
        size = min(end - plan.written, max(2, pages // 4 if pages < 24 else 25))
        plan.add(Site("mirror", "", f"Mirror at {host}", f"http://{host}/", size))
        place += 1
