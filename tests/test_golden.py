"""Golden files: what every command, 40 routes, both reports and a collection on disk looked like.

They hold what Weft answers on a small demo web, so that a change of names or of
layout shows as a change of names alone. `WEFT_GOLDEN=write make test
PYTEST_ARGS=tests/test_golden.py` writes them anew; each changed line is to be
explained in the commit that changes it.
"""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.command import run

from weft.core.register import METHODS
from weft.demo import DemoWeb, write_warc
from weft.server.downloads import Download
from weft.server.routes import ROUTES
from weft.server.session import Session
from weft.workspace.workspace import Workspace

GOLDEN = Path(__file__).parent / "golden"
PAGE, OTHER = "jaguarmagazine.example", "www.jaguarcars.example"
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:?\d*(\.\d+)?(Z|\+00:00| UTC)?")
DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
NUMBER = re.compile(r"-?\d+\.\d+(e[+-]\d+)?")

COMMANDS = [
    "info",
    "info --problems",
    "search jaguar --top 3",
    f"links {PAGE} --top 5",
    "methods",
    "topics jaguar --top 3",
    "topics tgm jaguar --top 3",
    "topics --topics 3 --top 3",
    "communities --top 3",
    "communities trawling jaguar --top 3",
    f"communities --of {PAGE}",
    "structure",
    "structure bow-tie",
    "structure degrees",
    f"structure --page {PAGE}",
    f"why {PAGE} --top 3",
    f"why {PAGE} --query jaguar --group topic --top 3",
    f"known-for {PAGE} --top 3",
    "compare-methods --stability --trials 2",
    f"similar {PAGE} --top 3",
    f"suggest {PAGE} --top 3",
    f"compare-sites {PAGE} {OTHER} --keywords jaguar --top 3",
    "rank --top 3",
    "rank hits --query jaguar --top 3",
    "rank salsa --level host --top 3",
]
ROUTES_ASKED: list[tuple[str, dict[str, Any]]] = [
    ("collection", {}),
    ("collection/summary", {}),
    ("hosts", {"top": 3}),
    ("structure/counts", {}),
    ("structure/overview", {}),
    ("structure/bow-tie", {}),
    ("structure/components", {}),
    ("structure/degrees", {}),
    ("structure/reciprocity", {}),
    ("structure/bow-tie/why", {"url": PAGE}),
    ("structure/bow-tie/region", {"top": 3}),
    ("structure/bow-tie/picture", {}),
    ("compare-sites", {"mine": PAGE, "theirs": OTHER}),
    ("compare", {"top": 3}),
    ("page", {"url": PAGE}),
    ("page/links", {"url": PAGE, "top": 3}),
    ("page/scores", {"url": PAGE}),
    ("page/known-for", {"url": PAGE, "top": 3}),
    ("page/similar", {"url": PAGE, "top": 3}),
    ("page/similar/text", {"url": PAGE, "top": 3}),
    ("page/suggest", {"url": PAGE, "top": 3}),
    ("page/suggest/katz", {"url": PAGE, "top": 3}),
    ("search", {"query": "jaguar", "top": 3}),
    ("methods", {}),
    ("methods/card", {"kind": "rank", "name": "pagerank"}),
    ("graph/around", {"url": PAGE}),
    ("graph/level", {"level": "host"}),
    ("export/edges", {}),
    ("export/pages", {}),
    ("rank/pagerank", {"top": 3}),
    ("rank/hits", {"query": "jaguar", "top": 3}),
    ("why/pagerank", {"url": PAGE, "top": 3}),
    ("topics/auto", {"query": "jaguar", "top": 3}),
    ("topics/auto/group", {"query": "jaguar", "top": 3}),
    ("topics/auto/members", {"query": "jaguar", "top": 3}),
    ("topics/auto/sites", {"query": "jaguar", "number": 1}),
    ("topics/auto/map", {"query": "jaguar", "number": 1}),
    ("topics/auto/of", {"query": "jaguar", "url": PAGE}),
    ("communities/modularity", {"top": 3}),
    ("communities/modularity/group", {"top": 3}),
    ("communities/modularity/members", {"top": 3}),
    ("communities/modularity/map", {"number": 1}),
    ("communities/modularity/of", {"url": PAGE}),
]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A demo web of 200 pages, of which nothing was asked before."""
    folder = tmp_path_factory.mktemp("golden")
    write_warc(DemoWeb(pages=200), folder / "demo.warc")
    workspace = Workspace(folder / "demo.weft")
    workspace.add(folder / "demo.warc", workers=1)
    return workspace


def stable(text: str, folder: Path) -> str:
    """A text without what differs from run to run: paths, times; numbers to nine digits."""
    text = text.replace(str(folder.parent), "FOLDER").replace(
        str(folder.resolve().parent), "FOLDER"
    )
    text = DATE.sub("DATE", TIME.sub("TIME", text))
    text = re.sub(r'"digest": "[0-9a-f]+"', '"digest": "DIGEST"', text)
    return NUMBER.sub(lambda found: format(float(found[0]), ".9g"), text)


def check(name: str, text: str) -> None:
    """Compare with the golden file, or write it where that is asked for."""
    path = GOLDEN / name
    if os.environ.get("WEFT_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.exists(), f"no golden file {path.name}: see the head of {Path(__file__).name}"
    assert text == path.read_text()


def indent(document: str) -> str:
    """JSON a line a value, so that changes are read line by line."""
    return json.dumps(json.loads(document), indent=1, ensure_ascii=False) + "\n"


def slug(text: str) -> str:
    """A file name for what was asked."""
    return re.sub(r"[^a-z0-9]+", "-", text.replace(PAGE, "PAGE").lower()).strip("-")


def test_the_card_of_a_method_reads_as_before() -> None:
    check("commands/methods-hits.txt", run("methods", "hits").stdout)


@pytest.mark.parametrize("words", COMMANDS)
def test_commands_answer_as_before(web: Workspace, words: str) -> None:
    command, *rest = words.split()
    if rest and (command, rest[0]) in METHODS:
        asked = [command, rest[0], web.folder, *rest[1:]]
    elif command == "methods":
        asked = [command, *rest]
    else:
        asked = [command, web.folder, *rest]
    shown = run(*asked, "--format", "json").stdout
    check(f"commands/{slug(words)}.json", stable(indent(shown), web.folder))


@pytest.mark.parametrize(("path", "asked"), ROUTES_ASKED, ids=[path for path, _ in ROUTES_ASKED])
def test_routes_answer_as_before(
    web: Workspace, path: str, asked: dict[str, Any], tmp_path: Path
) -> None:
    route = ROUTES[path]
    desk = Session(web, tmp_path)
    desk.refresh_snapshot()
    found = route.handler(desk, route.params_class.model_validate(asked))
    if isinstance(found, Download):
        written = found.path.read_bytes()
        lines = written.decode().splitlines()[:60]
        check(f"routes/{slug(path)}{found.path.suffix}.txt", stable("\n".join(lines), web.folder))
    else:
        document = json.dumps(found.model_dump(mode="json"))
        check(f"routes/{slug(path)}.json", stable(indent(document), web.folder))


@pytest.mark.parametrize("kind", ["topics", "structure"])
def test_reports_read_as_before(web: Workspace, kind: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    if kind == "topics":
        run("report", web.folder, "jaguar", "--out", page)
    else:
        run("structure", web.folder, "--out", page)
    text = page.read_text().replace("><", ">\n<")
    check(f"report-{kind}.html", stable(text, web.folder))


def test_a_collection_has_the_same_files(web: Workspace) -> None:
    """Every file with its digest, save those whose bytes or names depend on time."""
    listing = [
        f"{path.relative_to(web.folder)} {_digest(path)}"
        for path in sorted(web.folder.rglob("*"))
        if path.is_file() and not {"index", "results"} & {*path.relative_to(web.folder).parts}
    ]
    check("collection.txt", "\n".join(listing) + "\n")


def _digest(path: Path) -> str:
    if path.name in {"collection.json", "segment.json", "lock"}:
        return "-"
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
