"""URLs by hand, canonical forms as fixed points, and sort keys that keep hosts together."""

from itertools import groupby

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.gather.url import (
    MAX_URL_CHARS,
    UrlPolicy,
    applied_rules,
    canonical_link_target,
    canonical_page_name,
    canonicalize_url,
    domain,
    host,
    is_normalized_url,
    parent_folder,
    resolve_url,
    site,
    sort_key,
)

pieces = st.sampled_from(
    [
        "%",
        "%2",
        "%2e",
        "%2E",
        "%2F",
        "%25",
        "%41",
        "%zz",
        "%00",
        ".",
        "..",
        "/",
        "//",
        "\\",
        ";",
        "jsessionid=",
        "phpsessid=",
        "index.html",
        "default.asp",
        "a",
        "~b",
        "é",
        " ",
        "\t",
        "?",
        "&",
        "=",
        "utm_source",
        "sid",
        "PHPSESSID",
        "#",
        "@",
        ":",
        "80",
        "|",
        "'",
        "\ue000",
        "�",
    ]
)
tails = st.lists(pieces, max_size=12).map("".join)
hosts = st.sampled_from(
    [
        "h",
        "example.com",
        "www.Example.com",
        "a.b.co.uk",
        "a-.com",
        "-a.com",
        "10.0.0.1",
        "0x7f.1",
        "[::1]",
        "münchen.de",
        "example.com:80",
        "example.com:8080",
        "u:p@example.com",
        "x.y.",
        "a..b",
    ]
)
schemes = st.sampled_from(["http", "https", "HTTP", "ftp", "file"])
urls = st.builds("{}://{}/{}".format, schemes, hosts, tails)
policies = st.builds(UrlPolicy, *[st.booleans()] * 5)
labels = st.sampled_from(["a", "b", "a-b", "example", "example-x", "com", "uk", "co", "www", "9"])
dotted = st.lists(labels, min_size=1, max_size=4).map(".".join)
pages = st.builds("{}://{}{}/{}".format, schemes, dotted, st.sampled_from(["", ":81"]), tails)


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("http://EXAMPLE.com:80", "http://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com:443/a", "http://example.com:443/a"),
        ("http://user:secret@example.com/", "http://example.com/"),
        ("http://h/a/./b/../c", "http://h/a/c"),
        ("http://h/a/%2e%2E/c", "http://h/c"),
        ("http://h/%7euser/%c3%a9", "http://h/~user/%C3%A9"),
        ("http://h/100%", "http://h/100%25"),
        ("http://h/%252e", "http://h/%252e"),
        ("http://h/a%2Fb", "http://h/a%2Fb"),
        ("http://h/a#top", "http://h/a"),
        ("http://h/a/index.HTML", "http://h/a/"),
        ("http://h/default.aspx", "http://h/"),
        ("http://h/index.html?a=1", "http://h/index.html?a=1"),
        ("http://h/index.html?utm_medium=x", "http://h/"),
        ("http://h/myindex.html", "http://h/myindex.html"),
        ("http://h/?a=1&PHPSESSID=0f&b=2&fbclid=z", "http://h/?a=1&b=2"),
        ("http://h/a;jsessionid=0F.node1?x=1", "http://h/a?x=1"),
        ("http://h/..;jsessionid=1/x", "http://h/x"),
        ("http://h/?", "http://h/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
        ("http://0177.1/", "http://127.0.0.1/"),
        ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
        ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
        ("http://ex\tam\nple.com/a\nb", "http://example.com/ab"),
        ("http:\\\\h\\a\\b", "http://h/a/b"),
        ("mailto:someone@example.com", ""),
        ("javascript:alert(1)", ""),
        ("data:text/html,<a href=x>", ""),
        ("file:///etc/passwd", ""),
        ("http://", ""),
        ("http://h:99999/", ""),
        ("http://256.256.256.256/", ""),
        ("/a/b", ""),
        ("", ""),
    ],
)
def test_canonical_form(url: str, form: str) -> None:
    assert canonicalize_url(url) == form


@given(urls, policies)
def test_canonical_form_is_a_fixed_point(url: str, policy: UrlPolicy) -> None:
    form = canonicalize_url(url, policy)
    assert canonicalize_url(form, policy) == form


@given(st.text() | st.text().map("http://h/{}".format))
def test_canonical_form_of_any_text_is_a_fixed_point(text: str) -> None:
    form = canonicalize_url(text)
    assert canonicalize_url(form) == form
    assert form == "" or host(form)


@given(urls)
def test_fewer_rules_fold_no_more(url: str) -> None:
    """A URL in the form of the weakest policy has the same canonical form."""
    plain = UrlPolicy(fragment=False, escapes=False, index=False, session=False, tracking=False)
    assert canonicalize_url(canonicalize_url(url, plain)) == canonicalize_url(url)


def test_each_rule_has_a_switch_and_is_reported() -> None:
    url = "http://h/%7ea/index.html;jsessionid=1?gclid=2#part"
    assert canonicalize_url(url) == "http://h/~a/"
    assert applied_rules(url) == ["fragment", "escapes", "index", "session", "tracking"]
    for rule, kept in {
        "fragment": "http://h/~a/#part",
        "escapes": "http://h/%7ea/",
        "index": "http://h/~a/index.html",
        "session": "http://h/~a/index.html;jsessionid=1",
        "tracking": "http://h/~a/index.html?gclid=2",
    }.items():
        assert canonicalize_url(url, UrlPolicy(**{rule: False})) == kept
        assert rule not in applied_rules(url, UrlPolicy(**{rule: False}))


@given(urls, policies)
def test_no_rule_applies_to_a_canonical_url(url: str, policy: UrlPolicy) -> None:
    assert applied_rules(canonicalize_url(url, policy), policy) == []


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("b.html", "http://h/d/b.html"),
        ("/b", "http://h/b"),
        ("//other/b", "http://other/b"),
        ("?q", "http://h/d/a.html?q"),
        ("https://x/", "https://x/"),
        ("http:b", "http://h/d/b"),
        ("javascript:void(0)", ""),
        ("JaVa\tScRiPt:void(0)", ""),
        ("data:text/html,x", ""),
        ("mailto:a@b.c", ""),
        ("tel:1", ""),
        ("file:///etc/passwd", ""),
        ("http://[::1", ""),
    ],
)
def test_references(reference: str, target: str) -> None:
    assert resolve_url("http://h/d/a.html", reference) == target


def test_relative_references_need_a_base_url() -> None:
    assert resolve_url("no base", "a") == resolve_url("mailto:x", "a") == resolve_url("", "a") == ""


@given(urls, tails)
@example("http://example.com/a/", "b.html")
@example("http://example.com/a/", "..")
@example("http://example.com/a/", "%7eb")
@example("HTTP://example.com/a/", "b")
def test_a_plain_url_is_what_the_parser_makes_of_it(url: str, tail: str) -> None:
    if is_normalized_url(url + tail):
        assert resolve_url("", url + tail) == resolve_url(url + tail, "") == url + tail


def test_plain_urls_need_no_parser() -> None:
    assert is_normalized_url("http://example.com/a/b.html")
    assert not is_normalized_url("http://example.com/a/b?c")
    assert not is_normalized_url("http://example.com")


@given(urls, tails)
def test_references_resolve_alike_from_page_and_folder(url: str, reference: str) -> None:
    """Only references that begin with ? or #, or are empty, need the page itself."""
    base = resolve_url("", url)
    if base and reference.strip() and reference.strip()[0] not in "?#":
        assert resolve_url(parent_folder(base), reference.strip()) == resolve_url(
            base, reference.strip()
        )


def test_overlong_targets_are_empty() -> None:
    folder = "http://h/"
    assert canonical_link_target(folder, "a" * (MAX_URL_CHARS - len(folder)), UrlPolicy())
    assert not canonical_link_target(folder, "a" * MAX_URL_CHARS, UrlPolicy())
    assert not canonical_link_target(folder, "a" * 1_000_000, UrlPolicy())


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("http://www.bbc.co.uk/news", ("www.bbc.co.uk", "bbc.co.uk", "bbc.co.uk")),
        ("http://co.uk/", ("co.uk", "co.uk", "co.uk")),
        ("http://10.0.0.1:81/", ("10.0.0.1", "10.0.0.1", "10.0.0.1")),
        ("http://[::1]:81/", ("[::1]", "[::1]", "[::1]")),
        ("http://localhost/x", ("localhost", "localhost", "localhost")),
        ("http://-a.tumblr.com/", ("-a.tumblr.com", "tumblr.com", "tumblr.com")),
        ("http://x.xn--fiqs8s/", ("x.xn--fiqs8s", "x.xn--fiqs8s", "x.xn--fiqs8s")),
        ("http://h.edu/~tom/a", ("h.edu", "h.edu", "h.edu/~tom")),
        ("http://h.edu/~", ("h.edu", "h.edu", "h.edu")),
        ("http://geocities.com/a/b", ("geocities.com", "geocities.com", "geocities.com/a")),
        ("http://geocities.com/", ("geocities.com", "geocities.com", "geocities.com")),
        ("Blog.Example.com/x", ("Blog.Example.com", "example.com", "example.com")),
        ("Mr. Smith", ("Mr. Smith", "Mr. Smith", "Mr. Smith")),
        ("version 1.2 of x.y", ("version 1.2 of x.y",) * 3),
        ("either/or", ("either/or", "either/or", "either/or")),
        ("", ("", "", "")),
    ],
)
def test_host_domain_and_site(page: str, names: tuple[str, str, str]) -> None:
    assert (host(page), domain(page), site(page)) == names


@given(st.text())
def test_a_page_name_is_its_text_without_white_space_around(text: str) -> None:
    assert canonical_page_name(f" {text} ") == canonical_page_name(text)
    assert canonical_page_name(canonical_page_name(text)) == canonical_page_name(text)
    if "://" not in text:
        assert canonical_page_name(text) == text.strip()


def test_names_that_are_urls_are_canonical() -> None:
    assert canonical_page_name(" http://H/index.html ") == "http://h/"
    assert canonical_page_name("\u00a0http://h/a\u00a0\n") == "http://h/a%C2%A0"
    assert canonical_page_name("HTTP://H/x") == "http://h/x"
    assert canonical_page_name("http://h:99999/") == "http://h:99999/"


@given(st.sets(pages.map(canonical_page_name) | st.text(max_size=6) | dotted, max_size=20))
def test_no_two_pages_have_the_same_key(names: set[str]) -> None:
    assert len({sort_key(page) for page in names}) == len(names)


def test_keys_differ_by_scheme_port_and_case_of_names() -> None:
    pages = ["http://a.com/", "https://a.com/", "http://a.com:81/", "a.com", "A.com", "a.com/"]
    pages += ["http://A.com:99999/", "http://a.com:99999/", "HTTP://a.com:99999/"]
    assert len({sort_key(page) for page in pages}) == len(pages)


@given(st.lists(pages.map(canonicalize_url), max_size=30))
def test_hosts_and_directories_are_runs(urls: list[str]) -> None:
    ordered = sorted(filter(None, urls), key=sort_key)
    runs = [place for place, _ in groupby(ordered, host)]
    assert len(runs) == len(set(runs))
    for url in ordered:
        directory = url.partition("://")[2].rpartition("/")[0] + "/"
        inside = [page.partition("://")[2].startswith(directory) for page in ordered]
        assert len([value for value, _ in groupby(inside) if value]) == 1


@given(st.sets(dotted, min_size=1, max_size=30))
def test_a_host_and_all_below_it_are_a_run(names: set[str]) -> None:
    ordered = sorted((f"http://{place}.com/" for place in names), key=sort_key)
    for url in ordered:
        top = host(url)
        below = [host(page) == top or host(page).endswith(f".{top}") for page in ordered]
        assert len([value for value, _ in groupby(below) if value]) == 1


@given(
    st.sampled_from(
        [
            "http://example.com/",
            "https://example.com:8080/a/b-c/~d/",
            "http://example.com:80/a/",
            "http://EXAMPLE.com/a/",
            "http://10.0.0.1/a/",
            "http://0x7f.1/a/",
            "http://example.com/a/../b/",
            "http://example.com/a%41/",
            "http://user@example.com/a/",
            "ftp://example.com/a/b/",
            "http://example.com/index.html/",
        ]
    ),
    st.lists(
        st.sampled_from(
            [
                "..",
                ".",
                "",
                "a",
                "b.c",
                "...",
                "..a",
                "index.html",
                "Default.ASP",
                "é",
                "%7e",
                "a;b",
            ]
        ),
        max_size=5,
    ).map("/".join),
)
@example("http://example.com/a/", "../../../../b/index.html")
@example("http://example.com/a/", "b\n")
def test_fast_paths_agree_with_the_parser(folder: str, reference: str) -> None:
    parsed = resolve_url(folder, reference)
    assert canonical_link_target(folder, reference, UrlPolicy()) == canonicalize_url(parsed)
    unfolded = UrlPolicy(index=False)
    assert canonical_link_target(folder, reference, unfolded) == canonicalize_url(parsed, unfolded)
