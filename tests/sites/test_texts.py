"""Pages read into terms: stems, sentences, and lines that all pages have."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from weft.gather.page import Page
from weft.sites.measures import SiteTerms
from weft.sites.texts import MAX_TEXT_CHARS, TermReader
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def page(url: str, text: str, title: str = "", language: str = "en") -> Page:
    return Page(url, title=title, text=text, language=language)


def read(workspace: Workspace) -> tuple[TermReader, SiteTerms]:
    numbers = np.arange(len(workspace.collection), dtype=np.int32)
    reader = TermReader.of(workspace.collection, numbers)
    return reader, reader.read_pages(numbers)


def terms(reader: TermReader, site_terms: SiteTerms, page: int) -> dict[str, int]:
    """The term counts of a page, by the most common form of each term."""
    forms = reader.most_common_forms()
    both = zip(site_terms.terms_of_page(page), site_terms.counts_of_page(page), strict=True)
    return {forms[term]: int(times) for term, times in both}


def test_terms_are_stems_without_stop_words(keep: Keep) -> None:
    reader, site_terms = read(keep(page("http://a.org/", "The cats and the cat sat on 12 x mats.")))
    assert terms(reader, site_terms, 0) == {"cat": 2, "sat": 1, "mats": 1}


def test_a_title_is_read_once_part_by_part(keep: Keep) -> None:
    texts = ["one lion", "two tigers", "three bears"]
    pages = [page(f"http://a.org/{k}", text, f"{text} | Zoo") for k, text in enumerate(texts)]
    reader, site_terms = read(keep(*pages))
    assert [terms(reader, site_terms, k).get("zoo", 0) for k in range(3)] == [1, 0, 0]
    assert terms(reader, site_terms, 2)["bears"] == 2


def test_sentences_are_apart(keep: Keep) -> None:
    reader, site_terms = read(keep(page("http://a.org/", "Lions roar. Tigers sleep! Bears\nwalk")))
    stems = list(reader.term_ids)
    starts, ids = site_terms.sentence_terms.starts, site_terms.sentence_terms.ids
    words = [sorted(stems[term] for term in ids[a:b]) for a, b in pairwise(starts)]
    assert words == [["en/lion", "en/roar"], ["en/sleep", "en/tiger"], ["en/bear"], ["en/walk"]]
    assert site_terms.sentence_pages.tolist() == [0, 0, 0, 0]


def test_a_line_of_many_pages_is_read_on_the_first(keep: Keep) -> None:
    menu = "Products Support\n"
    reader, site_terms = read(
        keep(*(page(f"http://a.org/{k}", f"{menu}word{k}x") for k in range(4)))
    )
    assert [terms(reader, site_terms, k).get("products", 0) for k in range(4)] == [1, 0, 0, 0]
    assert "word3x" in terms(reader, site_terms, 3)


def test_a_line_of_two_pages_is_read_on_both(keep: Keep) -> None:
    reader, site_terms = read(keep(*(page(f"http://a.org/{k}", "Same words") for k in range(2))))
    assert terms(reader, site_terms, 0) == terms(reader, site_terms, 1) == {"words": 1}


def test_pages_of_another_language_are_read_as_the_others(keep: Keep) -> None:
    """So that a page whose language was mistaken still has the same terms."""
    english = [page(f"http://a.org/{k}", f"dogs number{k}x") for k in range(3)]
    reader, site_terms = read(keep(*english, page("http://b.org/", "dogs", language="la")))
    assert reader.language == "en"
    assert "dogs" in terms(reader, site_terms, 3)


def test_stop_words_of_every_language_count(keep: Keep) -> None:
    pages = [page("http://a.org/", "der Hund", language="de"), page("http://b.org/", "the dog")]
    reader, site_terms = read(keep(*pages, page("http://c.org/", "the cat")))
    assert terms(reader, site_terms, 0) == {"hund": 1}


def test_a_very_long_page_is_truncated(keep: Keep) -> None:
    reader, site_terms = read(
        keep(page("http://a.org/", "lion " * (MAX_TEXT_CHARS // 5) + "tiger"))
    )
    assert "tiger" not in terms(reader, site_terms, 0)
    assert reader.truncated_pages == 1


def test_no_pages_no_terms(keep: Keep) -> None:
    reader, _ = read(keep(page("http://a.org/", "")))
    site_terms = reader.read_pages(np.zeros(0, np.int32))
    assert (
        len(site_terms),
        len(site_terms.sentence_pages),
        len(site_terms.sentence_terms.ids),
    ) == (0, 0, 0)


def test_terms_of_any_text(keep: Keep) -> None:
    reader, site_terms = read(keep(page("http://a.org/", "lions")))
    assert set(site_terms.terms_of_page(0)) < set(reader.terms_of_text("the LION tamer"))


@pytest.mark.parametrize("many", [2, 3])
def test_snippets_avoid_menus(keep: Keep, many: int) -> None:
    menu = "Lion Cage\n"
    texts = [f"{menu}The lion roars {k}." for k in range(many)]
    reader, _ = read(keep(*(page(f"http://a.org/{k}", text) for k, text in enumerate(texts))))
    both = reader.snippets([1, 1], [{"en/lion"}, {"en/cage"}])
    assert both[0].startswith("The lion" if many == 3 else "Lion Cage")
    assert "Cage" in both[1]
