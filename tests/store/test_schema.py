"""Pages as rows, and the digest of a capture."""

from weft.gather.page import Link, Page
from weft.store.segment import (
    INCOMING_LINKS,
    INCOMING_PAGES,
    body_for_digest,
    capture_digest,
    pages_to_tables,
)

ONE = Page("http://a.com/", title="One", main=(0, 3), links=(Link("http://b.com/", "bee"),))
TWO = Page("http://b.com/", truncated=True)


def test_rows_and_their_links() -> None:
    pages, links = pages_to_tables([TWO, ONE], [7, 2**64 - 1])
    assert pages.schema == INCOMING_PAGES
    assert pages["title"].to_pylist() == ["", "One"]
    assert pages["main"].to_pylist() == [[], [0, 3]]
    assert pages["capture"].to_pylist() == [7, 2**64 - 1]
    assert links.schema == INCOMING_LINKS
    assert [(row["page"], row["anchor"]) for row in links.to_pylist()] == [(1, "bee")]


def test_no_pages_are_tables_too() -> None:
    assert [len(table) for table in pages_to_tables([], [])] == [0, 0]


def test_lone_surrogates_become_question_marks() -> None:
    page = Page("http://a.com/", title="a\ud800b", links=(Link("http://b.com/", "\udfff"),))
    pages, links = pages_to_tables([page], [1])
    assert pages["title"].to_pylist() == ["a?b"]
    assert links["anchor"].to_pylist() == ["?"]


def test_a_capture_is_its_url_time_and_bytes() -> None:
    digests = {
        capture_digest(url, time, body)
        for url in ("http://a.com/", "http://b.com/")
        for time in (0, 1, 11)
        for body in (b"", b"x", b"\n1")
    }
    assert len(digests) == 18
    assert capture_digest("http://a.com/", 1, b"x") in digests


def test_the_body_of_a_page_without_bytes_is_its_text_and_links() -> None:
    bodies = {
        body_for_digest(page) for page in (ONE, TWO, Page("", text="One"), Page("", redirect="x"))
    }
    assert len(bodies) == 4
