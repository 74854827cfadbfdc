"""The site of the documentation: formulas are whole, links lead somewhere, nothing is loaded."""

import re
from collections import Counter
from html import unescape
from pathlib import Path
from xml.dom import minidom

import build_site
import draw_gallery
import formulas
import pytest
from contents import DOCS

import weft
from weft.core.register import METHODS, method_notes
from weft.demo import DemoWeb, write_warc

LAID_OUT = {"sum", "product", "over", "of", "sqrt"}  # words that become signs and places


def blocks() -> list[list[str]]:
    """Every indented block in the formulas of the methods."""
    texts = (method_notes(m.kind, m.name).formula + "\n" for m in METHODS.values())
    return [
        block[0].strip("\n").splitlines()
        for text in texts
        for block in build_site.INDENTED.finditer("\n" + text)
    ]


def names_and_numbers(text: str) -> Counter[str]:
    letters = {sign: name for name, sign in formulas.GREEK.items()}
    whole = "".join(letters.get(char, char) for char in text)
    found = Counter(re.findall(r"[^\W\d_]+|\d+", whole))
    return Counter({word: n for word, n in found.items() if word not in LAID_OUT})


def test_nothing_of_a_formula_is_lost() -> None:
    typeset = [lines for lines in blocks() if formulas.is_formula(lines)]
    assert len(typeset) > 80
    for lines in typeset:
        made = unescape(re.sub("<[^>]*>", " ", formulas.mathml(lines)))
        assert names_and_numbers(made) == names_and_numbers("\n".join(lines))


def test_formulas_are_well_formed() -> None:
    for lines in blocks():
        minidom.parseString(formulas.mathml(lines).replace("&#160;", " "))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x = a / b", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"),
        ("x = (a + b) / 2m", "<mrow><mrow><mn>2</mn><mi>m</mi></mrow></mrow></mfrac>"),
        ("x = sum over u of y", "<munder><mo>\u2211</mo><mrow><mrow><mi>u</mi></mrow></mrow>"),
        ("x = sqrt(y)", "<msqrt>"),
        ("x = e^-y", "<msup><mrow><mi>e</mi></mrow>"),
    ],
)
def test_signs(text: str, part: str) -> None:
    made = formulas.mathml([text])
    assert part.replace("<mrow><mrow><mi>u</mi></mrow></mrow>", "<mrow><mi>u</mi></mrow>") in made


def test_a_list_of_words_is_no_formula() -> None:
    assert not formulas.is_formula(["list    the links of a relevant page go to the front"])
    assert formulas.inline("d") == "<math><mrow><mi>d</mi></mrow></math>"
    assert formulas.inline("--damping") is None
    assert formulas.inline("teleport") is None


def test_broken_links_and_loads_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here">x</a><a href="#gone">x</a><a href="b.html">x</a>'
        '<script src="https://cdn.example/x.js"></script><a href="https://example.org">x</a>'
    )
    (tmp_path / "x.css").write_text("@import url(//fonts.example/x.css)")
    assert list(build_site.problems(tmp_path)) == [
        "a.html: loads https://cdn.example/x.js",
        "a.html: nothing at #gone",
        "a.html: nothing at b.html",
        "x.css: loads from elsewhere",
    ]


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Every page of the docs is on it, and every method, with its formula typeset."""
    build_site.write_source(tmp_path / "source")
    assert build_site.build(tmp_path / "source", tmp_path / "site") == 0
    assert list(build_site.problems(tmp_path / "site")) == []
    for page in DOCS.rglob("*.md"):
        assert (tmp_path / "site" / page.relative_to(DOCS)).with_suffix(".html").exists()
    assert "<munder>" in (tmp_path / "site" / "methods" / "pagerank.html").read_text("utf-8")
    assert (tmp_path / "site" / "searchindex.js").stat().st_size > 100_000


def test_the_gallery_has_twenty_small_pictures() -> None:
    pictures = [draw_gallery.PICTURES / f"{path.stem}.svg" for path in draw_gallery.examples()]
    assert len(pictures) >= 20
    assert {path.name for path in draw_gallery.PICTURES.iterdir()} == {p.name for p in pictures}
    assert max(path.stat().st_size for path in pictures) < 150_000
    assert sum(path.stat().st_size for path in pictures) < 1_000_000
    for picture in pictures:
        minidom.parse(str(picture))


@pytest.mark.slow
def test_an_example_draws_its_picture_again(tmp_path: Path) -> None:
    """Byte for byte, on the same demo web."""
    write_warc(DemoWeb(), tmp_path / "demo.warc.gz")
    collection = weft.open(tmp_path / "demo.weft")
    collection.add(str(tmp_path / "demo.warc.gz"))
    for stem in ("01-topics", "10-bow-tie"):
        drawn = draw_gallery.draw(DOCS / "gallery" / f"{stem}.py", collection)
        assert drawn == (draw_gallery.PICTURES / f"{stem}.svg").read_text("utf-8")


def test_cards_of_one_name_have_different_titles() -> None:
    """The search of the site puts the ranking first, whose title is the word looked for."""
    pages = dict(build_site._pages())
    assert pages[Path("methods/pagerank.md")].startswith("# pagerank\n")
    assert pages[Path("methods/crawl-pagerank.md")].startswith("# crawl pagerank\n")
