"""Pages read into terms: stems, sentences, and lines that all pages have."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from weft.gather.page import Page
from weft.run.site_texts import LONGEST_TEXT, Reader
from weft.run.workspace import Workspace
from weft.structure.sites import Said

Keep = Callable[..., Workspace]


def page(url: str, text: str, title: str = "", language: str = "en") -> Page:
    return Page(url, title=title, text=text, language=language)


def read(workspace: Workspace) -> tuple[Reader, Said]:
    numbers = np.arange(len(workspace.collection), dtype=np.int32)
    reader = Reader.of(workspace.collection, numbers)
    return reader, reader.read(numbers)


def terms(reader: Reader, said: Said, page: int) -> dict[str, int]:
    """How often a page says each term, as it is mostly written."""
    forms = reader.forms()
    both = zip(said.terms_of(page), said.times_of(page), strict=True)
    return {forms[term]: int(times) for term, times in both}


def test_terms_are_stems_without_stop_words(keep: Keep) -> None:
    reader, said = read(keep(page("http://a.org/", "The cats and the cat sat on 12 x mats.")))
    assert terms(reader, said, 0) == {"cat": 2, "sat": 1, "mats": 1}


def test_a_title_is_read_once_part_by_part(keep: Keep) -> None:
    texts = ["one lion", "two tigers", "three bears"]
    pages = [page(f"http://a.org/{k}", text, f"{text} | Zoo") for k, text in enumerate(texts)]
    reader, said = read(keep(*pages))
    assert [terms(reader, said, k).get("zoo", 0) for k in range(3)] == [1, 0, 0]
    assert terms(reader, said, 2)["bears"] == 2


def test_sentences_are_apart(keep: Keep) -> None:
    reader, said = read(keep(page("http://a.org/", "Lions roar. Tigers sleep! Bears\nwalk")))
    stems = list(reader.known)
    starts, ids = said.sentences.starts, said.sentences.ids
    words = [sorted(stems[term] for term in ids[a:b]) for a, b in pairwise(starts)]
    assert words == [["en/lion", "en/roar"], ["en/sleep", "en/tiger"], ["en/bear"], ["en/walk"]]
    assert said.page.tolist() == [0, 0, 0, 0]


def test_a_line_of_many_pages_is_read_on_the_first(keep: Keep) -> None:
    menu = "Products Support\n"
    reader, said = read(keep(*(page(f"http://a.org/{k}", f"{menu}word{k}x") for k in range(4))))
    assert [terms(reader, said, k).get("products", 0) for k in range(4)] == [1, 0, 0, 0]
    assert "word3x" in terms(reader, said, 3)


def test_a_line_of_two_pages_is_read_on_both(keep: Keep) -> None:
    reader, said = read(keep(*(page(f"http://a.org/{k}", "Same words") for k in range(2))))
    assert terms(reader, said, 0) == terms(reader, said, 1) == {"words": 1}


def test_pages_of_another_language_are_read_as_the_others(keep: Keep) -> None:
    """So that a page whose language was mistaken still says the same terms."""
    english = [page(f"http://a.org/{k}", f"dogs number{k}x") for k in range(3)]
    reader, said = read(keep(*english, page("http://b.org/", "dogs", language="la")))
    assert reader.language == "en"
    assert "dogs" in terms(reader, said, 3)


def test_stop_words_are_those_of_every_language_spoken(keep: Keep) -> None:
    pages = [page("http://a.org/", "der Hund", language="de"), page("http://b.org/", "the dog")]
    reader, said = read(keep(*pages, page("http://c.org/", "the cat")))
    assert terms(reader, said, 0) == {"hund": 1}


def test_a_very_long_page_is_cut_and_told(keep: Keep) -> None:
    reader, said = read(keep(page("http://a.org/", "lion " * (LONGEST_TEXT // 5) + "tiger")))
    assert "tiger" not in terms(reader, said, 0)
    assert reader.cut_short == 1


def test_no_page_says_nothing(keep: Keep) -> None:
    reader, _ = read(keep(page("http://a.org/", "")))
    said = reader.read(np.zeros(0, np.int32))
    assert (len(said), len(said.page), len(said.sentences.ids)) == (0, 0, 0)


def test_words_of_ones_own_become_terms(keep: Keep) -> None:
    reader, said = read(keep(page("http://a.org/", "lions")))
    assert set(said.terms_of(0)) < set(reader.terms("the LION tamer"))


@pytest.mark.parametrize("many", [2, 3])
def test_a_snippet_is_of_no_menu_if_it_can_be_helped(keep: Keep, many: int) -> None:
    menu = "Lion Cage\n"
    texts = [f"{menu}The lion roars {k}." for k in range(many)]
    reader, _ = read(keep(*(page(f"http://a.org/{k}", text) for k, text in enumerate(texts))))
    both = reader.snippets([1, 1], [{"en/lion"}, {"en/cage"}])
    assert both[0].startswith("The lion" if many == 3 else "Lion Cage")
    assert "Cage" in both[1]
