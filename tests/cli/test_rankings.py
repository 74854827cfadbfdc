"""`weft why` and `weft compare-methods`: sums that come out, and tables that agree."""

import json
from pathlib import Path

import pytest
from tests.command import in_lines, rows, run

from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.workspace.workspace import Workspace

PAGE = "jaguarmagazine.example"


@pytest.mark.parametrize("group", ["page", "site", "anchor"])
@pytest.mark.parametrize("method", ["pagerank", "hits", "indegree"])
def test_amounts_add_up_to_the_score(demo: Workspace, method: str, group: str) -> None:
    how = ("--method", method, "--group", group, "-n", 3)
    *parts, total = rows(in_lines("why", demo.folder, PAGE, *how))
    assert total["from"] == "(total)"
    assert sum(part["amount"] for part in parts) == pytest.approx(total["amount"])
    scores = demo.rank(method).to_table().to_pylist()
    [wanted] = [list(row.values())[1] for row in scores if row["page"] == f"http://{PAGE}/"]
    assert total["amount"] == pytest.approx(wanted)
    assert total["share"] == pytest.approx(1)
    assert total["pages"] == len({row["url"] for row in demo.links(PAGE, "in").to_pylist()})


def test_who_links_is_who_brings(demo: Workspace) -> None:
    linking = {row["url"] for row in demo.links(PAGE, "in").to_pylist()}
    found = rows(in_lines("why", demo.folder, PAGE, "-n", 10_000))
    assert {row["from"] for row in found if row["pages"]} - {"(total)"} == linking
    assert {"(jumps)"} <= {row["from"] for row in found}


def test_contributions_by_anchor_text(demo: Workspace) -> None:
    anchors = {row["anchor"] for row in demo.links(PAGE, "in").to_pylist()}
    found = rows(in_lines("why", demo.folder, PAGE, "--group", "anchor", "-n", 1000))
    assert {row["from"] for row in found if not row["from"].startswith("(")} == anchors


def test_hubs_are_explained_by_the_links_they_have(demo: Workspace) -> None:
    best = demo.rank("hits").to_table("hub")["page"][0].as_py()
    out = {row["url"]: row["anchor"] for row in demo.links(best, "out").to_pylist()}
    asked = ("why", demo.folder, best, "--method", "hits", "--by", "hub")
    found = rows(in_lines(*asked, "-n", 1000))
    assert {row["from"] for row in found} - {"(total)"} <= set(out)
    words = rows(in_lines(*asked, "--group", "anchor"))
    assert words[0]["from"] in set(out.values())


def test_a_query_and_options_are_read(demo: Workspace) -> None:
    base = run("why", demo.folder, PAGE, "--query", "jaguar", "--method", "hits").stderr
    assert f" of {len(demo.rank('hits', query='jaguar')):,}" in base
    bold = rows(in_lines("why", demo.folder, PAGE, "--option", "damping=0.2"))
    assert bold != rows(in_lines("why", demo.folder, PAGE))
    seeds = ["--option", f"seeds=http://{PAGE}/", "--option", "seeds=http://www.seekwell.example/"]
    chosen = rows(in_lines("why", demo.folder, PAGE, "--method", "personalised", *seeds))
    jumps = [row["amount"] for row in chosen if row["from"] == "(jumps)"]
    assert jumps == pytest.approx([0.15 / 2])
    with pytest.raises(BadParameter, match="is not an option"):
        run("why", demo.folder, PAGE, "--option", "damping")
    with pytest.raises(BadParameter, match="damping"):
        run("why", demo.folder, PAGE, "--option", "damping=often")


def test_hosts_are_explained_too_but_not_by_words(demo: Workspace) -> None:
    found = rows(in_lines("why", demo.folder, PAGE, "--level", "host"))
    assert found[-1]["from"] == "(total)"
    with pytest.raises(BadParameter, match="hosts or domains"):
        run("why", demo.folder, PAGE, "--level", "host", "--group", "anchor")


def test_what_was_not_ranked_cannot_be_explained(demo: Workspace) -> None:
    with pytest.raises(UnknownName):
        run("why", demo.folder, "http://nowhere.example/")
    with pytest.raises(WeftError, match="not among"):
        run("why", demo.folder, PAGE, "--exclude", PAGE)


def test_pairs_as_rows(demo: Workspace) -> None:
    found = rows(in_lines("compare-methods", demo.folder, "--methods", "indegree, pagerank,hits"))
    assert [(row["first"], row["second"]) for row in found] == [
        ("indegree", "pagerank"), ("indegree", "hits"), ("pagerank", "hits"),
    ]  # fmt: skip
    assert all(-1 <= row["tau_b"] <= 1 and 0 <= row["rbo"] <= 1 for row in found)


def test_everything_as_one_document(demo: Workspace) -> None:
    words = ["compare-methods", demo.folder, "--methods", "indegree,hits", "--query", "jaguar"]
    found = json.loads(run(*words, "-n", 4, "--format", "json").stdout)
    assert found["methods"] == ["indegree", "hits"]
    assert found["matrix"][0][1] == found["pairs"][0]["tau_b"]
    assert found["pairs"][0]["top"] == 4
    assert len(found["disagreements"]) == 4
    assert {"url", "title", "kind", "places"} <= found["disagreements"][0].keys()
    assert not {"stability", "judgements"} & found.keys()


def test_tables_for_people(demo: Workspace) -> None:
    words = ["compare-methods", demo.folder, "--methods", "indegree,pagerank", "--level", "host"]
    shown = run(*words, "--format", "table", "--stability", "--trials", 2)
    for title in ("Correlation of", "first 10", "Largest differences", "tenth of the links"):
        assert title in shown.stdout
    assert "eigengap" in shown.stderr


def test_stability_as_rows(demo: Workspace) -> None:
    words = ["compare-methods", demo.folder, "--methods", "indegree,hits", "--level", "host"]
    found = rows(in_lines(*words, "--stability", "--trials", 3))
    assert [(row["method"], row["trials"]) for row in found] == [("indegree", 3), ("hits", 3)]
    assert all(0 < row["tau_b_min"] <= row["tau_b_mean"] < 1 for row in found)
    assert 0 < found[0]["ratio"] < 1


def test_stability_is_that_of_the_score_and_the_places_compared(demo: Workspace) -> None:
    words = ["compare-methods", demo.folder, "--methods", "hits", "--level", "host"]
    found = [
        rows(in_lines(*words, "--stability", "--trials", 2, *more))[0]
        for more in ([], ["--by", "authority"], ["--by", "hub"], ["--top", 3])
    ]
    assert found[0] == found[1] != found[2]
    assert found[2] == demo.stability("hits", level="host", trials=2, by="hub").row
    assert found[3]["overlap_mean"] != found[0]["overlap_mean"]
    with pytest.raises(BadParameter, match="--trials needs --stability"):
        run(*words, "--trials", 2)


def test_default_methods_are_compared(demo: Workspace) -> None:
    found = rows(in_lines("compare-methods", demo.folder, "--level", "domain"))
    assert {"indegree", "pagerank", "hits"} <= {
        row[side] for row in found for side in row if side in {"first", "second"}
    }
    with pytest.raises(UnknownName):
        run("compare-methods", demo.folder, "--methods", "pagerunk")


def test_links_inside_a_domain_may_count(demo: Workspace) -> None:
    for asked in (["why", demo.folder, PAGE], ["compare-methods", demo.folder]):
        default, domain, every = (
            rows(in_lines(*asked, "--query", "jaguar", *more))
            for more in ([], ["--between", "domain"], ["--between", "page"])
        )
        assert default == domain != every


def test_known_for_prints_words(demo: Workspace) -> None:
    found = rows(in_lines("known-for", demo.folder, PAGE, "-n", 4, "-f", "jsonl"))
    scores = [row["reputation"] * row["focus"] for row in found]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)


def test_a_query_shows_the_topics_of_the_page(demo: Workspace) -> None:
    best = demo.topics("jaguar").to_table()["page"][0].as_py()
    done = in_lines("why", demo.folder, best, "--query", "jaguar", "-n", 2)
    assert f"{best}: " in done.stderr
    assert "topic 1 (" in done.stderr
    assert "): authority, place 1" in done.stderr
    assert "← " in done.stderr
    assert rows(done)[-1]["from"] == "(total)"
    first = rows(in_lines("why", demo.folder, best, "--query", "jaguar", "--group", "topic"))[0]
    assert (first["topic"], first["role"], first["place"]) == (1, "authority", 1)
    assert first["anchors"]
    assert first["linked_pages"].count(" | ") >= 1


def test_why_a_page_is_not_in_the_base_set(demo: Workspace) -> None:
    done = run("why", demo.folder, PAGE, "--query", "jaguar", "--exclude", PAGE)
    assert f"not in the base set: without {PAGE}" in done.stderr
    assert done.stdout == ""


def test_topics_need_a_query(demo: Workspace) -> None:
    with pytest.raises(BadParameter, match="needs a query"):
        run("why", demo.folder, PAGE, "--group", "topic")


RATED = """URL,Rating
jaguarmagazine.example/,7
HTTP://JaguarMagazine.example:80/#top,5
www.jaguarcars.example/,6
www.seekwell.example/,1
nowhere.example/,7
webfocus.example/,good
"""


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    (tmp_path / "ratings.csv").write_text(RATED)
    return tmp_path / "ratings.csv"


def test_methods_are_judged_by_ratings(demo: Workspace, ratings: Path) -> None:
    words = ["compare-methods", demo.folder, "--methods", "indegree,hits", "--query", "jaguar"]
    shown = run(*words, "--judgements", ratings, "-n", 2, "-f", "jsonl")
    found = rows(shown)
    assert [row["method"] for row in found] == ["indegree", "hits"]
    for row in found:
        order = demo.rank(row["method"], query="jaguar").to_table()["page"].to_pylist()
        means = {"http://jaguarmagazine.example/": 6, "http://www.jaguarcars.example/": 6}
        means["http://www.seekwell.example/"] = 1
        first = [means[page] for page in order if page in means][:2]
        assert row["precision"] == sum(rating > 4 for rating in first) / 2
        assert row["judged"] == len(means)
        assert row["judged_in_top"] == len(set(order[:2]) & set(means))
        assert row["unjudged_in_top"] == 2 - row["judged_in_top"]
    assert shown.stderr.splitlines()[1:] == [
        "Judgements of 3 pages, 2 relevant: rated above 4",
        "1 row without a number, such as 'good'",
        "1 unknown URL, such as 'nowhere.example/'",
        "1 page rated more than once: the mean counts",
    ]
    document = json.loads(run(*words, "--judgements", ratings, "-n", 2, "-f", "json").stdout)
    assert document["judgements"] == found
    table = run(*words, "--judgements", ratings, "-f", "table").stdout
    assert "Agreement of the first 10 with the ratings" in table


def test_the_bar_for_relevant_pages_is_an_option(demo: Workspace, ratings: Path) -> None:
    words = ["compare-methods", demo.folder, "--methods", "indegree", "--judgements", ratings]
    shares = [
        rows(run(*words, "--relevant", bar, "-f", "jsonl"))[0]["precision"] for bar in (7, 6, 1)
    ]
    assert shares == pytest.approx([0, 2 / 3, 1])


def test_aliases_and_hosts_are_rated_too(demo: Workspace, tmp_path: Path) -> None:
    folded = demo.collection.aliases.slice(0, 1).to_pylist()[0]
    page = demo.collection.pages["url"][folded["page"]].as_py()
    judged = demo.compare_methods("indegree", judgements={folded["url"]: 2.0}).evaluations
    assert judged is not None
    assert dict(judged.judgements.ratings) == {page: 2.0}
    (tmp_path / "hosts.csv").write_text("url,rating\nwww.seekwell.example,1\nnowhere.example,2\n")
    words = ["compare-methods", demo.folder, "--level", "host", "--methods", "indegree"]
    shown = run(*words, "--judgements", tmp_path / "hosts.csv", "-f", "jsonl")
    assert rows(shown)[0]["judged"] == 1
    assert "1 unknown URL, such as 'nowhere.example'" in shown.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--relevant", "5"], "--relevant needs --judgements"),
        (["--judgements", "nowhere.csv"], "nowhere.csv cannot be read: No such file"),
        (["--judgements", "ratings.csv", "--stability", "-f", "csv"], "cannot be combined"),
    ],
)
def test_judgements_that_cannot_be(demo: Workspace, words: list[str], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        run("compare-methods", demo.folder, *words)
