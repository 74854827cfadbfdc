"""Plan the sites of a demo web: authorities, portals, fan sites, background, mirrors.

The plan is small and made at once; pages are written from it one by one.
"""

from itertools import accumulate

from weft.demo.plan import (
    PRINT_VERSION_SITE_SIZE,
    DemoPlan,
    DemoSite,
    DemoWeb,
    LinkedAuthority,
    slugify,
)
from weft.demo.words import (
    FOREIGN_LANGUAGES,
    QUERY_SENSES,
    AuthoritySite,
    DemoTopic,
    TemplateFiller,
    background_topic_names,
    load_shared_texts,
    load_topics,
)

SMALL_WEB_PAGES = 1000
SMALL_WEB_SITE_SIZES = (1, 2, 3, 3, 4)
SITE_SIZES = (1, 1, 2, 3, 4, 4, 5, 6, 8, 12, 20)
TOWN_PREFIXES = ("", "North ", "South ", "East ", "West ", "Greater ", "Old ", "New ")


def plan_sites(web: DemoWeb) -> DemoPlan:
    """Plan all sites; authorities grow slowly with the web, fans and background in proportion."""
    plan = DemoPlan(web)
    growth = web.pages / 1500
    is_small = web.pages < SMALL_WEB_PAGES
    for sense in QUERY_SENSES:
        _add_authorities(plan, load_topics()[sense], max(6, round(10 * growth**0.3)))
    _add_portals(plan, 4 if is_small else 8, 2 if is_small else 3)
    _add_directories(plan, max(1, round(4 * growth**0.5)), 6 if is_small else 11)
    _add_company(plan, min(40, web.pages // 10) if growth <= 1 else round(40 * growth**0.2))
    _add_advertisers(plan, max(3, round(6 * growth**0.5)), 1 if is_small else 2)
    mirror_pages = max(4, web.pages // 50)
    pages_left = web.pages - plan.page_count - mirror_pages
    for sense in QUERY_SENSES:
        topic = load_topics()[sense]
        _add_fans(plan, topic, round(pages_left * 0.64 * topic.page_share))
    names = background_topic_names()
    for k, name in enumerate(names):
        pages_left = web.pages - plan.page_count - mirror_pages
        _add_background(plan, load_topics()[name], pages_left // (len(names) - k))
    _add_mirrors(plan, mirror_pages)
    return plan


def _add_authorities(plan: DemoPlan, topic: DemoTopic, count: int) -> None:
    """Add the authorities of a topic; authority i is linked with weight i^-0.9."""
    authorities = [_make_authority(plan, topic, index) for index in range(count)]
    for authority in authorities:
        if authority.site.captured:
            _add_authority(plan, topic.name, authority.site)
        if authority.old_url:
            plan.redirects.append((authority.old_url, authority.site.url, topic.name))
    plan.authorities[topic.name] = authorities
    plan.cumulative_weights[topic.name] = list(
        accumulate((1 / (i + 1)) ** 0.9 for i in range(count))
    )


def _make_authority(plan: DemoPlan, topic: DemoTopic, index: int) -> LinkedAuthority:
    """An authority written by hand, or a regional one beyond those; every third has moved."""
    by_hand = len(topic.authorities)
    if index < by_hand:
        site = topic.authorities[index]
    else:
        site = _regional_authority(plan, topic, index - by_hand)
    has_moved = site.captured and index % 3 == 0
    old_url = f"http://old.webspace.example/~{slugify(site.name)}/" if has_moved else ""
    return LinkedAuthority(site, old_url)


def _add_authority(plan: DemoPlan, sense: str, site: AuthoritySite) -> None:
    rng = plan.web.rng(1, len(plan.sites))
    size = 2 if plan.web.pages < SMALL_WEB_PAGES else rng.randint(3, 8)
    style = "quiet" if site.quiet else ""
    plan.add_site(DemoSite("authority", sense, site.name, site.url, size, style, site.about))


def _regional_authority(plan: DemoPlan, topic: DemoTopic, index: int) -> AuthoritySite:
    towns = topic.slots["town"]
    town = TOWN_PREFIXES[index // len(towns) % len(TOWN_PREFIXES)] + towns[index % len(towns)]
    name = topic.regional_name.format(town=town)
    about = topic.regional_description.format(town=town)
    return AuthoritySite(
        name, f"http://{plan.unique_host(name)}/", about, [name], [f"the {town} group"]
    )


def _add_portals(plan: DemoPlan, count: int, size: int) -> None:
    for raw in load_shared_texts()["portal"][:count]:
        base_url = f"http://{raw['host']}/"
        plan.add_site(DemoSite("portal", "", raw["name"], base_url, size, about=raw["about"]))


def _add_directories(plan: DemoPlan, count: int, size: int) -> None:
    raw = load_shared_texts()["directories"]
    for index in range(count):
        if index < len(raw["hosts"]):
            name, host = raw["names"][index], raw["hosts"][index]
        else:
            name = plan.template_filler(load_topics()["advertiser"]).fill_random_template(
                raw["further"]
            )
            host = plan.unique_host(name)
        plan.add_site(DemoSite("directory", "", name, f"http://{host}/", size, about=raw["about"]))


def _add_company(plan: DemoPlan, size: int) -> None:
    raw = load_shared_texts()["company"]
    plan.add_site(DemoSite("company", "company", raw["name"], f"http://www.{raw['host']}/", size))


def _add_advertisers(plan: DemoPlan, count: int, size: int) -> None:
    topic = load_topics()["advertiser"]
    for index in range(count):
        names = topic.writing_styles[""].site_names
        name = plan.template_filler(topic).fill_random_template([names[index % len(names)]])
        plan.add_site(
            DemoSite("advertiser", "advertiser", name, f"http://{plan.unique_host(name)}/", size)
        )


def _add_fans(plan: DemoPlan, topic: DemoTopic, pages: int) -> None:
    """Add fan sites: one in seven is quiet, some are foreign, one in four is a member's folder."""
    end = plan.page_count + pages
    index = 0
    while plan.page_count < end:
        style = ""
        if index % 7 == 1:
            style = "quiet"
        elif index % 11 == 5:
            style = FOREIGN_LANGUAGES[index % 3]
        filler = plan.template_filler(topic)
        name = filler.fill_random_template(topic.writing_styles[style].site_names)
        if index % 4 == 2:
            base_url = _member_base_url(plan, filler)
        else:
            base_url = f"http://{plan.unique_host(name)}/"
        min_size = PRINT_VERSION_SITE_SIZE if index == 0 else 2 if style == "quiet" else 1
        size = min(max(min_size, _draw_site_size(plan, end)), end - plan.page_count)
        plan.add_site(DemoSite("fan", topic.name, name, base_url, size, writing_style=style))
        index += 1


def _member_base_url(plan: DemoPlan, filler: TemplateFiller) -> str:
    """The base URL of a member's folder on a shared host."""
    person = f"{filler['first'][0]}{filler['surname']}".lower()
    return f"http://members.freespace.example/~{plan.number_repeated_stem(person)}/"


def _add_background(plan: DemoPlan, topic: DemoTopic, pages: int) -> None:
    end = plan.page_count + pages
    while plan.page_count < end:
        name = plan.template_filler(topic).fill_random_template(topic.writing_styles[""].site_names)
        base_url = f"http://{plan.unique_host(name)}/"
        size = _draw_site_size(plan, end)
        plan.add_site(DemoSite("background", topic.name, name, base_url, size))


def _draw_site_size(plan: DemoPlan, end: int) -> int:
    sizes = SMALL_WEB_SITE_SIZES if plan.web.pages < SMALL_WEB_PAGES else SITE_SIZES
    size = plan.web.rng(3, len(plan.sites)).choice(sizes)
    return min(size, end - plan.page_count)


def _add_mirrors(plan: DemoPlan, pages: int) -> None:
    hosts = load_shared_texts()["mirrors"]["hosts"]
    end = plan.page_count + pages
    index = 0
    while plan.page_count < end:
        host = hosts[index] if index < len(hosts) else f"mirror{index}.netarchive-west.example"
        size = min(end - plan.page_count, max(2, pages // 4 if pages < 24 else 25))
        plan.add_site(DemoSite("mirror", "", f"Mirror at {host}", f"http://{host}/", size))
        index += 1
