"""Pages as rows, and what makes two captures the same."""

from weft.gather.page import Link, Page
from weft.store.schema import INCOMING_LINKS, INCOMING_PAGES, capture_digest, page_body, tables

ONE = Page("http://a.com/", title="One", main=(0, 3), links=(Link("http://b.com/", "bee"),))
TWO = Page("http://b.com/", truncated=True)


def test_rows_and_their_links() -> None:
    pages, links = tables([TWO, ONE], [7, 2**64 - 1])
    assert pages.schema == INCOMING_PAGES
    assert pages["title"].to_pylist() == ["", "One"]
    assert pages["main"].to_pylist() == [[], [0, 3]]
    assert pages["capture"].to_pylist() == [7, 2**64 - 1]
    assert links.schema == INCOMING_LINKS
    assert [(row["page"], row["anchor"]) for row in links.to_pylist()] == [(1, "bee")]


def test_no_pages_are_tables_too() -> None:
    assert [len(table) for table in tables([], [])] == [0, 0]


def test_lone_surrogates_become_question_marks() -> None:
    page = Page("http://a.com/", title="a\ud800b", links=(Link("http://b.com/", "\udfff"),))
    pages, links = tables([page], [1])
    assert pages["title"].to_pylist() == ["a?b"]
    assert links["anchor"].to_pylist() == ["?"]


def test_a_capture_is_its_url_moment_and_bytes() -> None:
    digests = {
        capture_digest(url, time, body)
        for url in ("http://a.com/", "http://b.com/")
        for time in (0, 1, 11)
        for body in (b"", b"x", b"\n1")
    }
    assert len(digests) == 18
    assert capture_digest("http://a.com/", 1, b"x") in digests


def test_the_body_of_a_page_without_bytes_is_all_it_says() -> None:
    bodies = {page_body(page) for page in (ONE, TWO, Page("", text="One"), Page("", redirect="x"))}
    assert len(bodies) == 4
