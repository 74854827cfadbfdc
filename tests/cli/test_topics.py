"""`weft topics`: to read, as rows, as one document; and the reasons when there are none."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command import in_lines, rows, run
from tests.subjects import HUBS_ONLY, TWO_SUBJECTS, WORDS

from weft.cli.output import Format
from weft.cli.topics import print_topics
from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Link, Page
from weft.graph.selection import SELECTION_WORDS
from weft.groups.evidence import evidence_schema
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
SMALL = ("--min-size", "5")


@pytest.fixture
def two(keep: Keep) -> Path:
    return keep(*TWO_SUBJECTS).folder


def test_topics_to_read(two: Path) -> None:
    shown = run("topics", two, "jaguar", "-f", "table", *SMALL)
    lines = shown.stdout.splitlines()
    heads = [line for line in lines if line.startswith("Topic ")]
    assert [head.split("  ")[:2] for head in heads] == [
        ["Topic 1", "Engine"],
        ["Topic 2", "Jungle"],
    ]
    assert all("10 pages, 7 sites" in head for head in heads)
    assert lines[0] == "Best results    1 engine links a  cars0.org/  (topic 1)"
    title, first = lines[lines.index(heads[0]) + 1 :][:2]
    assert title == "  engine links a; engine links b"
    assert "authorities   1 cars.com/0" in first
    assert '← 6 pages: "engine page 0"' in first
    [first_hub] = [line for line in lines if "hubs          1" in line][:1]
    assert "cars0.org/" in first_hub
    assert "→ 4 pages" in first_hub
    assert shown.stderr == "12 pages found, 20 pages in the base set, 48 links; topics by auto\n"


def test_how_much_is_shown(two: Path) -> None:
    shown = in_lines("topics", two, "jaguar", "--topics", 1, "--top", 2, *SMALL)
    found = rows(shown)
    assert {row["topic"] for row in found} == {1}
    assert [(row["role"], row["place"]) for row in found] == [
        ("authority", 1),
        ("authority", 2),
        ("hub", 1),
        ("hub", 2),
    ]
    assert "1 more topic (--topics)" in shown.stderr


def test_rows_in_every_format(two: Path) -> None:
    wanted = rows(in_lines("topics", two, "jaguar", *SMALL))
    assert set(wanted[0]) == set(evidence_schema("topic").names)
    text = run("topics", two, "jaguar", "-f", "csv", *SMALL).stdout
    table = list(csv.DictReader(io.StringIO(text)))
    assert [row["page"] for row in table] == [row["page"] for row in wanted]


def test_one_document(two: Path) -> None:
    document = json.loads(run("topics", two, "jaguar", "-f", "json", "-n", 3, *SMALL).stdout)
    assert (document["query"], document["method"], document["options"]["min_size"]) == (
        "jaguar",
        "auto",
        5,
    )
    assert [topic["label"] for topic in document["topics"]] == ["Engine", "Jungle"]
    first = document["topics"][0]["authorities"][0]
    assert first["links"][0]["anchors"] == ["engine page 0"]
    hub = document["topics"][0]["hubs"][0]
    assert hub["snippet"] == "jaguar engine"
    assert document["overlap"] == []
    assert document["base"]["root"] == 12


def test_a_page_of_two_topics_is_marked(keep: Keep) -> None:
    """Each singular vector has its own topics, and pages may be in several."""
    both = Page(
        "http://both.org/",
        text="jaguar",
        links=tuple(Link(f"http://{group}.com/0") for group in WORDS),
    )
    folder = keep(*TWO_SUBJECTS, both).folder
    shown = run("topics", "eigen", folder, "jaguar", "-f", "table", "-n", 20)
    assert "also in topic" in shown.stdout


@pytest.mark.parametrize("name", sorted(SELECTION_WORDS - {"query"}))
def test_every_option_of_a_base_set_is_one_of_the_command(name: str) -> None:
    shown = run("topics", "--help").output
    assert f"--{name.replace('_', '-')} " in shown


def test_options_of_the_base_set_are_read(two: Path) -> None:
    few = run("topics", two, "jaguar", "--root-size", 3, "--min-size", "2")
    assert "3 of 12 pages found" in few.stderr
    without = in_lines("topics", two, "jaguar", "--exclude", "cars.com", *SMALL)
    assert {row["label"] for row in rows(without)} == {"Jungle"}
    start = in_lines("topics", two, "--pages", "cats0.org", "--pages", "cats1.org", *SMALL)
    assert {row["label"] for row in rows(start)} == {"Jungle"}


def test_no_page_is_found(two: Path) -> None:
    done = run("topics", two, "xyzzyx")
    assert done.stdout == ""
    assert "no page matches xyzzyx (try fewer or other words)" in done.stderr


def test_groups_too_small_are_explained(two: Path) -> None:
    done = run("topics", "atd", two, "jaguar")
    assert done.stdout == ""
    assert "no topic: no group of pages is large and dense enough for atd" in done.stderr
    assert "weft methods atd" in done.stderr
    assert "\n20 pages in 2 clusters of fewer than 20\n" in done.stderr
    listed = run("-v", "topics", "atd", two, "jaguar")
    assert "\nset aside: 20 pages in 2 clusters of fewer than 20\n" in listed.stderr


def test_pages_without_links_are_explained(keep: Keep) -> None:
    done = run("topics", keep(Page("http://a.org/", text="jaguar")).folder, "jaguar")
    assert done.stdout == ""
    assert "no links between them that count (between=page" in done.stderr


def test_an_empty_collection(tmp_path: Path) -> None:
    (tmp_path / "nothing.jsonl").write_text("")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "nothing.jsonl")
    assert "there are no pages" in run("topics", workspace.folder).stderr
    document = json.loads(run("topics", workspace.folder, "-f", "json").stdout)
    assert document["topics"] == []


def test_the_whole_collection_at_another_level(demo: Workspace) -> None:
    found = rows(in_lines("topics", "hits", demo.folder, "--level", "host"))
    assert found
    assert not any(row["page"].startswith("http") for row in found)
    document = run("topics", "hits", demo.folder, "--level", "host", "-f", "json")
    assert json.loads(document.stdout)["topics"][0]["hubs"][0]["snippet"] == ""


@pytest.mark.slow
def test_what_cannot_be(two: Path) -> None:
    with pytest.raises(UnknownName) as error:
        run("topics", "atdd", two, "jaguar")
    assert "atd" in error.value.hint
    run("topics", two, "jaguar", "--option", "min_size=2", code=2)
    run("topics", two, "jaguar", "--min-size", "many", code=2)
    with pytest.raises(BadParameter, match="min_size"):
        run("topics", two, "jaguar", "--min-size", 0)
    with pytest.raises(BadParameter, match="100,000 characters"):
        run("topics", two, "j" * 100_000)
    run("topics", two, "jaguar", "--root-size", 0, code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--root-size", 3, "--steps", 2],
            "root_size and steps would change nothing without a query",
        ),
        (["--max-inlinks", 3], "max_inlinks would change nothing without a query"),
        (["--pages", "cats0.org", "--root-size", 3], "root_size would change nothing beside pages"),
        (["--level", "host", "--per-domain", 1], "per_domain would change nothing at the level"),
    ],
)
def test_options_without_effect_are_refused(two: Path, words: list[str], message: str) -> None:
    for command in ("topics", "report"):
        with pytest.raises(BadParameter, match=message) as error:
            run(command, two, *words)
        assert error.value.hint


def test_micro_hubs_are_shown(two: Path) -> None:
    words = ("topics", "dom-hits", two, *SMALL)
    lines = run(*words, "--top", 2, "-f", "table").stdout.splitlines()
    shown = [line.split(maxsplit=2) for line in lines if line.lstrip().startswith("micro-hubs")]
    assert [words[:2] for words in shown] == [["micro-hubs", "1"]]
    assert all('→ 4 links: "' in words[2] for words in shown)
    document = json.loads(run(*words, "-f", "json").stdout)
    [hub, *_] = document["topics"][0]["micro_hubs"]
    assert len(hub["targets"]) == hub["count"] == 4
    assert hub["fragment"].count("<a href=") == 4
    assert "no blocks known: each page counts as one" in "".join(lines)


def test_a_terminal_is_not_commanded(keep: Keep) -> None:
    """Titles and anchors may hold control characters."""
    pages = [
        Page(
            f"http://h{k}.org/",
            title="\x1b[31mred links",
            text="jaguar",
            links=tuple(Link(f"http://x.com/{n}", f"\x1b[2Jpage {n}") for n in range(4)),
        )
        for k in range(6)
    ]
    keeping = ("--uncaptured", "keep", "-f", "table")
    shown = run("topics", keep(*pages).folder, "jaguar", *keeping, *SMALL).stdout
    assert "page 0" in shown
    assert "\x1b[31m" not in shown
    assert "\x1b[2J" not in shown


ATD = ("topics", "atd")
ODD = {
    "none found": (
        "zzzz",
        "no page matches zzzz (try fewer or other words)\nthe pages are in en (20)",
    ),
    "another script": ("\u044f\u0433\u0443\u0430\u0440", "the pages are in en (20)"),
    "another language": ("lenguaje", "no page matches lenguaje"),
    "one page found": ("alone", "only one page is found; all others came in by links"),
    "stop words": (
        "the of and",
        "all words of the query are common ones; add a rarer one",
    ),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_queries_get_a_helpful_answer(keep: Keep, odd: str) -> None:
    query, words = ODD[odd]
    rest = [replace(page, text=f"{page.text} the and") for page in TWO_SUBJECTS[1:]]
    folder = keep(replace(TWO_SUBJECTS[0], text="jaguar alone of the"), *rest).folder
    done = run("-v", *ATD, folder, query, *SMALL)
    assert words in done.stderr
    assert ("left out" in done.stderr) == ("found, " in done.stderr), "nothing out of nothing"


def test_a_rare_word_is_not_called_common_for_what_it_means_elsewhere(keep: Keep) -> None:
    """*Jag* is a common word in Swedish; here two pages have it."""
    some = [replace(page, text=f"{page.text} jag") for page in TWO_SUBJECTS[:2]]
    swedish = Page("http://se.org/", text="och det var en bil som jag hade", language="sv")
    done = run(*ATD, keep(*some, *TWO_SUBJECTS[2:], swedish).folder, "jag", *SMALL)
    assert "3 pages found" in done.stderr
    assert "common ones" not in done.stderr


def test_the_number_of_roots_is_reported(two: Path) -> None:
    assert "5 of 12 pages found, " in run(*ATD, two, "jaguar", "--root-size", 5, *SMALL).stderr
    assert run(*ATD, two, "jaguar", *SMALL).stderr.startswith("12 pages found, ")


def test_uncaptured_pages_are_marked(keep: Keep) -> None:
    words = ("topics", keep(*HUBS_ONLY).folder, "jaguar", "--uncaptured", "keep", *SMALL)
    found = rows(in_lines(*words))
    assert {row["role"] for row in found if row["uncaptured"]} == {"authority"}
    shown = run(*words, "-f", "table")
    assert "authorities   1 ○ cars.com/0" in shown.stdout
    assert "○ cars0.org" not in shown.stdout
    assert "to fetch" not in shown.stdout
    assert "○ linked, not captured" in shown.stderr
    counts = "12 pages found, 20 pages in the base set, 8 of them linked but not captured, 48 links"
    assert counts in shown.stderr


def test_uncaptured_pages_are_listed_to_fetch(keep: Keep) -> None:
    words = ("topics", keep(*HUBS_ONLY).folder, "jaguar", "--top", 2, *SMALL)
    assert not any(row["uncaptured"] for row in rows(in_lines(*words)))
    shown = run(*words, "-f", "table")
    lines = shown.stdout.splitlines()
    at = lines.index("  to fetch      1 ○ cars.com/0")
    assert lines[at + 1 : at + 3] == ["                2 ○ cars.com/1", ""]
    assert "○ linked, not captured" in shown.stderr
    document = json.loads(run(*words, "-f", "json").stdout)
    assert [[page["url"] for page in topic["uncaptured"]] for topic in document["topics"]] == [
        [f"http://{group}.com/{n}" for n in range(4)] for group in WORDS
    ]


def test_hosts_are_called_hosts(demo: Workspace) -> None:
    shown = run("topics", demo.folder, "--level", "host", "-f", "table", "--topics", 1)
    head = shown.stdout.splitlines()[0]
    assert " hosts" in head
    assert " page" not in head
    host = next(iter(rows(in_lines("topics", demo.folder, "--level", "host"))))["page"]
    without = in_lines("-v", "topics", demo.folder, "--level", "host", "--exclude", host)
    assert f"without {host}: 1 host and " in without.stderr


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (" ", "the query is empty"),
        ("AND OR NOT", "has no words"),
        ("( )", "has no words"),
        ("NOT jaguar", "only excludes words"),
        ("jaguar " * 15_000, "105,000 characters"),
    ],
    ids=["empty", "operators", "parentheses", "exclusion", "long"],
)
def test_invalid_queries_are_errors(two: Path, query: str, words: str) -> None:
    with pytest.raises(BadParameter, match=words) as error:
        run("topics", two, query)
    assert error.value.hint


def test_all_pages_left_out(two: Path) -> None:
    words = ("topics", two, "jaguar", "--exclude", "*")
    short, long = run(*words).stderr, run("-v", *words).stderr
    excluded = "no topic: all 12 pages of the base set were excluded (exclude fewer pages)\n"
    counts = "12 pages and 0 links left out (weft -v topics says which, and why)\n"
    assert short == excluded + counts
    assert long.startswith(excluded)
    assert "\nwithout *: 12 pages left out\n" in long
    assert counts not in long


def test_fresh_topics_are_not_remembered(two: Path) -> None:
    words = (*ATD, two, "jaguar", *SMALL)
    fresh = run(*words, "--fresh").stdout
    assert not (two / "results").exists()
    assert [run(*words).stdout, run(*words).stdout] == [fresh, fresh]
    assert len(list((two / "results").iterdir())) == 2, "the base set and its topics"


def test_a_topic_knows_its_share_of_the_sites(two: Path) -> None:
    document = json.loads(run(*ATD, two, "jaguar", *SMALL, "-f", "json").stdout)
    assert [topic["sites"]["share"] for topic in document["topics"]] == [0.5, 0.5]


@pytest.mark.parametrize(("top", "topics"), [(1, 1), (2, 2), (3, 1)])
def test_keys_of_the_document(two: Path, top: int, topics: int) -> None:
    """Programs read these keys: they stay."""
    words = ("topics", two, "jaguar", "--top", top, "--topics", topics, *SMALL)
    document = json.loads(run(*words, "--format", "json").stdout)
    assert len(document["topics"]) == topics
    for topic in document["topics"]:
        assert isinstance(topic["label"], str)
        for pages in (topic["authorities"], topic["hubs"]):
            assert len(pages) == top
            assert all({"url", "title", "score"} <= set(page) for page in pages)
            assert "page" not in pages[0]
            assert all(page["url"].startswith("http://") for page in pages)
            scores = [page["score"] for page in pages]
            assert scores == sorted(scores, reverse=True)


def test_topics_list_authorities_that_are_not_among_the_best_results(two: Path) -> None:
    """The first authority may stand in both places."""
    shown = run("topics", two, "jaguar", "--top", 3, *SMALL).stdout
    above = shown.partition("Topic 1")[0]
    found = Workspace(two).topics("jaguar", min_size=5)
    for number, topic in enumerate(found, start=1):
        listed = found.listed_authorities(number, 3, 6).tolist()
        first, *others = topic.authorities(len(topic)).tolist()
        best = set(found.best_results(6).tolist())
        assert listed[0] == first
        score = dict(zip(topic.members.tolist(), topic.authority.tolist(), strict=True))
        good = [page for page in others if page not in best and score[page] >= score[first] / 2]
        assert set(good[:2]) <= set(listed)
        assert listed == sorted(listed, key=[first, *others].index)
        assert found.listed_authorities(number, 3, 0).tolist() == [first, *others][:3]
        assert found.listed_authorities(number, 3, 100).tolist() == [first, *others][:3]
    numbers = [line.rpartition("(topic ")[2] for line in above.splitlines() if line]
    assert set(numbers) <= {"1)", "2)"}


def test_each_of_the_first_results_is_listed_once(two: Path) -> None:
    """With --top 2 the first twelve: four as the best, the others below their topics."""
    shown = run("topics", two, "jaguar", "--top", 2, *SMALL).stdout
    found = Workspace(two).topics("jaguar", min_size=5)
    also_found = found.also_found(2, 4)
    assert [len(also_found[0]), set(also_found)] == [0, {0, 1, 2}]
    rest = [page for number in (1, 2) for page in also_found[number].tolist()]
    listed = [page for number in (1, 2) for page in found.listed_authorities(number, 2, 4).tolist()]
    first = found.best_results(12).tolist()
    assert len(first) == 12
    assert set(first[4:]) - set(listed) == set(rest)
    assert len(rest) == len(set(rest))
    of_first, of_second = shown.split("Topic 2")
    for number, lines in ((1, of_first), (2, of_second)):
        for url in found.base.page_names(also_found[number][:3]):
            assert url.partition("://")[2] in lines.partition("also found")[2]
    part = replace(found, groups=found.groups[:1])  # as the sub-topics of a topic
    assert not len(part.also_found(2, 4)[0])
    one = run("topics", two, "jaguar", "--top", 2, "--topics", 1, *SMALL).stdout
    assert "Other results" not in one  # those of topic 2 are not shown


def test_three_results_of_a_topic_are_also_found_and_the_others_counted(demo: Workspace) -> None:
    shown = run("topics", demo.folder, "jaguar", "--top", 5).stdout
    also_found = demo.topics("jaguar").also_found(5, 10)
    left = [len(pages) - 3 for number, pages in also_found.items() if number and len(pages) > 3]
    assert left
    counts = [line.strip() for line in shown.splitlines() if line.strip().startswith("and ")]
    assert counts == [f"and {count} more" for count in left]


def test_an_answer_that_is_a_list_has_a_line_for_each_topic(
    two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All twelve results lead, and no topic lists a page."""
    found = replace(Workspace(two).topics("jaguar", min_size=5), results_first=True)
    print_topics(found, 2, 10, Format.table)
    lines = capsys.readouterr().out.splitlines()
    assert [line[12:17].strip() for line in lines[:12]] == [str(k) for k in range(1, 13)]
    assert lines[13:15] == [
        "Topics  1 Engine (10): engine links a; engine links b",
        "        2 Jungle (10): jungle links a; jungle links b",
    ]
    document = found.to_document(2)
    assert document["results_first"]
    assert len(document["results"]) == 12
    assert document["also_found"] == []


def test_indexes_come_after_other_results(keep: Keep) -> None:
    pages = [
        Page("http://a.org/", title="Gold : Alphabetical Index : G", text="gold gold gold gold"),
        *(Page(f"http://b{k}.org/", title="Ore", text=f"gold and ore {k}") for k in range(3)),
    ]
    found = keep(*pages).topics("gold")
    assert found.base.page_names(found.best_results(4))[3] == "http://a.org/"
    assert "http://a.org/" not in found.base.page_names(found.best_results(3))


def test_topics_that_mention_the_query_get_a_line_each(keep: Keep) -> None:
    ore = "smelter furnace ingot alloy mine carat bullion assay refine vein purity crucible nugget"
    choir = "soprano tenor hymn organ psalm alto bass chorus anthem cantor motet vespers carol"
    pages = []
    for subject, words in {"ore": ore.split(), "choir": choir.split()}.items():
        for k in range(12):
            own = " ".join(words[(k + step) % len(words)] for step in range(11))
            is_about = subject == "ore"
            title = f"{'Gold' if is_about else 'The'} {subject} {words[k % 5]}"
            text = f"{own} {'gold gold gold' if is_about else 'gold'} {own} {own}"
            pages.append(
                Page(f"http://{subject}{k}.example/", title=title, text=text, language="en")
            )
    shown = run("topics", str(keep(*pages).folder), "gold").stdout
    [line] = [line for line in shown.splitlines() if line.startswith("Mentioned in passing")]
    assert "(12)" in line
    assert "choir" not in shown.partition("Topic 1")[2].partition("Mentioned")[0]
