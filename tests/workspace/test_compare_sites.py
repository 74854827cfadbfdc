"""Two sites compared from end to end."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Link, Page
from weft.workspace.compare_sites import TABLE_NAMES
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
WORDS = ["anvil", "bridge", "cloud", "dune", "ember", "frost", "grove", "harbor", "iris", "jungle"]
OTHERS = ["meadow", "nectar", "orbit", "pillar", "quartz", "ridge", "saddle", "timber", "umbra"]


def site(host: str, *texts: str, links: tuple[str, ...] = ()) -> list[Page]:
    """A page for each text, with its number in the path."""
    return [
        Page(
            f"http://{host}/{k}",
            title=f"Page {k}",
            text=text,
            language="en",
            links=tuple(Link(url, "see") for url in links),
        )
        for k, text in enumerate(texts)
    ]


def rows(
    workspace: Workspace, part: str, mine: str = "a.org", theirs: str = "b.org", **asked: Any
) -> list[dict[str, Any]]:
    asked = {"min_terms": 1, **asked}
    listed: list[dict[str, Any]] = (
        workspace.compare_sites(mine, theirs, **asked).to_table(part).to_pylist()
    )
    return listed


@pytest.fixture
def gardens(keep: Keep) -> Workspace:
    """They write on ponds, of which I know nothing; we both write on roses and on soil."""
    roses = "Roses love sun. Prune roses in spring. Soil feeds roses."
    mine = site("a.org", roses, "Soil needs compost and worms, compost and rain.")
    theirs = site(
        "b.org",
        roses,
        "Ponds hold newts. Dig ponds deep for newts. Newts like old ponds. Soil lines ponds.",
        links=("http://newts.net/", "http://a.org/0"),
    )
    return keep(*mine, *theirs)


def test_terms_with_their_evidence(gardens: Workspace) -> None:
    first, second = rows(gardens, "terms")[:2]
    assert {first["term"], second["term"]} == {"ponds", "newts"}
    assert first["unexpectedness"] == 1
    assert (first["their_pages"], first["my_pages"]) == (1, 0)
    assert first["example"] == "http://b.org/1"
    assert "Ponds hold newts" in first["snippet"]
    assert "roses" not in {
        row["term"] for row in rows(gardens, "terms") if row["unexpectedness"] > 0.9
    }


def test_pages_with_their_evidence(gardens: Workspace) -> None:
    first, *rest = rows(gardens, "pages")
    assert first["page"] == "http://b.org/1"
    assert first["unexpected"].split(", ")[:2] == ["ponds", "newts"]
    assert first["nearest"].startswith("http://a.org/")
    assert 0 < first["cosine"] < 0.5
    assert first["terms"] == 8
    assert all(row["unexpectedness"] < first["unexpectedness"] for row in rest)


def test_concepts_are_terms_of_several_sentences(gardens: Workspace) -> None:
    [first] = rows(gardens, "concepts")
    assert first["concept"] == "ponds newts"
    assert (first["unexpectedness"], first["alone"]) == (1, 1)
    assert (first["their_pages"], first["my_pages"]) == (1, 0)


def test_matches_with_what_is_new_in_them(gardens: Workspace) -> None:
    first, *_ = rows(gardens, "matches")
    assert (first["mine"], first["theirs"]) == ("http://a.org/0", "http://b.org/0")
    assert first["cosine"] == pytest.approx(1)
    assert (first["path"], first["title"], first["unexpected"]) == (1, 1, "")
    assert not rows(gardens, "matches", threshold=1.0)[1:]


def test_links_and_domains(gardens: Workspace) -> None:
    [link], [domain] = rows(gardens, "links"), rows(gardens, "domains")
    assert (link["url"], link["pages"], link["anchors"]) == ("http://newts.net/", 2, "see")
    assert domain["domain"] == "newts.net"
    facts = gardens.compare_sites("a.org", "b.org").facts
    assert facts["their pages that link to mine"] == 2


def test_keywords_are_found_on_both_sites(gardens: Workspace) -> None:
    newts, roses = rows(gardens, "keywords", keywords=["newts", "roses"])
    assert (newts["page"], newts["their_pages"], newts["my_pages"]) == ("http://b.org/1", 1, 0)
    assert (roses["page"], roses["my_pages"]) == ("http://b.org/0", 1)
    assert "newts" in newts["snippet"].lower()


def test_known_words_are_expected(gardens: Workspace) -> None:
    terms = {row["term"] for row in rows(gardens, "terms", known=["newt Pond"])}
    assert not terms & {"newts", "ponds"}
    assert not rows(gardens, "concepts", known=["newts ponds"])
    assert rows(gardens, "concepts", known=["newts"])


def test_known_pages_join_mine(gardens: Workspace) -> None:
    known = ["http://b.org/1"]
    assert "newts" not in {row["term"] for row in rows(gardens, "terms", known=known)}
    assert "http://b.org/1" not in {row["page"] for row in rows(gardens, "pages", known=known)}


@pytest.mark.parametrize("known", ["http://newts.net/", "newts.net", "https://newts.net"])
def test_known_addresses_are_expected_links(gardens: Workspace, known: str) -> None:
    assert not rows(gardens, "domains", known=[known])


def test_a_host_that_nobody_has_is_a_word(gardens: Workspace) -> None:
    assert "newts" not in {row["term"] for row in rows(gardens, "terms", known=["newts.pond"])}


def test_the_other_way_round(gardens: Workspace) -> None:
    found = {row["term"] for row in rows(gardens, "terms", "b.org", "a.org")}
    assert {"compost", "worms"} <= found
    assert "ponds" not in found


def test_nothing_is_unexpected_of_oneself(gardens: Workspace) -> None:
    same = gardens.compare_sites("b.org", "b.org", min_terms=1)
    for part in ("terms", "pages", "concepts", "links", "domains"):
        assert len(same.to_table(part)) == 0, part
    assert same["my pages with a match"] == 2
    assert any("are mine too" in note for note in same.notes)


def test_all_is_unexpected_of_those_who_share_no_word(keep: Keep) -> None:
    texts = [" ".join(words) + ". " for words in (WORDS, OTHERS)]
    apart = keep(*site("a.org", texts[0] * 3), *site("b.org", texts[1] * 3))
    for part in ("terms", "concepts"):
        found = rows(apart, part)
        assert found
        assert {row["unexpectedness"] for row in found} == {1}
    [page] = rows(apart, "pages")
    assert page["unexpectedness"] == 1
    assert {row["term"] for row in rows(apart, "terms")} == set(OTHERS)


def test_a_term_that_i_say_more_often_is_less_unexpected(keep: Keep) -> None:
    found = []
    for times in (1, 3, 6):
        mine = site("a.org", "rose " * 6 + "newt " * times)
        web = keep(*mine, *site("b.org", "rose " * 6 + "newt " * 6), name=f"{times}.weft")
        found.append(
            {row["term"]: row["unexpectedness"] for row in rows(web, "terms")}.get("newt", 0)
        )
    assert found == pytest.approx([5 / 6, 3 / 6, 0])


def test_menus_do_not_lead(keep: Keep) -> None:
    menu = "Basket Checkout Imprint\n"
    theirs = [f"{menu}{' '.join(random.Random(k).sample(OTHERS, 6))}" for k in range(6)]
    web = keep(*site("a.org", " ".join(WORDS)), *site("b.org", *theirs))
    terms = [row["term"] for row in rows(web, "terms")]
    assert set(terms[:6]) <= set(OTHERS)
    assert {row["their_pages"] for row in rows(web, "terms") if row["term"] == "checkout"} == {1}


def test_their_own_name_is_expected(keep: Keep) -> None:
    web = keep(*site("a.org", "roses"), *site("www.newts.org", "Newts newts ponds"))
    found = web.compare_sites("a.org", "newts.org")
    assert found.to_table("terms")["term"].to_pylist() == ["ponds"]
    assert "their own name counts as known: newts" in found.notes


def test_short_pages_are_dropped_with_a_note(gardens: Workspace) -> None:
    found = gardens.compare_sites("a.org", "b.org")
    assert len(found.to_table("pages")) == 0
    assert "2 pages of theirs with fewer than 20 terms left out" in found.notes


def test_tables_are_cut_and_facts_are_not(gardens: Workspace) -> None:
    some = gardens.compare_sites("a.org", "b.org", top=2)
    assert len(some.to_table("terms")) == 2
    assert some["unexpected terms"] == len(rows(gardens, "terms"))


def test_without_text_links_alone_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("source,target\nann,bob\nbob,eve\neve,dan\n")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(path)
    found = workspace.compare_sites("ann", "bob", keywords=["eve"])
    assert [len(found.to_table(part)) for part in ("terms", "pages", "concepts", "matches")] == [
        0
    ] * 4
    assert found.to_table("links")["url"].to_pylist() == ["eve"]
    assert any("only links are compared" in note for note in found.notes)


def test_to_who_says_nothing_all_is_unexpected(keep: Keep) -> None:
    web = keep(*site("a.org", ""), *site("b.org", " ".join(OTHERS)))
    assert {row["unexpectedness"] for row in rows(web, "terms")} == {1}


def test_a_page_of_nothing_but_a_menu(keep: Keep) -> None:
    found = keep(*site("a.org", "", ""), *site("b.org", "", "")).compare_sites("a.org", "b.org")
    assert found["unexpected terms"] == 0


@pytest.mark.parametrize("asked", [{"top": 0}, {"threshold": 1.5}, {"min_terms": 0}])
def test_options_out_of_range_are_errors(gardens: Workspace, asked: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        gardens.compare_sites("a.org", "b.org", **asked)


def test_the_result_says_where_it_comes_from(gardens: Workspace) -> None:
    found = gardens.compare_sites("a.org", "b.org", known=["newts"])
    assert list(found.tables) == list(TABLE_NAMES)
    assert repr(found).startswith("<compare-sites: mine a.org, theirs b.org, my pages 2")
    assert found.options["known"] == ("newts",)
    assert found.provenance["snapshot"] == 1
    assert "b.org" in found._repr_html_()
    with pytest.raises(UnknownName, match="no table"):
        found.to_table("term")


def test_twice_gives_the_same(gardens: Workspace) -> None:
    one, two = (gardens.compare_sites("a.org", "b.org") for _ in range(2))
    assert [t.to_pylist() for t in one.tables.values()] == [
        t.to_pylist() for t in two.tables.values()
    ]


def test_sites_of_the_demo_web(demo: Workspace) -> None:
    """A maker of routers has what a club of drivers lacks."""
    found = demo.compare_sites("jaguardriversclub.example", "jaguarsystems.example", top=20)
    assert {"router", "platform"} & set(found.to_table("terms")["term"].to_pylist())
    [best] = found.to_table("pages").to_pylist()[:1]
    assert "jaguarsystems.example" in best["page"]
    assert best["snippet"]
