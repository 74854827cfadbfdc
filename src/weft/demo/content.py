"""Write the content of each page, by its role."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from weft.demo.links import DemoLink, LinkSampler
from weft.demo.page_specs import PageSpec, PageSpecs, is_links_page
from weft.demo.plan import DemoSite
from weft.demo.truth import PageRole
from weft.demo.words import (
    DemoTopic,
    TemplateFiller,
    load_html_templates,
    load_shared_texts,
    load_topics,
)


class HtmlBuilder:
    """The HTML of one page, part by part.

    A site writes its internal links absolute, from the root or relative to the
    page; `absolute_links`, for copies, makes all of them absolute.
    """

    def __init__(self, site: DemoSite, url: str, *, absolute_links: bool = False) -> None:
        self._site, self._url = site, url
        self._skin: Mapping[str, Any] = load_html_templates()[
            site.style_bits % len(load_html_templates())
        ]
        self._href_style = (
            0 if absolute_links or site.kind == "company" else (site.style_bits >> 8) % 4
        )
        self._body: list[str] = []
        self._foot: list[str] = []
        self._nav = ""
        self._head = ""

    def add_heading(self, text: str) -> None:
        """Add the main heading."""
        self._body.append(self._skin["heading"].format(text=text))

    def add_subheading(self, text: str) -> None:
        """Add the heading of a section."""
        self._body.append(self._skin["subheading"].format(text=text))

    def add_paragraph(self, *sentences: str) -> None:
        """Add a paragraph of sentences."""
        self._body.append(self._skin["paragraph"].format(text=" ".join(sentences)))

    def add_link_list(self, links: Iterable[DemoLink]) -> None:
        """Add a list of links with their descriptions."""
        opening, item, closing = self._skin["list"]
        self._body.append(opening)
        for link in links:
            about = self._skin["about"].format(about=link.about) if link.about else ""
            self._body.append(item.format(link=self.render_link(link), about=about))
        self._body.append(closing)

    def add_details_table(self, rows: Iterable[tuple[str, str]]) -> None:
        """Add a table of labels and values."""
        opening, row, closing = self._skin["details"]
        lines = [row.format(label=label, value=value) for label, value in rows]
        self._body += [opening, *lines, closing]

    def set_navigation(self, links: Iterable[DemoLink]) -> None:
        """Set the navigation bar of the site."""
        opening, item, closing = self._skin["nav"]
        items = [
            item.format(link=self.render_link(link), url=self._href(link.url), text=link.anchor)
            for link in links
        ]
        self._nav = f"{opening}{''.join(items)}{closing}"

    def add_banner(self, link: DemoLink) -> None:
        """Add an advertising banner below the page."""
        picture = self._skin["banner"]
        self._foot.append(picture.format(url=link.url, rel=_rel_attribute(link), text=link.anchor))

    def add_footer(self, text: str) -> None:
        """Add a line below the page."""
        self._foot.append(text)

    def set_canonical(self, url: str) -> None:
        """Set the canonical URL in the head."""
        self._head = f'<link rel="canonical" href="{url}">'

    def render_link(self, link: DemoLink) -> str:
        """The HTML of a link."""
        url = self._href(link.url)
        tag: str = self._skin["link"]
        return tag.format(url=url, rel=_rel_attribute(link), text=link.anchor)

    def render(self, title: str) -> str:
        """The HTML of the page."""
        frame: str = self._skin["frame"]
        body, foot = "\n".join(self._body), "\n".join(self._foot)
        return frame.format(title=title, head=self._head, nav=self._nav, body=body, foot=foot)

    def _href(self, url: str) -> str:
        """The URL as this site writes it: absolute, from the root, or relative to the page."""
        base = self._site.base_url
        if self._href_style == 0 or not url.startswith(base):
            return url
        if self._href_style == 1:
            return url[url.index("/", len("http://")) :]
        depth = self._url.count("/", len(base))
        home = "index.html" if self._href_style == 3 else "./"
        return "../" * depth + (url[len(base) :] or ("" if depth else home))


def _rel_attribute(link: DemoLink) -> str:
    return f' rel="{link.rel}"' if link.rel else ""


MAX_NAVIGATION_LINKS = 5
ENGLISH_STYLES = ("", "quiet")


@dataclass(frozen=True, slots=True)
class PageDraft:
    """A page being written: its spec and topic, its random sources, and the HTML builder."""

    spec: PageSpec
    topic: DemoTopic
    rng: Random
    filler: TemplateFiller
    link_sampler: LinkSampler
    builder: HtmlBuilder

    def draw_chance(self, probability: float) -> bool:
        """Draw whether something happens that has this probability."""
        return self.rng.random() < probability

    def fill_random_template(self, templates: list[str]) -> str:
        """A random template with its slots filled."""
        return self.filler.fill_random_template(templates)

    def draw_sentences(self, count: int) -> list[str]:
        """Draw different sentences on the topic, in the writing style of the site."""
        sentences = self.topic.writing_styles[self.spec.site.writing_style].sentences
        drawn = self.rng.sample(sentences, min(count, len(sentences)))
        return [sentence.format_map(self.filler) for sentence in drawn]


def write_page(specs: PageSpecs, spec: PageSpec) -> str:
    """Write a page as HTML; a copy has the content of its original and a note about it."""
    source = specs.spec(spec.source_number)
    rng = specs.plan.web.rng(4, source.number)
    topic = load_topics().get(source.topic, load_topics()["advertiser"])
    filler = TemplateFiller(rng, topic.slots, source.subject)
    link_sampler = LinkSampler(specs, source, rng)
    builder = HtmlBuilder(source.site, spec.url, absolute_links=spec is not source)
    draft = PageDraft(source, topic, rng, filler, link_sampler, builder)
    _write_navigation_bar(draft)
    WRITER_BY_ROLE[source.role](draft)
    _write_footer(draft)
    _write_copy_note(spec, source, builder)
    return builder.render(source.title)


def _write_copy_note(spec: PageSpec, source: PageSpec, builder: HtmlBuilder) -> None:
    if spec.role == "duplicate":
        builder.set_canonical(source.url)
    elif spec.role == "mirror":
        link = builder.render_link(DemoLink(source.site.base_url, source.site.name))
        builder.add_footer(load_shared_texts()["mirrors"]["note"].format(link=link))


def _write_navigation_bar(draft: PageDraft) -> None:
    site = draft.spec.site
    links = []
    end = site.first_page + min(site.page_count, MAX_NAVIGATION_LINKS)
    for number in range(site.first_page, end):
        spec = draft.link_sampler.specs.spec(number)
        if number != draft.spec.number and spec.role != "duplicate":
            links.append(DemoLink(spec.url, _navigation_text(spec)))
    draft.builder.set_navigation(links)


def _navigation_text(spec: PageSpec) -> str:
    index = spec.number - spec.site.first_page
    if index == 0:
        return "Home"
    if spec.role == "navigation":
        return "About" if index == 1 else "Site map"
    return "Links" if is_links_page(spec.site, index) and spec.site.page_count > 1 else spec.title


def _write_content(draft: PageDraft) -> None:
    draft.builder.add_heading(draft.spec.title)
    style = draft.topic.writing_styles[draft.spec.site.writing_style]
    draft.builder.add_paragraph(draft.fill_random_template(style.lead_sentences))
    links = _content_links(draft)
    links_left = _write_prose(draft, draft.rng.randint(6, 13), links)
    is_english = draft.spec.site.writing_style in ENGLISH_STYLES
    if draft.topic.details and is_english and draft.draw_chance(0.3):
        _write_details(draft)
    if links_left:
        draft.builder.add_link_list(links_left)


def _content_links(draft: PageDraft) -> list[DemoLink]:
    sense = draft.spec.topic
    links = draft.link_sampler.draw_authorities(sense, draft.rng.randint(0, 3))
    links += draft.link_sampler.draw_topic_pages(sense, draft.rng.randint(0, 3))
    if draft.draw_chance(0.08):
        links += draft.link_sampler.draw_directory(sense)
    if draft.draw_chance(0.15):
        links.append(draft.link_sampler.draw_dead_link(draft.filler))
    return links


def _write_prose(draft: PageDraft, count: int, links: list[DemoLink]) -> list[DemoLink]:
    """Write paragraphs, some with a link at the end; return the links left over."""
    sentences = draft.draw_sentences(count)
    links_left = list(links)
    is_english = draft.spec.site.writing_style in ENGLISH_STYLES
    while sentences:
        length = draft.rng.randint(2, 4)
        paragraph, sentences = sentences[:length], sentences[length:]
        if draft.topic.headings and is_english and draft.draw_chance(0.3):
            draft.builder.add_subheading(draft.rng.choice(draft.topic.headings))
        if links_left and is_english and draft.draw_chance(0.7):
            link = draft.builder.render_link(links_left.pop(0))
            paragraph.append(draft.rng.choice(load_shared_texts()["see_also"]).format(link=link))
        draft.builder.add_paragraph(*paragraph)
    return links_left


def _write_details(draft: PageDraft) -> None:
    rows = draft.rng.sample(list(draft.topic.details.items()), draft.rng.randint(3, 5))
    draft.builder.add_details_table((label, draft.rng.choice(values)) for label, values in rows)


def _write_hub(draft: PageDraft) -> None:
    style = draft.topic.writing_styles[draft.spec.site.writing_style]
    draft.builder.add_heading(draft.spec.title)
    draft.builder.add_paragraph(draft.fill_random_template(style.hub_intros))
    draft.builder.add_link_list(_hub_links(draft))
    if draft.draw_chance(0.6):
        draft.builder.add_paragraph(*draft.draw_sentences(2))


def _hub_links(draft: PageDraft) -> list[DemoLink]:
    sense, second_sense = draft.spec.topic, draft.spec.second_sense
    count = min(25, 6 + int(draft.rng.expovariate(0.2)))
    second = []
    if second_sense:
        second = draft.link_sampler.draw_authorities(second_sense, count * 2 // 5)
    first = draft.link_sampler.draw_authorities(sense, count - len(second))
    others = draft.link_sampler.draw_topic_pages(sense, draft.rng.randint(0, 1 + len(first) // 3))
    if draft.draw_chance(0.3):
        others.append(draft.link_sampler.draw_dead_link(draft.filler))
    if draft.draw_chance(0.2):
        others += draft.link_sampler.draw_directory(sense)
    return first + second + others


def _write_authority(draft: PageDraft) -> None:
    site = draft.spec.site
    style = draft.topic.writing_styles[site.writing_style]
    draft.builder.add_heading(site.name)
    draft.builder.add_paragraph(site.about, draft.fill_random_template(style.lead_sentences))
    _write_prose(draft, draft.rng.randint(4, 8), [])
    draft.builder.add_link_list(draft.link_sampler.same_site_links(8))
    if draft.draw_chance(0.3):
        draft.builder.add_link_list(
            draft.link_sampler.draw_authorities(site.topic, draft.rng.randint(1, 2))
        )


def _write_navigation(draft: PageDraft) -> None:
    draft.builder.add_heading(draft.spec.title)
    if draft.spec.site.about:
        draft.builder.add_paragraph(draft.spec.site.about)
    draft.builder.add_paragraph(
        draft.fill_random_template(load_shared_texts()["about_lines"]),
        draft.fill_random_template(load_shared_texts()["contact_lines"]),
    )
    draft.builder.add_link_list(draft.link_sampler.same_site_links(60))


def _write_background(draft: PageDraft) -> None:
    index = draft.spec.number - draft.spec.site.first_page
    draft.builder.add_heading(draft.spec.title)
    if is_links_page(draft.spec.site, index):
        draft.builder.add_paragraph(*draft.draw_sentences(2))
        draft.builder.add_link_list(
            draft.link_sampler.draw_topic_pages(draft.spec.topic, draft.rng.randint(6, 14))
        )
        return
    links = draft.link_sampler.draw_topic_pages(draft.spec.topic, draft.rng.randint(1, 4))
    if draft.draw_chance(0.1):
        links.append(draft.link_sampler.draw_dead_link(draft.filler))
    draft.builder.add_link_list(_write_prose(draft, draft.rng.randint(6, 10), links))


def _write_portal(draft: PageDraft) -> None:
    site = draft.spec.site
    draft.builder.add_heading(site.name)
    draft.builder.add_paragraph(site.about)
    draft.builder.add_link_list(draft.link_sampler.same_site_links(8))
    directories = draft.link_sampler.specs.plan.sites_by_topic["directory"][:4]
    draft.builder.add_link_list(DemoLink(site.base_url, site.name) for site in directories)


def _write_company(draft: PageDraft) -> None:
    draft.builder.add_heading(draft.spec.title)
    _write_prose(draft, draft.rng.randint(4, 7), [])
    draft.builder.add_link_list(
        link
        for link in draft.link_sampler.same_site_links(draft.spec.site.page_count)
        if draft.draw_chance(0.9)
    )
    if draft.draw_chance(0.1):
        draft.builder.add_link_list(draft.link_sampler.draw_authorities("cars", 1))


def _write_advertiser(draft: PageDraft) -> None:
    draft.builder.add_heading(draft.spec.title)
    draft.builder.add_paragraph(*draft.draw_sentences(5))
    draft.builder.add_link_list(draft.link_sampler.same_site_links(4))
    draft.builder.add_banner(draft.link_sampler.draw_banner(draft.filler))


def _write_footer(draft: PageDraft) -> None:
    """Add links to portals and banners, which are on most pages whatever their topic."""
    if draft.spec.role in ("company", "advertiser", "portal"):
        return
    for portal in draft.link_sampler.draw_portals(draft.rng.choice((0, 0, 1, 1, 2))):
        draft.builder.add_footer(portal.about.format(link=draft.builder.render_link(portal)))
    if draft.draw_chance(0.2):
        draft.builder.add_banner(draft.link_sampler.draw_banner(draft.filler))


WRITER_BY_ROLE: Mapping[PageRole, Callable[[PageDraft], None]] = {
    "authority": _write_authority,
    "hub": _write_hub,
    "content": _write_content,
    "navigation": _write_navigation,
    "portal": _write_portal,
    "company": _write_company,
    "advertiser": _write_advertiser,
    "background": _write_background,
}
