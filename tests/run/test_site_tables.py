"""Which rows come first, and which page stands for each."""

from collections.abc import Callable, Sequence

import numpy as np

from weft.core.arrays import Ids
from weft.gather.page import Page
from weft.run.site_tables import Texts
from weft.run.site_texts import Reader
from weft.run.sites import find_site
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]
NONE: Ids = np.zeros(0, np.int32)
FILLER = " ".join(f"filler{chr(97 + k)}x" for k in range(20))


def texts(keep: Keep, mine: Sequence[str], theirs: Sequence[str], known: str = "") -> Texts:
    """Two sites of a page for each text."""
    both = {"a.org": mine, "b.org": theirs}
    pages = [
        Page(f"http://{host}/{k}", text=text, language="en")
        for host, own in both.items()
        for k, text in enumerate(own)
    ]
    collection = keep(*pages).collection
    one, two = (find_site(collection, host) for host in both)
    reader = Reader.of(collection, one.fetched, two.fetched)
    own, other = reader.read(one.fetched), reader.read(two.fetched)
    return Texts(reader, one, two, own, other, reader.read(NONE), reader.terms(known), NONE)


def test_terms_as_unexpected_to_a_tenth_come_by_their_pages(keep: Keep) -> None:
    mine = ["rose " * 20 + "newt"]
    theirs = ["rose " * 20 + "newt " * 30, "newt", "frog " * 30]
    table, many = texts(keep, mine, theirs).terms(10)
    assert table["term"].to_pylist() == ["newt", "frog"]
    assert many == 2
    assert table["unexpectedness"][0].as_py() < 1


def test_the_example_is_where_a_term_is_dense_but_no_scrap(keep: Keep) -> None:
    theirs = [f"newt {FILLER} {FILLER} {FILLER}", f"newt newt {FILLER}", "newt newt"]
    table, _ = texts(keep, ["rose"], theirs).terms(50)
    [row] = [row for row in table.to_pylist() if row["term"] == "newt"]
    assert row["example"] == "http://b.org/1"
    assert row["their_pages"] == 3


def test_concepts_first_whose_terms_are_expected_alone(keep: Keep) -> None:
    """Operating systems are new to who speaks of systems and of operating, but not of both."""
    mine = ["We operate cranes. A crane is a system. " * 2]
    theirs = [
        "An operating system boots. This operating system halts. One operating system more. "
        "The newt meets a frog. That newt ate a frog. No newt is a frog."
    ]
    table, many, every = texts(keep, mine, theirs).concepts(10)
    first, second = table.to_pylist()
    assert (many, every) == (2, True)
    assert first["concept"] == "operating system"
    assert second["concept"] == "newt frog"
    assert first["unexpectedness"] == second["unexpectedness"] == 1
    assert first["alone"] < second["alone"] == 1


def test_a_concept_that_i_say_too_is_expected(keep: Keep) -> None:
    said = "A data mine. The data mine. One data mine."
    table, many, _ = texts(keep, [said], [said]).concepts(10)
    assert (len(table), many) == (0, 0)


def test_a_pair_shows_what_the_other_page_says_more(keep: Keep) -> None:
    two = texts(keep, ["rose soil"], ["rose rose soil newt"])
    assert [two.forms[term] for term in two.of_pair(0, 0)] == ["newt"]
    known = texts(keep, ["rose soil"], ["rose rose soil newt"], known="newts")
    assert known.of_pair(0, 0) == []


def test_pages_too_short_match_nothing(keep: Keep) -> None:
    two = texts(keep, ["rose", FILLER], ["rose", FILLER])
    table, many, exact = two.matches(10, 0.2)
    assert (table["mine"].to_pylist(), many, exact) == (["http://a.org/1"], 1, True)


def test_known_pages_are_not_unexpected(keep: Keep) -> None:
    two = texts(keep, ["rose"], [FILLER, FILLER.replace("x", "y")])
    assert len(two.pages(10, 20, NONE)[0]) == 2
    table, many = two.pages(10, 20, two.theirs.fetched[:1])
    assert (table["page"].to_pylist(), many) == (["http://b.org/1"], 1)
