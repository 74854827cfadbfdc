"""URLs by number as in a list, and the links into them, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Ids
from weft.crawl import url_table
from weft.crawl.crawl import Known
from weft.crawl.url_table import NumberedStrings, NumberSet, UrlTable
from weft.gather.page import Link, Page

texts = st.lists(st.text(st.characters(exclude_categories=[]), max_size=5), max_size=20)


def to_list(numbers: Ids) -> list[int]:
    return [int(number) for number in numbers]


@given(st.lists(texts, max_size=5))
def test_urls_are_numbered_as_they_come(batches: list[list[str]]) -> None:
    table, expected = UrlTable(), dict[str, int]()
    for batch in batches:
        numbers = to_list(table.add(batch))
        assert numbers == [expected.setdefault(url, len(expected)) for url in batch]
    assert list(table) == list(expected) == table[:]
    assert table[1:3] == list(expected)[1:3]
    assert table[::-2] == list(expected)[::-2]
    assert all(table.find(url) == number for url, number in expected.items())
    assert table.find("http://nowhere.example/") == -1


def test_many_urls_go_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_table, "MAX_BYTES_IN_MEMORY", 1000)
    table = UrlTable()
    urls = [f"http://a.example/{k}" for k in range(1000)]
    for start in range(0, 1000, 100):
        table.add(urls[start : start + 100])
        assert table[start // 2] == urls[start // 2]
    assert table[900:] == urls[900:]
    assert table[-1] == urls[-1]
    with pytest.raises(IndexError):
        _ = table[1000]


@given(st.lists(texts, max_size=5))
def test_new_strings_are_reported_once(batches: list[list[str]]) -> None:
    numbers, known = NumberedStrings(), set[str]()
    for batch in batches:
        _, new = numbers.add(batch)
        found = [batch[place] for place in new]
        assert found == list(dict.fromkeys(text for text in batch if text not in known))
        known.update(batch)
    assert len(numbers) == len(known)


@given(st.lists(st.tuples(st.integers(0, 5), st.lists(st.integers(0, 8), max_size=6)), max_size=8))
def test_parents_are_the_pages_that_link_to_a_url(pages: list[tuple[int, list[int]]]) -> None:
    """In the order of fetching, each once, also where a page is fetched again."""
    known, parents = Known(), dict[str, list[str]]()
    for source, targets in pages:
        page = Page(str(source), links=tuple(Link(str(target)) for target in targets))
        fetched = known.add(known.number(page.url, 0), page, 0.5, lambda _url: True)
        own = [str(target) for target in dict.fromkeys(targets) if target != source]
        assert [known.urls[target] for target in fetched.targets] == own
        assert [link.target for link in fetched.links] == own
        for url in own:
            if page.url not in parents.setdefault(url, []):
                parents[url].append(page.url)
    for number, url in enumerate(known.urls):
        found = [known.urls[parent] for parent in known.parents[number]]
        assert known.parents.count(number) == len(found)
        assert set(found) == set(parents.get(url, []))


@given(st.lists(st.lists(st.integers(0, 50), max_size=5), max_size=5))
def test_a_set_of_numbers(batches: list[list[int]]) -> None:
    numbers, expected = NumberSet(), set[int]()
    for batch in batches:
        numbers.update(batch)
        expected.update(batch)
        assert [n for n in range(60) if n in numbers] == sorted(expected)
