"""The specification of a page: role, title, URL and topic, computed from its number."""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd

from weft.demo.plan import PRINT_VERSION_SITE_SIZE, DemoPlan, DemoSite, slugify
from weft.demo.truth import PageRole
from weft.demo.words import QUERY_SENSES, TemplateFiller, background_topic_names, load_topics

DIRECTORY_PATHS = ("jaguar/", "sports/football/jaguars/", "games/jaguar/", "animals/jaguar/")
ROLE_BY_SITE_KIND: dict[str, PageRole] = {
    "company": "company",
    "advertiser": "advertiser",
    "mirror": "mirror",
}


@dataclass(frozen=True, slots=True)
class PageSpec:
    """What to write on a page; `source_number` is the page whose content it has, often itself."""

    number: int
    site: DemoSite
    role: PageRole
    topic: str
    title: str
    subject: str
    url: str
    source_number: int
    second_sense: str = ""

    @property
    def sense(self) -> str:
        """The sense of the query that the page is about, or nothing."""
        return self.topic if self.topic in QUERY_SENSES else ""


class PageSpecs:
    """The specs of all pages of a web, computed on demand and cached."""

    def __init__(self, plan: DemoPlan) -> None:
        self.plan = plan
        self.spec = lru_cache(maxsize=1 << 14)(self._make_spec)
        self._fan_sites = [site for sense in QUERY_SENSES for site in plan.sites_by_topic[sense]]
        self._stride = next(s for s in range(7, 1000) if gcd(s, len(self._fan_sites)) == 1)
        self._first_mirror = plan.sites_by_topic["mirror"][0].first_page

    def _make_spec(self, number: int) -> PageSpec:
        site = self.plan.site_of(number)
        role = page_role(site, number - site.first_page)
        if role == "mirror":
            return self._copy_spec(number, site, role, self._mirrored_page(number))
        if role == "duplicate":
            return self._copy_spec(number, site, role, site.first_page + 3)
        return self._original_spec(number, site, role)

    def _original_spec(self, number: int, site: DemoSite, role: PageRole) -> PageSpec:
        index = number - site.first_page
        topic_name = page_topic(site, index)
        topic = load_topics().get(topic_name, load_topics()["advertiser"])
        rng = self.plan.web.rng(0, number)
        filler = TemplateFiller(rng, topic.slots)
        style = topic.writing_styles[site.writing_style]
        second_sense = ""
        if role == "hub" or is_links_page(site, index):
            title = filler.fill_random_template(style.hub_titles)
            if topic_name in QUERY_SENSES and rng.random() < self.plan.web.mixing:
                second_sense = rng.choice([sense for sense in QUERY_SENSES if sense != topic_name])
        else:
            template = style.titles[(site.style_bits + index) % len(style.titles)]
            title = _fixed_title(site, role, index) or filler.fill_random_template([template])
        url = page_url(site, index, role, title)
        subject = filler["subject"]
        return PageSpec(number, site, role, topic_name, title, subject, url, number, second_sense)

    def _mirrored_page(self, number: int) -> int:
        """The page that a mirror copies: mostly a hub, and each page once.

        The stride is coprime to the number of sites, so that all of them come up.
        """
        index = number - self._first_mirror
        site = self._fan_sites[index * self._stride % len(self._fan_sites)]
        copied = 2 if site.page_count in (3, 4) and index % 2 else min(1, site.page_count - 1)
        return site.first_page + copied

    def _copy_spec(
        self, number: int, site: DemoSite, role: PageRole, source_number: int
    ) -> PageSpec:
        source = self.spec(source_number)
        folder, prefix = ("print/", site.base_url) if role == "duplicate" else ("www/", "http://")
        url = f"{site.base_url}{folder}{source.url[len(prefix) :]}"
        return replace(source, number=number, site=site, role=role, url=url)


def page_role(site: DemoSite, index: int) -> PageRole:
    """The role of a page by the kind of its site and its index there."""
    if site.kind in ROLE_BY_SITE_KIND:
        return ROLE_BY_SITE_KIND[site.kind]
    if site.kind == "portal":
        return "navigation" if index else "portal"
    if site.kind == "authority":
        return "authority" if index == 0 else "navigation" if index < 3 else "content"
    if site.kind == "directory":
        return "navigation" if index == 0 else "hub" if index <= len(QUERY_SENSES) else "background"
    if site.page_count >= 5 and index == 2:
        return "navigation"
    return "background" if site.kind == "background" else _fan_role(site, index)


def _fan_role(site: DemoSite, index: int) -> PageRole:
    if is_links_page(site, index):
        return "hub"
    if site.page_count == PRINT_VERSION_SITE_SIZE and index == site.page_count - 1:
        return "duplicate"
    return "content"


def is_links_page(site: DemoSite, index: int) -> bool:
    """Whether a page is the list of links of its site; a site of one page is only that."""
    if site.kind == "directory":
        return index > 0
    return site.kind in ("fan", "background") and index == min(1, site.page_count - 1)


def page_topic(site: DemoSite, index: int) -> str:
    """The topic of a page: that of its site, but a directory has one page per topic."""
    if site.kind != "directory":
        return site.topic
    return ("", *QUERY_SENSES, *background_topic_names())[index]


def _fixed_title(site: DemoSite, role: PageRole, index: int) -> str:
    if index == 0:
        return site.name
    if role == "navigation":
        return f"About {site.name}" if index == 1 else f"{site.name}: site map"
    return ""


def page_url(site: DemoSite, index: int, role: PageRole, title: str) -> str:
    """The URL of a page; the home page has the base URL of its site."""
    if site.kind == "directory" and index:
        path = (*DIRECTORY_PATHS, *(f"{name}/" for name in background_topic_names()))[index - 1]
    elif index == 0:
        path = ""
    elif role == "navigation":
        path = "about.html" if index == 1 else "sitemap.html"
    elif is_links_page(site, index):
        path = ("links.html", "links.htm", "resources/links.html", "bookmarks.html")[
            site.style_bits % 4
        ]
    else:
        path = f"{'articles/' if site.style_bits & 16 else ''}{slugify(title)}-{index}.html"
    if site.kind == "company" and index % 3 == 2:
        return f"{site.base_url.replace('//www.', '//support.')}{path}"
    return f"{site.base_url}{path}"
