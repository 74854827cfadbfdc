"""HTML in every skin and href style: links lead to their targets, parts are on the page."""

import re
from urllib.parse import urljoin

import pytest

from weft.demo.content import HtmlBuilder
from weft.demo.links import DemoLink
from weft.demo.plan import DemoSite, SiteKind
from weft.demo.words import load_html_templates

HREF = re.compile('href="([^"]*)"', re.IGNORECASE)
BASE = "http://www.a.example/"
WITHIN = [BASE, f"{BASE}links.html", f"{BASE}articles/x-3.html"]
AWAY = "http://www.b.example/page.html"
every_skin = pytest.mark.parametrize("skin", range(len(load_html_templates())))


def site(style_bits: int, kind: SiteKind = "fan") -> DemoSite:
    return DemoSite(kind, "cars", "A site", BASE, 3, style_bits=style_bits)


def hrefs(builder: HtmlBuilder, *urls: str) -> list[str]:
    return [HREF.findall(builder.render_link(DemoLink(url, "words")))[0] for url in urls]


@pytest.mark.parametrize("style", range(4))
@pytest.mark.parametrize("url", WITHIN)
def test_every_href_style_leads_to_the_same_page(style: int, url: str) -> None:
    found = hrefs(HtmlBuilder(site(style << 8), url), *WITHIN, AWAY)
    resolved = [urljoin(url, href).removesuffix("index.html") for href in found]
    assert resolved == [*WITHIN, AWAY]
    assert (found[:3] == WITHIN) == (style == 0)
    assert found[3] == AWAY


def test_href_styles_differ() -> None:
    found = [hrefs(HtmlBuilder(site(style << 8), WITHIN[2]), WITHIN[1])[0] for style in range(4)]
    assert found == [WITHIN[1], "/links.html", "../links.html", "../links.html"]
    homes = [hrefs(HtmlBuilder(site(style << 8), WITHIN[1]), BASE)[0] for style in range(4)]
    assert homes == [BASE, "/", "./", "index.html"]


def test_copies_and_companies_use_absolute_urls() -> None:
    assert hrefs(HtmlBuilder(site(2 << 8), WITHIN[2], absolute_links=True), *WITHIN) == WITHIN
    assert hrefs(HtmlBuilder(site(2 << 8, "company"), WITHIN[2]), *WITHIN) == WITHIN


@every_skin
def test_every_part_is_on_the_page_once(skin: int) -> None:
    builder = HtmlBuilder(site(skin), BASE)
    builder.set_navigation([DemoLink("http://nav.example/", "nav-words")])
    builder.add_heading("heading-words")
    builder.add_subheading("part-words")
    builder.add_paragraph("one-sentence.", "two-sentence.")
    builder.add_link_list(
        [DemoLink(AWAY, "link-words", "about-words"), DemoLink(AWAY, "bare-words")]
    )
    builder.add_details_table([("label-words", "value-words")])
    builder.add_banner(DemoLink("http://paid.example/", "banner-words", rel="sponsored"))
    builder.add_footer("foot-words")
    builder.set_canonical("http://first.example/")
    html = builder.render("title-words")
    for words in (
        *("nav", "heading", "part", "link", "about", "bare", "label", "value", "banner", "foot"),
        "title",
    ):
        assert html.count(f"{words}-words") == 1, words
    assert "one-sentence. two-sentence." in html
    assert '<link rel="canonical" href="http://first.example/">' in html
    assert html.count('rel="sponsored"') == 1
    assert not re.search(r"\{\w*\}", html)
