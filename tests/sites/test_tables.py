"""Order of the rows, and the example page of each."""

from collections.abc import Callable, Sequence

import numpy as np

from weft.core.arrays import Ids
from weft.gather.page import Page
from weft.sites.site import find_site
from weft.sites.tables import SiteTextComparison
from weft.sites.texts import TermReader
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
NONE: Ids = np.zeros(0, np.int32)
FILLER = " ".join(f"filler{chr(97 + k)}x" for k in range(20))


def texts(
    keep: Keep, mine: Sequence[str], theirs: Sequence[str], known: str = ""
) -> SiteTextComparison:
    """Two sites of a page for each text."""
    both = {"a.org": mine, "b.org": theirs}
    pages = [
        Page(f"http://{host}/{k}", text=text, language="en")
        for host, own in both.items()
        for k, text in enumerate(own)
    ]
    collection = keep(*pages).collection
    one, two = (find_site(collection, host) for host in both)
    reader = TermReader.of(collection, one.captured_pages, two.captured_pages)
    own, other = reader.read_pages(one.captured_pages), reader.read_pages(two.captured_pages)
    return SiteTextComparison(
        reader, one, two, own, other, reader.read_pages(NONE), reader.terms_of_text(known), NONE
    )


def test_equally_unexpected_terms_are_ordered_by_pages(keep: Keep) -> None:
    mine = ["rose " * 20 + "newt"]
    theirs = ["rose " * 20 + "newt " * 30, "newt", "frog " * 30]
    table, many = texts(keep, mine, theirs).unexpected_terms_table(10)
    assert table["term"].to_pylist() == ["newt", "frog"]
    assert many == 2
    assert table["unexpectedness"][0].as_py() < 1


def test_the_example_is_a_page_of_some_length_with_a_frequent_term(keep: Keep) -> None:
    theirs = [f"newt {FILLER} {FILLER} {FILLER}", f"newt newt {FILLER}", "newt newt"]
    table, _ = texts(keep, ["rose"], theirs).unexpected_terms_table(50)
    [row] = [row for row in table.to_pylist() if row["term"] == "newt"]
    assert row["example"] == "http://b.org/1"
    assert row["their_pages"] == 3


def test_concepts_of_expected_terms_come_first(keep: Keep) -> None:
    """Operating systems are new to a site with systems and operating, but not with both."""
    mine = ["We operate cranes. A crane is a system. " * 2]
    theirs = [
        "An operating system boots. This operating system halts. One operating system more. "
        "The newt meets a frog. That newt ate a frog. No newt is a frog."
    ]
    table, many, every = texts(keep, mine, theirs).unexpected_concepts_table(10)
    first, second = table.to_pylist()
    assert (many, every) == (2, True)
    assert first["concept"] == "operating system"
    assert second["concept"] == "newt frog"
    assert first["unexpectedness"] == second["unexpectedness"] == 1
    assert first["alone"] < second["alone"] == 1


def test_a_concept_of_both_sites_is_expected(keep: Keep) -> None:
    text = "A data mine. The data mine. One data mine."
    table, many, _ = texts(keep, [text], [text]).unexpected_concepts_table(10)
    assert (len(table), many) == (0, 0)


def test_unexpected_terms_of_a_pair(keep: Keep) -> None:
    two = texts(keep, ["rose soil"], ["rose rose soil newt"])
    assert [two.written_forms[term] for term in two.unexpected_terms_of_pair(0, 0)] == ["newt"]
    known = texts(keep, ["rose soil"], ["rose rose soil newt"], known="newts")
    assert known.unexpected_terms_of_pair(0, 0) == []


def test_short_pages_have_no_match(keep: Keep) -> None:
    two = texts(keep, ["rose", FILLER], ["rose", FILLER])
    table, many, exact = two.matches_table(10, 0.2)
    assert (table["mine"].to_pylist(), many, exact) == (["http://a.org/1"], 1, True)


def test_known_pages_are_not_unexpected(keep: Keep) -> None:
    two = texts(keep, ["rose"], [FILLER, FILLER.replace("x", "y")])
    assert len(two.unexpected_pages_table(10, 20, NONE)[0]) == 2
    table, many = two.unexpected_pages_table(10, 20, two.theirs.captured_pages[:1])
    assert (table["page"].to_pylist(), many) == (["http://b.org/1"], 1)
