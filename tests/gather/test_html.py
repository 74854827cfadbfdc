"""HTML pages by hand, on any bytes, and hostile ones."""

import gc
import time
from html.entities import html5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.html import AMBIGUOUS_REFERENCE, ParseOptions, decode_text, parse_page
from weft.gather.page import Link, Page, Problems, RawPage

HERE = "http://h/d/p.html"
LONG = "word " * 60
fragments = st.sampled_from(
    [
        "<a href=x>",
        "</a>",
        "<a href='/y' title=t>",
        "<b>",
        "</b>",
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<img alt='a pic'>",
        "<area href=z alt=North>",
        "<iframe src=f></iframe>",
        "<table><tr><td>",
        "</td></table>",
        "<li>",
        "<pre>",
        "</pre>",
        "<script>",
        "</script>",
        "<br>",
        "one",
        " two\n",
        "&amp;",
        "&#xE000;",
        "&#57600;",
        "\ue000",
        "\ue100",
        "\ue101",
        "😀",
        "<",
        "<!--",
        "-->",
        "<title>",
        "</title>",
        "<base href=/q/>",
        "<frameset>",
        "<frame src=g>",
        "<svg>",
        "\x00",
    ]
)


def read(body: str | bytes, options: ParseOptions | None = None, **given: object) -> Page:
    raw = body.encode() if isinstance(body, str) else body
    record = RawPage(HERE, raw, **given)  # type: ignore[arg-type]
    return parse_page(record, options or ParseOptions(), Problems())


def targets(body: str) -> list[str]:
    return [link.target for link in read(body).links]


def test_a_page() -> None:
    page = read(
        "<html lang=en><title> A\n title </title><body><div><h1>Cats</h1>"
        "<p>The jaguar is a <a href='big.html#size' rel='Friend NoFollow'>large   cat</a>, they"
        " say."
    )
    assert page.title == "A title"
    assert page.text == "Cats\n\nThe jaguar is a large cat, they say."
    assert page.links == (
        Link(
            "http://h/d/big.html",
            "large cat",
            "Cats  The jaguar is a",
            ", they say.",
            "friend nofollow",
            "a",
            22,
            "body/div[1]/p[2]",
        ),
    )
    assert (page.kind, page.status, page.truncated, page.original) == ("captured", 200, False, "")


def test_words_around_a_link_are_fifty_characters() -> None:
    (link,) = read("x" * 80 + "<a href=x>y</a>" + "z" * 80).links
    assert (link.before, link.anchor, link.after) == ("x" * 50, "y", "z" * 50)


def test_an_anchor_without_text_is_the_alt_text() -> None:
    page = read("<a href=x><img alt='The  Pope'></a> <a href=y title=Home><img></a> <a href=z></a>")
    assert [link.anchor for link in page.links] == ["The Pope", "", ""]


def test_an_empty_link_has_its_title() -> None:
    assert [link.anchor for link in read("<a href=x title='Go home'></a>").links] == ["Go home"]


def test_frames_and_areas_are_links() -> None:
    page = read(
        "<map><area href=n alt=North><area href=s title=South></map><iframe src=f></iframe>"
    )
    assert [(link.target[-1], link.element, link.anchor) for link in page.links] == [
        ("n", "area", "North"),
        ("s", "area", "South"),
        ("f", "iframe", ""),
    ]
    assert targets("<frameset><frame src=a><frame src=b></frameset>") == [
        "http://h/d/a",
        "http://h/d/b",
    ]


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("<base href='/q/'>", "http://h/q/x"),
        ("<base href='q/r'>", "http://h/d/q/x"),
        ("<base href='http://other/a/b'>", "http://other/a/x"),
        ("<base href=/q/><base href=/z/>", "http://h/q/x"),
        ("<base target=_top><base href=/z/>", "http://h/z/x"),
        ("<base href='javascript:alert(1)'>", "http://h/d/x"),
        ("<base href='data:text/html,'>", "http://h/d/x"),
        ("<base href=''>", "http://h/d/x"),
        ("<base href='http://[bad'>", "http://h/d/x"),
    ],
)
def test_bases(base: str, target: str) -> None:
    assert targets(f"{base}<a href=x>y</a>") == [target]


@pytest.mark.parametrize(
    "reference",
    [
        "javascript:void(0)",
        "java\tscript:x",
        "data:text/html,x",
        "mailto:a@b",
        "#top",
        " #top",
        "",
        " ",
        "tel:1",
        "about:blank",
        "file:///etc/passwd",
        "http://[::1",
        "x" * 1000000,
    ],
)
def test_references_that_lead_to_no_page(reference: str) -> None:
    assert targets(f"<a href='{reference}'>y</a>") == []


def test_references_with_space_around_them() -> None:
    assert targets("<a href=' x '>y</a><a href='\n?q'>y</a>") == [
        "http://h/d/x",
        "http://h/d/p.html?q",
    ]


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("x\u00a0", "x%C2%A0"),
        ("\u3000x", "%E3%80%80x"),
        ("\t x\u2028\f\n", "x%E2%80%A8"),
        ("\x1fx\x85", "x%C2%85"),
        ("a\tb\nc", "abc"),
        ("x\ue000y\uf8ff", "x%EE%80%80y%EF%A3%BF"),
        ("&#xE000;&#57600;x&#xF8FF", "%EE%80%80%EE%84%80x%EF%A3%BF"),
        ("\U000f0001", "%F3%B0%80%81"),
    ],
)
def test_references_lose_nothing_but_ascii_space(reference: str, path: str) -> None:
    page = read(
        f"<base href='b/{reference}/'><link rel=canonical href='{reference}'>"
        f"<meta http-equiv=refresh content='0; url={reference}'><a href='{reference}'>y</a>"
        f"<iframe src='{reference}'></iframe>"
    )
    trimmed = targets(f"<a href='b/{reference}/'>y</a>")[0]
    assert {link.target for link in page.links} == {trimmed + path}
    assert (page.canonical, page.redirect) == (trimmed + path, trimmed + path)
    assert read("", status=301, location=reference.replace("&", "")).redirect or "&" in reference


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("?x=1&noti;", "?x=1&noti;"),
        ("?x=1&noti", "?x=1&noti"),
        ("?x&notin", "?x&notin"),
        ("?x&notin;", "?x%E2%88%89"),
        ("?x&not=1", "?x&not=1"),
        ("?x&not;1", "?x%C2%AC1"),
        ("?x&not", "?x%C2%AC"),
        ("?x&copy1", "?x&copy1"),
        ("?x&copys/2", "?x&copys/2"),
        ("?x&copy;1", "?x%C2%A91"),
        ("?x&lta/b&gtrdo;", "?x&lta/b&gtrdo;"),
        ("?x&para/&parallel;", "?x%C2%B6/%E2%88%A5"),
        ("?x&amp;noti;", "?x&noti;"),
        ("?x&ampnoti;", "?x&ampnoti;"),
        ("?x&timesb&times=2", "?x&timesb&times=2"),
        ("?x&notit;&centerdo;", "?x&notit;&centerdo;"),
    ],
)
@pytest.mark.parametrize("quote", ["'", '"', ""])
def test_names_of_characters_in_references(reference: str, target: str, quote: str) -> None:
    """By the WHATWG: without a semicolon a reference counts only if no letter follows."""
    body = f"<p title='&noti;'>a &noti; b <a href={quote}{reference}{quote}>y</a>"
    page = read(body)
    assert [link.target for link in page.links] == [f"http://h/d/p.html{target}"]
    assert page.text == "a ¬i; b y"


def test_every_name_that_begins_a_longer_one_is_known() -> None:
    bare = {name for name in html5 if not name.endswith(";")}
    begin = {name for name in bare for other in html5 if other[:-1] > name == other[: len(name)]}
    assert begin
    for name in bare:
        assert (AMBIGUOUS_REFERENCE.match(f"&{name}x") is not None) == (name in begin), name


def test_overlong_links_and_links_over_the_limit_are_reported() -> None:
    problems = Problems()
    body = "".join(f"<a href=x{i}>y</a>" for i in range(5)) + f"<a href={'z' * 5000}>y</a>"
    page = parse_page(RawPage(HERE, body.encode()), ParseOptions(max_links=9), problems)
    assert (len(page.links), page.truncated) == (5, False)
    assert problems.counts == {"links with overlong URLs": 1}
    page = parse_page(RawPage(HERE, body.encode()), ParseOptions(max_links=3), problems)
    assert (len(page.links), page.truncated) == (3, True)
    assert problems.counts["links over the limit per page"] == 3
    assert not problems.damage_count


@pytest.mark.slow
def test_a_million_links() -> None:
    page = read("<a href=x>y</a> " * 1_000_000)
    assert (len(page.links), page.truncated) == (10_000, True)


@pytest.mark.parametrize("tag", ["div", "span", "blockquote", "ul", "b", "font size=2", "center"])
def test_nesting_to_two_thousand_loses_no_link(tag: str) -> None:
    page = read("".join(f"<{tag}><a href=x{i}>y</a>" for i in range(2000)))
    assert len({link.target for link in page.links}) == 2000
    assert not page.truncated


@pytest.mark.parametrize("tags", ["<a href=x><div></a>", "<b><p><a href=x>y", "<table><a href=x>y"])
def test_malformed_tags(tags: str) -> None:
    assert set(targets(tags * 100)) == {"http://h/d/x"}


def test_block_paths_count_elements() -> None:
    body = "<body><div></div><div><ul><li>a<li><a href=x>b</a></ul></div><p><i><a href=y>c</a></i>"
    assert [link.path for link in read(body).links] == [
        "body/div[2]/ul[1]/li[2]",
        "body/p[3]/i[1]",
    ]


def test_head_declarations() -> None:
    page = read(
        "<link rel='x Canonical' href='/c/index.html'><link rel=canonical href=/later>"
        "<meta name=ROBOTS content='NoIndex,Follow'>",
        robots="noarchive",
    )
    assert page.canonical == "http://h/c/"
    assert page.robots == "noarchive, noindex,follow"


@pytest.mark.parametrize(
    ("content", "redirect"),
    [
        ("0; url=/n", "http://h/n"),
        ("0;URL='n.html'", "http://h/d/n.html"),
        ("1, http://o/", "http://o/"),
        ("00.5; url=/n", "http://h/n"),
        ("; url=/n", "http://h/n"),
        ("5; url=/n", ""),
        ("0", ""),
        ("0; url=javascript:x", ""),
        ("9" * 5000 + "; url=/n", ""),
        ("0; url=" + "x" * 1_000_000, ""),
    ],
)
def test_meta_refresh(content: str, redirect: str) -> None:
    page = read(f'<meta http-equiv=Refresh content="{content}">')
    assert (page.redirect, page.reason) == (redirect, "meta refresh" if redirect else "")


def test_redirects_and_errors() -> None:
    page = read("", status=301, location=" ../new/index.html#x ")
    assert (page.kind, page.redirect, page.reason) == ("redirect", "http://h/new/", "HTTP 301")
    assert read("", status=302, location="javascript:x").redirect == ""
    page = read("<p>Not here. <a href=x>y</a>", status=404)
    assert (page.kind, page.text, page.links) == ("error", "Not here. y", ())


def test_plain_text_is_kept_as_it_is() -> None:
    page = read(b"<a href=x>\n no markup \xc3\xa9", is_plain_text=True)
    assert (page.text, page.links) == ("<a href=x>\n no markup é", ())


def test_the_url_as_captured_is_remembered() -> None:
    page = parse_page(RawPage("http://H/index.html?utm_source=x", b""), ParseOptions(), Problems())
    assert (page.url, page.original) == ("http://h/", "http://H/index.html?utm_source=x")


@pytest.mark.parametrize(
    "forged",
    [
        "\ue000",
        "\ue100",
        "\ue101",
        "&#xE000;",
        "&#xe100",
        "&#57600;",
        "&#0057601",
        "&#X00e101;",
        "\uf8ff",
    ],
)
def test_pages_cannot_forge_the_marks_of_links(forged: str) -> None:
    page = read(
        f"<title>{forged}t</title>{forged}k<a href=x>l{forged}m</a>{forged}n<a href=y>o</a>"
    )
    assert (page.title, page.text) == ("t", "klmno")
    assert [(link.anchor, link.position) for link in page.links] == [("lm", 1), ("o", 4)]


def test_a_forged_mark_before_a_letter_that_could_be_a_digit() -> None:
    assert read("a&#57601d<a href=x>y</a>").text == "ady"
    assert read("a&#xE101d;<a href=x>y</a>").text == "a\U000e101dy"


def test_marks_forged_inside_each_other() -> None:
    page = read("&#573&#57600;44;<a href=x>&#x&#xE100;E&#5&#573&#57344;44;7600;000;y</a>")
    assert page.text.replace("\ufffd", "").endswith("y")
    assert [link.anchor[-1] for link in page.links] == ["y"]
    assert not any("\ue000" <= character <= "\uf8ff" for character in page.text)


def test_other_characters_stay() -> None:
    assert (
        read("&#57343;&#xE0;&#63744;&#xE0000;\U0001f600").text
        == "\ufffdà\uf900\U000e0000\U0001f600"
    )


def test_external_entities_are_never_loaded() -> None:
    page = read(
        "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
        "<html><body>a &x; <xi:include href='file:///etc/passwd' parse='text'/>"
    )
    assert "root:" not in page.text
    assert "&x;" in page.text


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("é".encode(), "", "é"),
        ("a" * 5000 + "é", "", "a" * 5000 + "é"),
        ("\U0001f600<br>", "", "\U0001f600<br>"),
        (b"caf\xe9 au lait", "iso-8859-1", "café au lait"),
        (b"caf\xe9 au lait", "utf-8", "café au lait"),
        ("é".encode() * 50 + b"\xff", "utf-8", "é" * 50 + "\ufffd"),
        ("é".encode() * 50 + b"\xc3", "", "é" * 50 + "\ufffd"),
        (b"\x93quoted\x94", "latin1", "“quoted”"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("日本".encode("euc-jp"), "x-euc-jp", "日本"),
        ("привет".encode("koi8-r"), "koi8-r", "привет"),
        ("<p>é".encode("utf-16"), "", "<p>é"),
        ("\ufeff<p>é".encode("utf-16-be"), "latin1", "<p>é"),
        ("<p>hi".encode("utf-16-le"), "", "<p>hi"),
        ("<p>hi".encode("utf-16-be"), "", "<p>hi"),
        ("<p>é".encode("utf-16-le"), "utf-16", "<p>é"),
        (b"\xef\xbb\xbf\xc3\xa9", "latin1", "é"),
        (b"<meta charset=utf-16>\xc3\xa9", "", "<meta charset=utf-16>é"),
        (b"<meta charset=koi8-r>\xc1", "", "<meta charset=koi8-r>\N{CYRILLIC SMALL LETTER A}"),
        (b"<meta charset=bogus>\xc3\xa9", "", "<meta charset=bogus>é"),
        (b"\xff\xfe", "", ""),
        (b"a\0b", "", "ab"),
        (b"x", "", "x"),
        (b"", "", ""),
    ],
)  # fmt: skip
def test_decoding(body: str | bytes, charset: str, text: str) -> None:
    raw = body.encode() if isinstance(body, str) else body
    assert decode_text(RawPage(HERE, raw, charset=charset)) == text


KOI8, CYRILLIC_A = b"<meta charset=koi8-r>", "\N{CYRILLIC SMALL LETTER A}"


@pytest.mark.parametrize(
    ("head", "letter"),
    [
        (b"<meta charset=bogus>" + KOI8, CYRILLIC_A),
        (b"<meta http-equiv=content-type content='text/html; charset=bogus'>" + KOI8, CYRILLIC_A),
        (b"<meta http-equiv=Content-Type content='text/html; Charset = \"koi8-r\"'>", CYRILLIC_A),
        (b"<META content=\"text/html;charset='KOI8-R'\" HTTP-EQUIV=content-type>", CYRILLIC_A),
        (b"<meta charset=koi8-r charset=bogus>", CYRILLIC_A),
        (b"<meta/charset='koi8-r'/>", CYRILLIC_A),
        (b"<meta charset><meta charset=''>" + KOI8, CYRILLIC_A),
        (b"<meta charset=bogus content='charset=koi8-r' http-equiv=content-type>", "Á"),
        (b"<meta content='text/html; charset=koi8-r'>", "Á"),
        (b"<!-- <meta charset=koi8-r> -->", "Á"),
        (b"<p title='<meta charset=koi8-r>'>", "Á"),
        (b"<!-->" + KOI8, CYRILLIC_A),
        (b"<metas charset=koi8-r>", "Á"),
        (KOI8 + b"<meta charset=windows-1251>", CYRILLIC_A),
    ],
)
def test_the_first_known_charset_that_a_page_declares_counts(head: bytes, letter: str) -> None:
    assert decode_text(RawPage(HERE, head + b"<p>\xc1"))[-1] == letter


@pytest.mark.parametrize(
    "charset",
    ["zlib", "utf-7", "rot13", "idna", "punycode", "unicode_escape", "hex", "\ud800", "x\0"],
)
def test_python_codecs_are_not_charsets(charset: str) -> None:
    body = b"+ADw-script+AD4- \\u0041 xn--a"
    assert decode_text(RawPage(HERE, body, charset=charset)) == body.decode()
    page = read(b"<meta charset='" + charset.encode("utf-8", "replace") + b"'>" + body)
    assert page.text == body.decode()


@given(st.binary(), st.sampled_from(["", "utf-8", "utf-16", "latin1", "gbk", "big5", "nonsense"]))
def test_any_bytes_are_decoded(body: bytes, charset: str) -> None:
    text = decode_text(RawPage(HERE, body, charset=charset))
    assert "\0" not in text
    text.encode()


@given(st.binary() | st.lists(fragments, max_size=40).map(lambda parts: "".join(parts).encode()))
def test_any_bytes_are_a_page(body: bytes) -> None:
    page = read(body)
    flat = page.text.replace("\n", " ")
    for link in page.links:
        assert link.target.startswith("http://")
        if link.element == "a" and link.position >= 0 and link.anchor != "t":
            assert flat[link.position :].lstrip().startswith(link.anchor)
        assert -1 <= link.position <= len(page.text)
    assert not any("\ue000" <= character <= "\uf8ff" for character in page.text + page.title)
    assert [link.position for link in page.links] == sorted(link.position for link in page.links)
    assert list(page.main) == sorted(page.main)
    assert all(0 <= at <= len(page.text) for at in page.main)


@given(
    st.lists(
        st.sampled_from(["one", "two", "\ue100", "&#xE101;", "&#57344;", "<b>x</b>"]), max_size=8
    )
)
def test_every_link_keeps_its_anchor(words: list[str]) -> None:
    """Whatever private-use characters the page has, each anchor is the text of its link."""
    page = read("".join(f"{word} <a href={k}>link {k}{word}</a> " for k, word in enumerate(words)))
    clean = [{"<b>x</b>": "x"}.get(word, word if word.isascii() else "") for word in words]
    clean = ["" if word.startswith("&") else word for word in clean]
    assert [(link.target, link.anchor) for link in page.links] == [
        (f"http://h/d/{k}", f"link {k}{word}") for k, word in enumerate(clean)
    ]


PARTS = [
    "<a href={0}>n{0}</a> ",
    "<a href={0}><b>n{0}</b></a>",
    "<map><area href={0} alt=n{0}></map> ",
    "<iframe src={0} title=n{0}></iframe> ",
    "<p><iframe src={0} title=n{0}></iframe>",
    "<link href={0} rel=stylesheet>",
    "<a href={0}>n{0}<iframe src={0}-inner title=n{0}-inner></iframe></a> ",
    "<table><tr><td><a href={0}>n{0}</a></td></tr></table>",
    "<noscript><a href={0}>unseen</a></noscript>",
    "<base target=x><meta name=n content=x>",
    "<p>words ",
]


@given(st.lists(st.sampled_from(PARTS), max_size=30))
def test_links_of_all_elements_keep_anchor_position_and_order(parts: list[str]) -> None:
    page = read("<p>start " + "".join(part.format(k) for k, part in enumerate(parts)))
    seen = [link for link in page.links if link.position >= 0]
    ends = [link.target.rpartition("/")[2] for link in seen]
    assert [link.anchor for link in seen if "-inner" not in link.target] == [
        f"n{end}" for end in ends if "-inner" not in end
    ]
    numbers = [int(end.partition("-")[0]) for end in ends]
    assert numbers == sorted(numbers)
    for link in seen:
        if link.element == "a":
            assert page.text.startswith(link.anchor, link.position)
    shown = [k for k, part in enumerate(parts) if "n{0}" in part]
    assert sorted(set(numbers)) == shown


def test_links_after_frames_and_areas_keep_their_anchors() -> None:
    body = (
        "<a href=1>one</a> <iframe src=2 title=two></iframe> <a href=3>three</a>"
        "<map><area href=4 alt=four></map><p><a href=5>five</a> <iframe src=6></iframe>end"
    )
    page = read(body)
    assert page.text == "one  three four\n\nfive end"
    assert [(link.target[-1], link.anchor, link.position) for link in page.links] == [
        ("1", "one", 0),
        ("2", "two", 4),
        ("3", "three", 5),
        ("4", "four", 11),
        ("5", "five", 17),
        ("6", "", 22),
    ]


def test_frames_of_a_frameset_and_links_for_those_without() -> None:
    page = read("<frameset><frame src=1><frame src=2><noframes><a href=3>x</a></noframes>")
    assert [link.target[-1] for link in page.links] == ["1", "2"]


def test_an_element_with_two_addresses_is_one_link() -> None:
    assert targets("<a href=x src=y>z</a><iframe src=f href=g></iframe>") == [
        "http://h/d/x",
        "http://h/d/f",
    ]


def test_links_beyond_many_that_leave_no_text() -> None:
    hidden = "".join(f"<a href=h{k}>x</a>" for k in range(7000))
    page = read(f"<p><noscript>{hidden}</noscript><a href=1>one</a> <a href=2>two</a>")
    seen = [(link.target[-1], link.anchor) for link in page.links if link.position >= 0]
    assert seen == [("1", "one"), ("2", "two")]


@pytest.mark.slow
def test_more_links_than_there_are_marks() -> None:
    page = read("".join(f"<a href={k}>n{k}</a> " for k in range(9000)))
    assert all(link.anchor == f"n{link.target.rpartition('/')[2]}" for link in page.links)
    assert len(page.links) == 9000


def test_main_content_and_language_are_options() -> None:
    body = f"<p>{'The cat sat on the mat and looked at the dog. ' * 9}"
    page = read(body)
    assert page.main == (0, len(page.text))
    assert page.language == "en"
    page = read(body, ParseOptions(main_content=False, detect_language=False))
    assert (page.main, page.language) == ((), "")


UNITS = [
    *"<>&\"' =/\n\t\0a\ue000\u00a0日",
    "</",
    "<!--",
    "<!-",
    "<!-->",
    "<meta ",
    "<meta charset=",
    "<meta charset=x>",
    "<meta http-equiv=refresh content='0 ",
    "<base ",
    "<base href",
    "<base href=x>",
    "<link rel=canonical href=x>",
    "<title>",
    "<title",
    "<script>",
    "<script",
    "<html lang=x>",
    "<td",
    "<td>",
    "<a href=",
    "<a href='",
    "<a href=x>",
    "<a href=x>y</a>",
    "<area href=x>",
    "<iframe src=x>",
    "<iframe src=x></iframe>",
    "<svg><a xlink:href=x>",
    "<select><option>",
    "<b x=1>",
    "<b><p>",
    "<p a='",
    "a=1 ",
    "&not",
    "&noti;",
    "<a href=?&noti;>",
    "&#",
    "&#0",
    "&#xE000;",
    "word ",
    "word\n\n",
    "charset=",
    "\n \n",
]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("before", ["", "<p>\ue000&noti;<meta charset=x "])
def test_the_time_of_a_page_is_linear(before: str, unit: str) -> None:
    """Sixteen times the page may take 60 times as long; quadratic time would be 256 times."""
    short, long = (_cost(before + unit * (n // len(unit))) for n in (20_000, 320_000))
    assert long < 60 * max(short, 0.02)


def _cost(body: str) -> float:
    gc.disable()
    try:
        start = time.process_time()
        read(body)
        return time.process_time() - start
    finally:
        gc.enable()
