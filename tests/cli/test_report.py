"""`weft report`: files, messages, and options, which are those of `weft topics`."""

from contextlib import chdir
from pathlib import Path

import pytest
from tests.command import run

from weft.core.errors import UnknownName, WeftError
from weft.graph.selection import SELECTION_WORDS
from weft.workspace.workspace import Workspace


def test_a_file_in_the_current_folder(demo: Workspace, tmp_path: Path) -> None:
    with chdir(tmp_path):
        done = run("report", demo.folder, "jaguar", "--method", "hits")
    assert done.stdout == ""
    html = (tmp_path / "report.html").read_bytes()
    assert html == demo.report("jaguar", method="hits").encode()
    assert done.stderr == f"report.html: 1 topic, {len(html) / 1e3:,.0f} kB\n"


def test_another_file_or_standard_output(demo: Workspace, tmp_path: Path) -> None:
    words = ("report", demo.folder, "jaguar", "--method", "hits")
    run(*words, "-o", tmp_path / "mine.html")
    printed = run(*words, "--out", "-")
    assert printed.stdout_bytes == (tmp_path / "mine.html").read_bytes()
    assert printed.stderr == "1 topic\n"
    assert not (tmp_path / "-").exists()


def test_options_are_read(demo: Workspace) -> None:
    words = ("report", demo.folder, "jaguar", "--method", "eigen", "-o", "-")
    few = run(*words, "--top", 2, "--topics", 1, "--root-size", 20, "--option", "max_size=5").stdout
    assert 'id="topic-1"' in few
    assert 'id="topic-2"' not in few
    assert few.count('class="score"') <= 4
    assert "root_size 20, " in few
    assert "max_size 5" in few
    hosts = run("report", demo.folder, "--method", "hits", "--level", "host", "-o", "-").stdout
    assert "The base set is the whole collection" in hosts


@pytest.mark.parametrize(
    "name",
    [*sorted(SELECTION_WORDS - {"query"}), "top", "topics", "fresh"],
)
def test_every_option_of_topics_is_one_of_the_report(name: str) -> None:
    option = f"--{name.replace('_', '-')}"
    assert f"{option} " in run("topics", "--help").output.replace(",", " ")
    assert f"{option} " in run("report", "--help").output.replace(",", " ")


def test_no_topics_are_explained(demo: Workspace, tmp_path: Path) -> None:
    done = run("report", demo.folder, "xyzzyx", "-o", tmp_path / "r.html")
    assert "r.html: no page matches xyzzyx (try fewer or other words), " in done.stderr
    assert "No page matches xyzzyx." in (tmp_path / "r.html").read_text("utf-8")


def test_what_cannot_be(demo: Workspace, tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        run("report", demo.folder, "jaguar", "--method", "hitss", "-o", tmp_path / "r.html")
    with pytest.raises(WeftError, match="there is no folder"):
        run("report", demo.folder, "jaguar", "-o", tmp_path / "nowhere" / "r.html")
    with pytest.raises(WeftError, match="is a folder"):
        run("report", demo.folder, "jaguar", "-o", tmp_path)
    with pytest.raises(WeftError, match=r"x\.pdf does not end in \.html"):
        run("report", demo.folder, "jaguar", "-o", tmp_path / "x.pdf")
    run("report", code=2)


def test_the_demo_writes_its_report(tmp_path: Path) -> None:
    done = run("demo", tmp_path / "web", "--pages", 300)
    path = tmp_path / "web" / "report.html"
    assert f"{path}: " in done.stderr
    assert path.read_text("utf-8") == Workspace(tmp_path / "web" / "demo.weft").report("jaguar")
