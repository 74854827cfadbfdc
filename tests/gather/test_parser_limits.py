"""Pages that are cut, and pages that are not; hostile ones run in a process with a deadline."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resiliparse.parse.html import HTMLTree
from tests.gather.processes import run_script

from weft.gather import html as parser_limits
from weft.gather.html import MAX_DEPTH, MAX_TAGS, cut_costly_html

PARSE = """
import sys
from weft.gather.html import ParseOptions, parse_page
from weft.gather.page import Problems, RawPage
body = eval(sys.argv[1]).encode()
page = parse_page(RawPage("http://h/", body), ParseOptions(), Problems())
print(len(page.links), page.truncated)
"""
HOSTILE = {
    "deep": "'<a href=x>y</a>' + '<div>' * 10**6",
    "deep beside closing tags of others": "'<a href=x>y</a>' + '<div></q>' * 10**6",
    "attributes": "'<a href=x ' + ' '.join(f'a{i}=1' for i in range(10**5)) + '>y</a>'",
    "attributes with angles in them":
        "'<a href=x ' + ' '.join(f'''a{i}='>' ''' for i in range(10**5)) + '>y</a>'",
    "attributes in many tags":
        "'<a href=x>y</a>' + ('<p ' + ' '.join(f'a{i}' for i in range(5000)) + '>') * 1000",
    "attributes between slashes in many tags":
        "'<a href=x>y</a>' + ('<p ' + '/'.join(f'a{i}' for i in range(1000)) + '>') * 5000",
    "attributes of the body":
        "'<body><a href=x>y</a>' + ''.join(f'<body a{i}>' for i in range(10**6))",
    "fonts": "'<a href=x>y</a>' + ''.join(f'<p><font color={i}>' for i in range(10**6))",
    "fonts with slashes":
        "'<a href=x>y</a>' + ''.join(f'<p><font/color={i}>' for i in range(10**6))",
    "fonts that others close":
        "'<a href=x>y</a>' + ''.join(f'<p><font color={i}></b>' for i in range(10**6))",
    "fonts that comments close":
        "'<a href=x>y</a>' + ''.join(f'<p><font color={i}><!--</font>-->' for i in range(10**6))",
    "fonts closed in a cell": "'<a href=x>y</a>' + "
        "''.join(f'<font color={i}><table><td></font></table><p>' for i in range(10**5))",
    "fonts before many blocks": "'<a href=x>y</a>' + "
        "''.join(f'<font color={i}>' for i in range(399)) + '<p>x' * 10**6",
    "bold blocks": "'<a href=x>y</a>' + '<b><i><u><p>x' * 10**6",
    "list items": "'<a href=x>y</a>' + '<li>x' * 10**6",
    "breaks": "'<a href=x>y</a>' + '<br>x' * 6 * 10**6",
    "closing paragraphs": "'<a href=x>y</a>' + '</p>x' * 10**6",
}  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages_are_cut_and_keep_what_came_before(hostile: str) -> None:
    """Without the limits each of these takes minutes, or all memory."""
    assert run_script(PARSE, hostile, timeout=30) == "1 True\n"


@pytest.mark.parametrize("tag", ["<div>", "<span>", "<blockquote>", "<table><tr><td>", "<ul><li>"])
def test_nesting_to_two_thousand_is_untouched(tag: str) -> None:
    html = f"{tag}<a href=x>y</a>" * 2000
    assert cut_costly_html(html) == (html, False)


def test_nesting_is_cut_where_it_is_too_deep() -> None:
    html = "<div>" * (MAX_DEPTH + 1000)
    assert cut_costly_html(html) == ("<div>" * MAX_DEPTH, True)


def test_an_unclosed_comment_or_script_hides_the_rest() -> None:
    for start in ("<!--", "<script>", "<style>"):
        html = start + "<div>" * 100_000
        assert cut_costly_html(html) == (html, False)


def test_a_tag_keeps_its_first_attributes() -> None:
    many = " ".join(f"a{i}='v>'" for i in range(40_000))
    html, cut = cut_costly_html(f"<p>one<a href=x {many}>two</a>")
    assert cut
    assert html.startswith("<p>one<a href=x a0='v>' ")
    assert html.endswith(">two</a>")
    assert len(html) < 10_000


def test_an_embedded_image_is_no_wide_tag() -> None:
    html = f"<img src='data:image/png;base64,{'A' * 500_000}'>"
    assert cut_costly_html(html) == (html, False)


@pytest.mark.parametrize(
    "wide",
    [
        f'<div title="{"x" * 9_000}" {" ".join(f"a{i}=1" for i in range(24))}>',
        f'<img src="data:image/png;base64,{"A" * 16_000}" alt=p>',
        f"""<div data-rows='{'{"a": "b c", "d": [1, 2]}, ' * 900}'>""",
        f'<div data-html="{"<p a=b c=d>" * 1_500}">',
        f"<p title={'a=b' * 4_000} x = 'y > z'>",
        f"<p {'/' * 9_000} a>",
    ],
    ids=["long title", "image", "JSON", "HTML in an attribute", "without quotes", "slashes"],
)
def test_a_long_attribute_is_never_cut(wide: str) -> None:
    html = f"<p>one {wide}<a href=x>two</a>"
    assert cut_costly_html(html) == (html, False)


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-->",
        "<!--->",
        "<!-- --!>",
        "</>",
        "<!x <p a='>",
        "<?x <p a='>",
        "</ <p a='>",
        "<script-x>",
        "<titles>",
        "<script></scripts <p a='</script>",
        """<script a="</script x>"><p b='</script>""",
        "<script></script a='><p b=\"'>",
        "<p a=\u00a0'>",
        "<p\u00a0a='>",
    ],
)
def test_tags_are_counted_where_the_parser_finds_them(hidden: str) -> None:
    """Only what the parser takes for a comment, script or attribute value hides tags."""
    html = f"{hidden}{'<div>' * (MAX_DEPTH + 1_000)}"
    assert cut_costly_html(html)[1]
    assert len(HTMLTree.parse(html).document.query_selector_all("div")) == MAX_DEPTH + 1_000


def test_ordinary_formatting_is_untouched() -> None:
    closed = "".join(f"<p><font color={i}>x</font></p>" for i in range(10_000))
    same = "<p><font color=red>x" * 2_000
    for html in (closed, same):
        assert cut_costly_html(html) == (html, False)


@pytest.mark.parametrize(
    "inside",
    [
        ' a=b"c d=">x</font>',
        "><!--</font>-->",
        "><table><td></font></table>",
        "></b>",
        "><p title='</font>'>",
        "><span>x</span><script></font></script>",
    ],
)
def test_what_seems_to_close_formatting_is_no_excuse(inside: str) -> None:
    html = "".join(f"<p><font color={i}{inside}" for i in range(3_000))
    assert cut_costly_html(html)[1]


def test_formatting_that_closes_at_once_is_not_looked_at_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parser_limits, "TAG", None)
    texts = ("x", "", "<span>x</span>", "a <span class='pre'>x</span> b <SPAN id=1></SPAN>")
    for text in texts:
        html = "".join(f'<p><code class="c{i}" id={i}>{text}</code></p>' for i in range(3_000))
        assert cut_costly_html(html) == (html, False)


def test_many_tags_are_cut() -> None:
    html, cut = cut_costly_html("<i>x</i>" * MAX_TAGS)
    assert cut
    assert html == "<i>x</i>" * (MAX_TAGS // 2)


@given(
    st.lists(
        st.sampled_from(["<div>", "</div>", "<b x=1>", "</b>", "<a href=x>", "text", "<", "'"])
    )
)
def test_small_pages_are_never_cut(parts: list[str]) -> None:
    html = "".join(parts) * 10
    assert cut_costly_html(html) == (html, False)
