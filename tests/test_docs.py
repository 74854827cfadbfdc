"""The documentation says what is true: generated parts are fresh, commands and links exist."""

import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import contents
import generate
import pytest
from exports import exports
from typer._click.exceptions import ClickException
from typer.main import get_command

import weft.rank
from weft.cli import app
from weft.core.errors import UnknownName
from weft.core.register import METHODS
from weft.demo import DemoWeb, write_warc
from weft.server.routes import ROUTES
from weft.workspace.workspace import Workspace

ROOT = Path(__file__).parent.parent
API = ROOT / "docs" / "reference" / "api.md"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OUTSIDE = re.compile(r"https?://|mailto:")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(text: str, *languages: str) -> list[str]:
    return [body for language, body in BLOCK.findall(text) if language in languages]


def commands(text: str) -> Iterator[list[str]]:
    """The words of every `weft` command in the shell blocks of a page."""
    joined = text.replace("\\\n", " ")
    lines = [line for block in blocks(joined, "sh") for line in block.splitlines()]
    for block in blocks(text, "console"):
        lines += [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    for line in lines:
        words = shlex.split(line, comments=True)
        while "weft" in words:
            words = words[words.index("weft") + 1 :]
            ends = [k for k, word in enumerate(words) if word in ("|", ">", "&&")]
            yield words[: min(ends, default=len(words))]


def accept(words: list[str]) -> None:
    """Parse a command as `weft` would, without running it."""
    if words in (["--help"], ["--version"], ["--install-completion"]):  # these run at once
        return
    command: Any = get_command(app)
    context = command.make_context("weft", list(words))
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        verb, command, rest = command.resolve_command(context, rest)
        if "--help" in rest:
            return
        context = command.make_context(verb, rest, parent=context)


@pytest.fixture(scope="module", autouse=True)
def demos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A session that begins with a demo that another began with gets a copy of that one's."""
    kept: dict[str, Path] = {}
    answer = generate._answer

    def again(command: str, code: int) -> tuple[str, int]:
        if any(Path().iterdir()) or not command.startswith("weft -q demo"):
            return answer(command, code)
        if command in kept:
            shutil.copytree(kept[command], ".", dirs_exist_ok=True)
            return "", 0
        found = answer(command, code)
        assert found == ("", 0)
        kept[command] = Path(shutil.copytree(".", tmp_path_factory.mktemp("demo") / "kept"))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generate, "_answer", again)
        yield


GENERATED = [
    pytest.param(path, marks=pytest.mark.slow if "```console" in path.read_text("utf-8") else ())
    for path in generate.targets()
]


@pytest.mark.parametrize("path", GENERATED, ids=map(name, generate.targets()))
def test_generated_parts_are_fresh(path: Path) -> None:
    assert path.read_text("utf-8") == generate.generated(path), "run: python docs/generate.py"


@pytest.mark.parametrize("gone", ["hits", "spam_aware_pagerank", "full_threshold"])
def test_a_method_that_its_folder_does_not_export_is_added(gone: str, tmp_path: Path) -> None:
    """Whether its module is imported already, on one line or several, or not at all."""
    folder = tmp_path / "rank"
    shutil.copytree(ROOT / "src" / "weft" / "rank", folder)
    path = folder / "__init__.py"
    whole = path.read_text("utf-8")
    named = re.compile(rf'^from \S+ import {gone}\n|, {gone}\b|^    "?{gone}"?,\n', re.MULTILINE)
    less, times = named.subn("", whole)
    assert times == 2
    path.write_text(less, "utf-8")
    assert exports(path) == whole


def test_stale_output_is_noticed() -> None:
    page = "# A page\n\n```console\n$ weft --version\nweft 0.0.0\n```\n"
    assert generate.session(page) == page.replace("0.0.0", weft.__version__)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_commands_exist(path: Path) -> None:
    for words in commands(path.read_text("utf-8")):
        try:
            accept(words)
        except ClickException as error:
            pytest.fail(f"weft {shlex.join(words)}: {error.format_message()}")


def test_pages_have_commands() -> None:
    """The check above sees the commands of the pages that are made of them."""
    found = {name(path): len(list(commands(path.read_text("utf-8")))) for path in PAGES}
    assert found["README.md"] >= 7
    assert found["docs/tutorial.md"] >= 15
    verbs = {words[0] for path in PAGES for words in commands(path.read_text("utf-8")) if words}
    assert set(get_command(app).commands) - {"methods"} <= verbs  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    [
        "weft sing mine.weft",
        "weft add mine.weft x --loud",
        "weft search mine.weft",
        "weft rank no C",
    ],
)
def test_wrong_commands_are_noticed(line: str) -> None:
    [words] = commands(f"```sh\n{line}\n```\n")
    with pytest.raises((ClickException, UnknownName)):
        accept(words)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(BLOCK.sub("", path.read_text("utf-8"))):
        if not OUTSIDE.match(target):
            file, _, anchor = target.partition("#")
            found = path.parent / file if file else path
            assert found.exists(), target
            assert not anchor or anchor in anchors(found), target


def anchors(path: Path) -> set[str]:
    titles = HEADING.findall(path.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_can_be_reached() -> None:
    """From the README, by links alone."""
    seen, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            targets = (target.partition("#")[0] for target in LINK.findall(page.read_text("utf-8")))
            waiting += [page.parent / file for file in targets if file and not OUTSIDE.match(file)]
    assert {path.resolve() for path in PAGES} == seen


def test_a_page_that_no_group_lists_appears_by_itself(tmp_path: Path) -> None:
    folder = tmp_path / "how-to"
    shutil.copytree(ROOT / "docs" / "how-to", folder)
    (folder / "dance.md").write_text("# How to dance\n")
    *_, last = contents.groups_of("how-to", tmp_path).items()
    assert last == (contents.MORE, [folder / "dance.md"])
    assert contents.title_of(folder / "dance.md") == "Dance"


def test_a_listed_page_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "how-to").mkdir()
    with pytest.raises(SystemExit, match=r"contents\.py lists pages that how-to lacks: .*crawl"):
        contents.groups_of("how-to", tmp_path)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 120


def test_every_method_has_its_card() -> None:
    assert METHODS
    cards = {path.stem for path in (ROOT / "docs" / "methods").glob("*.md")}
    assert cards == {generate.card_name(method) for method in METHODS.values()}
    for name in cards:
        card = (ROOT / "docs" / "methods" / f"{name}.md").read_text("utf-8")
        assert {"Formula", "Cost", "When it fails", "Source"} <= set(HEADING.findall(card))


def told_routes() -> set[str]:
    """The routes in the table of the API; after a whole one, the ends of others may follow."""
    found = set()
    for row in re.findall(r"^\| (`/api.*?) \|", API.read_text("utf-8"), re.MULTILINE):
        spans = re.findall("`([^`]+)`", row)
        whole = [span for span in spans if span.startswith("/api/")]
        before = {*whole, *(span.rpartition("/")[0] for span in whole)}
        found |= {*whole, *(one + end for end in set(spans) - set(whole) for one in before)}
    return found


def test_every_route_stands_in_the_reference() -> None:
    names = {name for _, name in METHODS}
    for path in ROUTES:
        first, *rest = path.split("/")
        routes = [first, *("METHOD" if part in names else part for part in rest)]
        assert {f"/api/{path}", "/".join(["/api", *routes])} & told_routes(), path
    assert "/api/collection/long" not in told_routes()


def test_library_snippet_of_the_readme_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [snippet] = blocks((ROOT / "README.md").read_text("utf-8"), "python")
    with chdir(tmp_path):
        Path("weft-demo").mkdir()
        write_warc(DemoWeb(pages=200), Path("weft-demo/demo.warc.gz"))
        Workspace(Path("weft-demo/demo.weft")).add("weft-demo/demo.warc.gz")
        exec(compile(snippet, "README.md", "exec"), {})
        assert Path("edges.csv").stat().st_size > 0
    printed = capsys.readouterr().out
    assert "<SearchResults: " in printed
    assert "<WebGraph: " in printed


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_pages_name_no_machine(path: Path) -> None:
    words = re.sub(r"<[\w.-]+\.\w+/[^>]*>", "", path.read_text("utf-8"))  # no addresses of pages
    assert f"{Path.home()}/" not in words
    assert not re.search(r"/(?:home|work|root|tmp)/", words)
