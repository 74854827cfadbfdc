"""Whatever the manner of a site, its links lead where they should."""

import re
from urllib.parse import urljoin

import pytest

from weft.gather.demoweb.banks import skins
from weft.gather.demoweb.links import Pointer
from weft.gather.demoweb.plan import Kind, Site
from weft.gather.demoweb.sheet import Sheet

HREF = re.compile('href="([^"]*)"', re.IGNORECASE)
BASE = "http://www.a.example/"
WITHIN = [BASE, f"{BASE}links.html", f"{BASE}articles/x-3.html"]
AWAY = "http://www.b.example/page.html"
every_skin = pytest.mark.parametrize("skin", range(len(skins())))


def site(look: int, kind: Kind = "fan") -> Site:
    return Site(kind, "cars", "A site", BASE, 3, look=look)


def written(sheet: Sheet, *urls: str) -> list[str]:
    return [HREF.findall(sheet.link(Pointer(url, "words")))[0] for url in urls]


@pytest.mark.parametrize("style", range(4))
@pytest.mark.parametrize("url", WITHIN)
def test_every_manner_of_writing_leads_to_the_same_page(style: int, url: str) -> None:
    found = written(Sheet(site(style << 8), url), *WITHIN, AWAY)
    led = [urljoin(url, one).removesuffix("index.html") for one in found]
    assert led == [*WITHIN, AWAY]
    assert (found[:3] == WITHIN) == (style == 0)
    assert found[3] == AWAY


def test_the_manners_differ() -> None:
    found = [written(Sheet(site(style << 8), WITHIN[2]), WITHIN[1])[0] for style in range(4)]
    assert found == [WITHIN[1], "/links.html", "../links.html", "../links.html"]
    homes = [written(Sheet(site(style << 8), WITHIN[1]), BASE)[0] for style in range(4)]
    assert homes == [BASE, "/", "./", "index.html"]


def test_copies_and_companies_write_in_full() -> None:
    assert written(Sheet(site(2 << 8), WITHIN[2], copied=True), *WITHIN) == WITHIN
    assert written(Sheet(site(2 << 8, "company"), WITHIN[2]), *WITHIN) == WITHIN


@every_skin
def test_every_part_is_on_the_page_once(skin: int) -> None:
    sheet = Sheet(site(skin), BASE)
    sheet.navigation([Pointer("http://nav.example/", "nav-words")])
    sheet.heading("heading-words")
    sheet.subheading("part-words")
    sheet.paragraph("one-sentence.", "two-sentence.")
    sheet.listing([Pointer(AWAY, "link-words", "about-words"), Pointer(AWAY, "bare-words")])
    sheet.details([("label-words", "value-words")])
    sheet.banner(Pointer("http://paid.example/", "banner-words", rel="sponsored"))
    sheet.footer("foot-words")
    sheet.canonical("http://first.example/")
    html = sheet.html("title-words")
    for words in (
        *("nav", "heading", "part", "link", "about", "bare", "label", "value", "banner", "foot"),
        "title",
    ):
        assert html.count(f"{words}-words") == 1, words
    assert "one-sentence. two-sentence." in html
    assert '<link rel="canonical" href="http://first.example/">' in html
    assert html.count('rel="sponsored"') == 1
    assert not re.search(r"\{\w*\}", html)
