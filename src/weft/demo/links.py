"""Draw the links of a page: authorities by weight, other pages at random, portals, banners."""

from random import Random
from typing import NamedTuple

from weft.demo.page_specs import PageSpec, PageSpecs
from weft.demo.plan import LinkedAuthority, slugify
from weft.demo.words import QUERY_SENSES, TemplateFiller, load_shared_texts


class DemoLink(NamedTuple):
    """A link to write: its target, anchor text, description and rel."""

    url: str
    anchor: str
    about: str = ""
    rel: str = ""


def mentions_query(text: str) -> bool:
    """Whether a text contains the query word."""
    return "jaguar" in text.lower()


class LinkSampler:
    """Draws the links of one page from its random numbers; editorial links are distinct."""

    def __init__(self, specs: PageSpecs, spec: PageSpec, rng: Random) -> None:
        self.specs, self.spec, self.rng = specs, spec, rng
        self._plan, self._noise = specs.plan, specs.plan.web.noise
        self._avoids_query = spec.site.avoids_query
        self._linked_urls = {spec.url}

    def draw_authorities(self, sense: str, count: int) -> list[DemoLink]:
        """Draw authorities of a sense, with weights that fall by rank."""
        drawn = self.rng.choices(
            self._plan.authorities[sense],
            cum_weights=self._plan.cumulative_weights[sense],
            k=3 * count,
        )
        distinct = list({authority.site.url: authority for authority in drawn}.values())[:count]
        return self._add_noise_and_dedupe([self._link_to_authority(each) for each in distinct])

    def draw_topic_pages(self, topic: str, count: int) -> list[DemoLink]:
        """Draw pages of other sites of a topic; earlier sites are more likely, and home pages."""
        sites = self._plan.sites_by_topic[topic]
        links = []
        for _ in range(count):
            site = sites[int(len(sites) * self.rng.random() ** 1.7)]
            index = 0 if self.rng.random() < 0.5 else int(self.rng.random() * site.page_count)
            if site is not self.spec.site:
                links.append(self._link_to_page(site.first_page + index))
        return self._add_noise_and_dedupe(links)

    def draw_directory(self, sense: str) -> list[DemoLink]:
        """Draw a directory, and link to its page on a sense."""
        site = self.rng.choice(self._plan.sites_by_topic["directory"])
        spec = self.specs.spec(site.first_page + 1 + QUERY_SENSES.index(sense))
        return self._add_noise_and_dedupe([DemoLink(spec.url, f"{site.name} directory")])

    def same_site_links(self, max_links: int) -> list[DemoLink]:
        """Links to the first pages of the same site, in order, without duplicates."""
        site = self.spec.site
        numbers = range(site.first_page, site.first_page + min(site.page_count, max_links))
        specs = [self.specs.spec(number) for number in numbers if number != self.spec.number]
        return [DemoLink(spec.url, spec.title) for spec in specs if spec.role != "duplicate"]

    def draw_portals(self, count: int) -> list[DemoLink]:
        """Draw popular portals, each with the line of text around its link."""
        sites = self._plan.sites_by_topic["portal"]
        indices = {int(len(sites) * self.rng.random() ** 1.5) for _ in range(count)}
        return [self._link_to_portal(sites[index].base_url, index) for index in sorted(indices)]

    def draw_banner(self, filler: TemplateFiller) -> DemoLink:
        """Draw a paid link; half of them have a rel that says so."""
        sites = self._plan.sites_by_topic["advertiser"]
        site = sites[int(len(sites) * self.rng.random() ** 2)]
        rel = self.rng.choice(("", "", "nofollow", "sponsored"))
        return DemoLink(
            site.base_url,
            filler.fill_random_template(load_shared_texts()["advertisers"]["banners"]),
            rel=rel,
        )

    def draw_dead_link(self, filler: TemplateFiller) -> DemoLink:
        """Draw a link to a page that does not exist."""
        host = slugify(
            filler.fill_random_template(["{surname} {town}", "{first} {surname}", "{town} online"])
        )
        file = filler.fill_random_template(load_shared_texts()["dead_files"])
        return DemoLink(
            f"http://www.{host}.example/{file}",
            filler.fill_random_template(load_shared_texts()["dead_anchors"]),
        )

    def _add_noise_and_dedupe(self, links: list[DemoLink]) -> list[DemoLink]:
        """Replace a share `noise` of links by random ones, and drop targets already linked."""
        kept = []
        for link in links:
            is_diverted = self.rng.random() < self._noise
            final = self._link_to_random_page() if is_diverted else link
            if final.url not in self._linked_urls:
                self._linked_urls.add(final.url)
                kept.append(final)
        return kept

    def _link_to_random_page(self) -> DemoLink:
        return self._link_to_page(int(self.rng.random() * self._plan.web.pages))

    def _link_to_authority(self, authority: LinkedAuthority) -> DemoLink:
        site = authority.site
        is_quiet = self._avoids_query or self.rng.random() < 0.2
        anchor = self.rng.choice(site.quiet_anchors if is_quiet else site.anchors)
        use_old_url = authority.old_url and self.rng.random() < 0.06
        about = "" if self._avoids_query and mentions_query(site.about) else site.about
        return DemoLink(authority.old_url if use_old_url else site.url, anchor, about)

    def _link_to_portal(self, url: str, index: int) -> DemoLink:
        raw = load_shared_texts()["portal"][index]
        return DemoLink(url, self.rng.choice(raw["anchors"]), raw["line"])

    def _link_to_page(self, number: int) -> DemoLink:
        spec = self.specs.spec(number)
        is_generic = self.rng.random() < 0.1 or (self._avoids_query and mentions_query(spec.title))
        anchor = (
            self.rng.choice(load_shared_texts()["generic_anchors"]) if is_generic else spec.title
        )
        return DemoLink(spec.url, anchor)
