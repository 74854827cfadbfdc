"""`weft rank`: every method a command, its table, and its notes."""

import csv
import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.command import in_lines, rows, run
from typer.testing import CliRunner, Result

from weft.cli import app
from weft.cli.rank import describe_convergence, print_ranking_notes
from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.core.register import METHODS, Method
from weft.engine import Trace
from weft.gather.page import Link, Page
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.selection import Selection
from weft.graph.transitions import Transitions
from weft.rank import Certainty, Ranking, clever
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
RANKS = [method for method in METHODS.values() if method.kind == "rank"]


@pytest.mark.parametrize(
    "method", [m for m in RANKS if m.input_type is not Transitions], ids=lambda m: m.name
)
def test_every_method_is_a_command(method: Method, demo: Workspace) -> None:
    few = ["--samples", 200] if "samples" in method.options else []
    found = rows(in_lines("rank", method.name, demo.folder, "--level", "host", "--top", 2, *few))
    assert len(found) == 2
    assert {"page"} < set(found[0])


def test_pagerank_when_no_method_is_named(demo: Workspace) -> None:
    named = run("rank", "pagerank", demo.folder, "-n", 3)
    assert run("rank", demo.folder, "-n", 3).stdout == named.stdout
    assert run("rank", "--top", 3, demo.folder).stdout == named.stdout
    assert "by pagerank" in run("rank", demo.folder).stderr


def test_topics_of_the_collection_are_named(demo: Workspace) -> None:
    notes = run("rank", "topic-pagerank", demo.folder, "--query", "jaguar").stderr
    used = demo.rank("topic-pagerank", query="jaguar").details["topics"]
    assert "topics of the collection: " in notes
    assert any(f"{name} (" in notes for name in used)


def test_many_topics_are_cut_short(capsys: pytest.CaptureFixture[str]) -> None:
    weights = {f"t{k}": k / 21 for k in range(1, 7)}
    details = {"weights": weights, "topics": dict.fromkeys(weights, 3)}
    trace, scores = Trace(1, 0.0, converged=True), {"score": np.ones(1)}
    print_ranking_notes(Ranking("t", ["a"], scores, trace, details=details, options={"topics": []}))
    assert "collection: t6 (29%), t5 (24%), t4 (19%), t3 (14%), t2 (10%), 1 more" in (
        capsys.readouterr().err.replace("\n", " ")
    )


def test_help_lists_the_methods() -> None:
    for words in (["rank"], ["rank", "--help"]):
        shown = CliRunner().invoke(app, words).output
        assert all(method.name in shown for method in RANKS)


def test_a_method_that_is_not_there(demo: Workspace) -> None:
    with pytest.raises(UnknownName) as error:
        run("rank", "xyzzy", demo.folder)
    assert "pagerank" in error.value.hint


@pytest.mark.parametrize("level", ["page", "host", "domain"])
def test_levels(level: str, demo: Workspace) -> None:
    first = rows(in_lines("rank", demo.folder, "--level", level, "-n", 1))[0]["page"]
    assert first.startswith("http") == (level == "page")


def test_a_query_ranks_its_base_set_alone(demo: Workspace) -> None:
    base = rows(in_lines("rank", "hits", demo.folder, "--query", "jaguar AND atari", "-n", 5000))
    everything = rows(in_lines("rank", "hits", demo.folder, "-n", 5000))
    assert 0 < len(base) < len(everything)
    nothing = run("rank", "hits", demo.folder, "--query", "xyzzyx")
    assert nothing.stdout == ""
    assert "no page matches xyzzyx" in nothing.stderr
    with pytest.raises(BadParameter, match="finds pages"):
        run("rank", demo.folder, "--query", "jaguar", "--level", "host")


def test_pages_of_one_host_are_ranked_by_their_own_links(keep: Keep) -> None:
    """No link leads to another domain: those inside count, unless other links are asked for."""
    pages = {"": "a jaguar", "/lynx": "a lynx", "/puma": "a puma"}
    links = tuple(Link(f"http://wiki.com{path}") for path in pages)
    folder = keep(
        *(Page(f"http://wiki.com{path}", text=text, links=links) for path, text in pages.items())
    ).folder
    asked = "rank", "hits", folder, "--query", "jaguar"
    done = in_lines(*asked)
    assert [row["authority"] for row in rows(done)] == pytest.approx([3**-0.5] * 3)
    assert "few links lead to another domain or host: nothing left out" in done.stderr
    strict = in_lines(*asked, "--between", "domain")
    assert not any(row["authority"] for row in rows(strict))
    assert "same domain: 6 links left out" in strict.stderr


def test_between_other_links_are_chosen(demo: Workspace) -> None:
    asked = "rank", "hits", demo.folder, "--query", "jaguar", "-n", 20
    default, domain, every = (run(*asked, *more).stdout for more in (
        [], ["--between", "domain"], ["--between", "page"],
    ))  # fmt: skip
    assert default == domain != every
    assert "same domain: " in run(*asked).stderr


def pages(words: Result) -> set[str]:
    return {row["page"] for row in rows(words)}


def test_a_base_set_grows_as_asked(demo: Workspace) -> None:
    """Two steps reach what one does and more; selective growth reaches less."""
    asked = "rank", "hits", demo.folder, "--query", "jaguar", "--root-size", 5, "-n", 5000
    one, two, few = (
        pages(in_lines(*asked, *more)) for more in ([], ["--steps", 2], ["--selective", 2])
    )
    assert few < one < two
    given = in_lines("rank", "hits", demo.folder, "--pages", min(one), "--steps", 0, "-n", 5000)
    assert pages(given) == {min(one)}


def test_two_step_expansion_for_arc(demo: Workspace) -> None:
    """The command ranks the base set that `expand` makes, with no cap on the pages of a domain."""
    base = build_query_base_set(
        demo.collection, "jaguar", root_size=5, steps=2, max_inlinks=10, per_domain=0
    )
    wanted = {row["page"]: row["authority"] for row in clever(base).to_table().to_pylist()}
    grown = ["--root-size", 5, "--steps", 2, "--max-inlinks", 10]
    shown = rows(in_lines("rank", "clever", demo.folder, "--query", "jaguar", *grown, "-n", 5000))
    assert {row["page"]: row["authority"] for row in shown} == pytest.approx(wanted)
    options = Selection(root_size=5, steps=2, max_inlinks=10)
    made = demo.rank("clever", options, query="jaguar")
    assert made.to_table().to_pylist() == shown
    assert made.provenance["selection"]["per_domain"] == 0


@pytest.mark.parametrize("command", ["rank", "why", "compare-methods", "known-for"])
@pytest.mark.parametrize("name", [field.name for field in fields(Selection)])
def test_every_option_of_a_base_set_is_there_once(command: str, name: str) -> None:
    shown = run(command, *(["hits"] if command == "rank" else []), "--help").output
    assert shown.count(f"  --{name.replace('_', '-')} ") == 1


@pytest.mark.slow
def test_the_seed_of_a_method_stays_its_own(demo: Workspace) -> None:
    shown = run("rank", "bayesian", "--help").output
    assert shown.count("  --seed ") == 1
    asked = "rank", "bayesian", demo.folder, "--samples", 100, "-n", 1
    assert run(*asked, "--seed", 1).stdout != run(*asked, "--seed", 2).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--steps", 2, "--stoplist", "none"], "steps and stoplist would change nothing without"),
        (
            ["--pages", "jaguarmagazine.example", "--root-size", 3],
            "root_size would change nothing beside",
        ),
        (
            ["--level", "host", "--max-inlinks", 3],
            "max_inlinks would change nothing at the level of hosts",
        ),
    ],
)
def test_options_without_effect_are_refused(
    demo: Workspace, words: list[Any], message: str
) -> None:
    for command in (["rank", "hits"], ["compare-methods"]):
        with pytest.raises(BadParameter, match=message):
            run(*command, demo.folder, *words)
    if "--pages" not in words:
        options = Selection(steps=2) if "--steps" in words else Selection(max_inlinks=3)
        with pytest.raises(BadParameter, match="would change nothing"):
            demo.rank(selection=options, level="page" if "--steps" in words else "host")


def test_a_stop_list_is_applied_and_reported(demo: Workspace) -> None:
    first = rows(in_lines("rank", demo.folder, "--level", "host", "-n", 1))[0]["page"]
    asked = "rank", demo.folder, "-n", 5000
    done = in_lines(*asked, "--exclude", first, "--exclude", "*/links.html")
    assert f"without {first}: " in done.stderr
    hosts = run("rank", demo.folder, "--level", "host", "--exclude", first)
    assert f"without {first}: 1 host and " in hosts.stderr
    assert " hosts by pagerank, led by " in hosts.stderr
    assert " left out" in done.stderr
    pages = [row["page"] for row in rows(done)]
    assert pages
    assert not [
        page for page in pages if first in page.split("/")[2] or page.endswith("/links.html")
    ]


def test_another_score_can_order(demo: Workspace) -> None:
    found = rows(in_lines("rank", "hits", demo.folder, "--by", "hub", "-n", 20))
    hubs = [row["hub"] for row in found]
    assert hubs == sorted(hubs, reverse=True)
    assert [row["authority"] for row in found] != sorted(
        (row["authority"] for row in found), reverse=True
    )
    with pytest.raises(UnknownName) as error:
        run("rank", "hits", demo.folder, "--by", "beauty")
    assert "authority, hub" in error.value.hint


def test_options_of_the_method_are_read(demo: Workspace) -> None:
    plain, bold = (run("rank", demo.folder, "--damping", f, "-n", 3).stdout for f in (0.85, 0.2))
    assert plain != bold
    chosen = run("rank", "pagerank", demo.folder, "--dangling", "nowhere", code=2)
    assert "leak" in chosen.output
    with pytest.raises(BadParameter, match="damping"):
        run("rank", demo.folder, "--damping", 2)


def test_the_whole_ranking_as_a_file(demo: Workspace, tmp_path: Path) -> None:
    wanted = rows(in_lines("rank", demo.folder, "-n", 10_000))
    for ending in ("csv", "parquet", "jsonl"):
        path = tmp_path / f"ranking.{ending}"
        done = run("rank", demo.folder, "-n", 1, "--out", path)
        assert f"pages written to {path}" in done.stderr
        if ending == "csv":
            with path.open(newline="") as file:
                pages = [row["page"] for row in csv.DictReader(file)]
        elif ending == "parquet":
            pages = pq.read_table(path)["page"].to_pylist()
        else:
            pages = [json.loads(line)["page"] for line in path.read_text().splitlines()]
        assert pages == [row["page"] for row in wanted]


def test_a_file_of_no_known_kind_is_refused_at_once(demo: Workspace, tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="ending"):
        run("rank", demo.folder, "--out", tmp_path / "ranking.xlsx")


def test_convergence_is_reported(demo: Workspace) -> None:
    assert "converged after" in run("rank", demo.folder).stderr
    assert "exact: computed without iteration" in run("rank", "indegree", demo.folder).stderr
    stopped = run("rank", "hits", demo.folder, "--max-iter", 2).stderr
    assert "not converged: stopped at the limit of 2 iterations" in stopped
    assert "raise --max-iter" in stopped


def ranking(trace: Trace, certainty: Certainty) -> Ranking:
    return Ranking("toy", ["a"], {"score": np.ones(1)}, trace, lambda: certainty)


def test_cycles_and_ties_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    turning = Trace(7, 0.5, converged=False, stopped="cycle", period=4)
    assert "cycle of 4 after 7 iterations" in describe_convergence(ranking(turning, Certainty()))
    print_ranking_notes(ranking(turning, Certainty(unique=False, note="3 components tie")))
    assert "3 components tie" in capsys.readouterr().err
    print_ranking_notes(ranking(turning, Certainty(unique=False)))
    assert "not unique" in capsys.readouterr().err


def test_an_empty_collection_is_answered(tmp_path: Path) -> None:
    (tmp_path / "nothing.jsonl").write_text("")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "nothing.jsonl")
    assert rows(in_lines("rank", workspace.folder)) == []
    assert rows(in_lines("rank", "hits", workspace.folder, "--level", "domain")) == []
