"""Which responses are pages, by media type and content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.http import sniff_page_type

PAGE = b"<html><body>text"


@pytest.mark.parametrize(
    ("mime", "body", "page_type"),
    [
        ("text/html", PAGE, "html"),
        ("text/html", b"words without a tag", "html"),
        ("text/html", b"", "html"),
        ("text/html", b"%PDF-1.4", ""),
        ("text/html", b"\x89PNG\r\n", ""),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html/>", "html"),
        ("", PAGE, "html"),
        ("", b"\xef\xbb\xbf \n<!DOCTYPE HTML><p>x", "html"),
        ("", b"plain words", ""),
        ("", b"", ""),
        ("application/octet-stream", PAGE, "html"),
        ("application/octet-stream", b"MZ\x90\0", ""),
        ("text/xml", b"<?xml version='1.0'?><rss><title>x", ""),
        ("text/xml", b"<?xml version='1.0'?><HTML><p>x", "html"),
        ("text/plain", b"words of prose", "text"),
        ("text/plain", b"<title>A page</title>", "html"),
        ("text/plain", b"bin\0ary", ""),
        ("text/plain", bytes(range(1, 32)), ""),
        ("text/plain", b"GIF89a", ""),
        ("text/plain", b"", ""),
        ("application/pdf", PAGE, "html"),
        ("application/pdf", b"<!doctype html><p>Please log in", "html"),
        ("application/pdf", b"%PDF-1.4 <html>", ""),
        ("application/pdf", b"<p>x", ""),
        ("image/png", PAGE, ""),
        ("application/json", PAGE, ""),
        ("text/css", PAGE, ""),
    ],
)
def test_page_type_by_media_type_and_content(mime: str, body: bytes, page_type: str) -> None:
    assert sniff_page_type("http://h/x", mime, body) == page_type


@pytest.mark.parametrize("name", ["robots.txt", "a.js", "a.css?v=1", "feed.xml", "data.json"])
def test_plain_text_that_is_not_a_page_by_its_name(name: str) -> None:
    assert sniff_page_type(f"http://h/{name}", "text/plain", b"some words") == ""


def test_plain_text_with_the_name_of_a_page() -> None:
    assert sniff_page_type("http://h/a.txt", "text/plain", b"some words") == "text"


@given(st.binary(max_size=200), st.sampled_from(["", "text/html", "text/plain", "text/xml", "x/y"]))
def test_any_bytes_have_a_page_type(body: bytes, mime: str) -> None:
    page_type = sniff_page_type("http://h/", mime, body)
    assert page_type in ("html", "text", "")
    assert page_type != "text" or mime == "text/plain"
