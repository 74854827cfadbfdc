"""Which responses are pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.sniff import page_kind

PAGE = b"<html><body>text"


@pytest.mark.parametrize(
    ("mime", "body", "kind"),
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
        ("image/png", PAGE, ""),
        ("application/json", PAGE, ""),
        ("text/css", PAGE, ""),
    ],
)
def test_kinds(mime: str, body: bytes, kind: str) -> None:
    assert page_kind("http://h/x", mime, body) == kind


@pytest.mark.parametrize("name", ["robots.txt", "a.js", "a.css?v=1", "feed.xml", "data.json"])
def test_text_that_is_no_prose_by_its_name(name: str) -> None:
    assert page_kind(f"http://h/{name}", "text/plain", b"some words") == ""


def test_text_with_a_name_of_its_own() -> None:
    assert page_kind("http://h/a.txt", "text/plain", b"some words") == "text"


@given(st.binary(max_size=200), st.sampled_from(["", "text/html", "text/plain", "text/xml", "x/y"]))
def test_any_bytes_have_a_kind(body: bytes, mime: str) -> None:
    kind = page_kind("http://h/", mime, body)
    assert kind in ("html", "text", "")
    assert kind != "text" or mime == "text/plain"
