"""Generate the parts of the documentation that follow from the code.

`python docs/generate.py` writes them, `python docs/generate.py --check` names
those that are out of date; both take page names, as in
`python docs/generate.py docs/methods.md 'docs/methods/*'`. Generated completely:
the references of commands and library, the table and cards of the methods, the
picture of the README, the man page. Generated in part: the output below each command in a
`console` block of the README, the tutorial and the how-to guides, the lists of
input formats, the lists of pages, and the tables of methods in the guide to choosing one. The
imports of the method folders are generated too, and first: a method that its
folder does not import has no card.
"""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatch
from pathlib import Path
from textwrap import fill, indent
from unittest.mock import patch

from contents import with_page_lists
from draw_gallery import gallery
from exports import exports, method_folders
from library import library
from man_page import man_page
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import weft.classify  # registers its methods, as the others do
import weft.communities
import weft.crawl
import weft.rank
import weft.similar
import weft.structure
import weft.topics
import weft.usage  # noqa: F401
from weft.cli import app, main
from weft.cli.method_cards import option_syntax
from weft.core.register import (
    DIMENSION_TITLES,
    DIMENSION_VALUES,
    METHODS,
    Dimension,
    Method,
    format_citation,
    method_notes,
    methods_of,
)
from weft.gather.formats import format_titles, input_formats

DOCS = Path(__file__).parent
SHOWN_DATE = "2026-11-15"
ROOT = DOCS.parent
WIDTH = "100"
PICTURE_WIDTH = 116  # the longest line
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
CONSOLE_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
FONTS = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
METHOD_TABLE = re.compile(
    r"^(<!-- methods by (\w+) -->\n).*?(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL
)
FORMAT_LIST = re.compile(
    r"^( *)<!-- input formats as a (list|table) -->\n.*?(?=^ *<!-- end -->$)",
    re.MULTILINE | re.DOTALL,
)
TERMINAL_ENVIRONMENT = {"COLUMNS": WIDTH, "TERM": "xterm-256color", "FORCE_COLOR": "1"}


class Terminal(io.StringIO):
    """Standard output that looks like a terminal to a command."""

    def isatty(self) -> bool:
        """Always true."""
        return True


class StandardError(io.StringIO):
    """Standard error on the same screen; not a terminal, so without progress bars."""

    def __init__(self, screen: Terminal) -> None:
        super().__init__()
        self.screen = screen

    def write(self, text: str) -> int:
        """Write to the screen."""
        return self.screen.write(text)


def with_fixed_date(text: str) -> str:
    """Replace the dates of today and yesterday, so that output does not depend on the day."""
    now = datetime.now(UTC)
    for day in (now, now - timedelta(days=1)):
        text = text.replace(f"{day:%Y-%m-%d}", SHOWN_DATE)
    return text


def run(arguments: list[str]) -> tuple[str, int]:
    """Run `weft` as on a terminal; return its output and exit code."""
    screen = Terminal()
    before = signal.getsignal(signal.SIGTERM)
    with (
        patch.dict(os.environ, TERMINAL_ENVIRONMENT),
        patch("sys.argv", ["weft", *arguments]),
        patch.object(sys.modules["__main__"], "__package__", ""),
        patch("sys.stdout", screen),
        patch("sys.stderr", StandardError(screen)),
    ):
        try:
            main()
        except SystemExit as end:
            return screen.getvalue(), int(end.code or 0)
        finally:
            signal.signal(signal.SIGTERM, before)
    return screen.getvalue(), 0


@contextmanager
def empty_folder() -> Iterator[None]:
    """Change to an empty folder to run commands in."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        yield


def session(text: str) -> str:
    """A page with the current output in its `console` blocks."""
    if not CONSOLE_BLOCK.search(text):
        return text
    code = 0

    def with_output(block: re.Match[str]) -> str:
        nonlocal code
        lines = []
        for line in block[0].splitlines():
            if line.startswith("$ "):
                output, code = _answer(line.removeprefix("$ "), code)
                plain = with_fixed_date(COLOURS.sub("", output)).rstrip()
                lines += [line, *(row.rstrip() for row in plain.splitlines())]
        return "\n".join(lines) + "\n"

    with empty_folder():
        return CONSOLE_BLOCK.sub(with_output, text)


def _answer(command: str, code: int) -> tuple[str, int]:
    if command == "echo $?":
        return str(code), 0
    arguments = shlex.split(command)
    if arguments[0] == "weft" and not {"|", ">"} & set(arguments):
        return run(arguments[1:])
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PATH": path},
    )
    return done.stdout, done.returncode


def commands() -> str:
    """The reference of all commands: their help."""
    from typer.main import get_command  # noqa: PLC0415

    group = get_command(app)
    parts = [
        "# Commands",
        "Generated by `docs/generate.py` from the help of the commands.",
        "Options of `weft` itself, such as `-q`, come before the command: "
        "`weft -q add mine.weft x`. Analyses are called as `weft KIND [METHOD] COLLECTION …`: the "
        "first word after the kind is a method if the kind has one of that name, and `./name` is "
        "always a folder.",
        _help([]),
    ]
    for name in group.commands:  # type: ignore[attr-defined]
        parts += [f"## weft {name}", _help([name])]
        for method in methods_of(name):
            parts += [f"### weft {name} {method}", _help([name, method])]
    return "\n\n".join(parts) + "\n"


def _help(command: list[str]) -> str:
    text = COLOURS.sub("", run([*command, "--help"])[0])
    return "```text\n" + "\n".join(row.rstrip() for row in text.strip().splitlines()) + "\n```"


def table_of_methods() -> str:
    """The table of all methods."""
    rows = [
        "# Methods",
        "Generated by `docs/generate.py` from the register of methods, like `weft methods`.",
        "| kind | method | what it does | source |\n|---|---|---|---|",
    ]
    rows[-1] += "".join(
        f"\n| {m.kind} | [{m.name}](methods/{card_name(m)}.md) | {m.summary} "
        f"| {format_citation(m.cites)} |"
        for _, m in sorted(METHODS.items())
    )
    return "\n\n".join(rows) + "\n"


def card_name(method: Method) -> str:
    """The file name of a card: the method, with its kind as prefix unless that is rank."""
    return method.name if method.kind == "rank" else f"{method.kind}-{method.name}"


EXAMPLES = {
    "rank": ("weft rank {} mine.weft --top 20", 'rank("{}")'),
    "topics": ("weft topics {} mine.weft jaguar", 'topics("jaguar", "{}")'),
    "structure": ("weft structure {} mine.weft", 'structure("{}")'),
    "communities": ("weft communities {} mine.weft", 'communities(method="{}")'),
    "similar": ("weft similar {} mine.weft URL", 'similar(url, "{}")'),
    "suggest": ("weft suggest {} mine.weft URL", 'suggest(url, "{}")'),
    "classify": (
        "weft classify {} mine.weft --train examples.csv",
        'classify("examples.csv", "{}")',
    ),
    "crawl": (
        "weft crawl {} new.weft URL --simulate mine.weft --topic 'jazz piano'",
        'crawl(url, "{}", simulate="other.weft", topic="jazz piano")',
    ),
    "usage": ("weft usage {} site.weft", 'usage("{}")'),
}


def card(method: Method) -> str:
    """The card of a method: description, formula, cost, limitations, options, citation."""
    notes = method_notes(method.kind, method.name)
    parts = [f"# {method.name}", f"Kind: {method.kind}.", method.description, _dimensions(method)]
    parts += [
        "## Formula",
        notes.formula,
        "## Cost",
        notes.cost,
        "## When it fails",
        notes.limitations,
    ]
    if notes.deviations:
        parts += ["## Where it differs from the paper", notes.deviations]
    parts += ["## Options", _options(method)]
    command, call = (form.format(method.name) for form in EXAMPLES[method.kind])
    parts += ["## Use", f"```sh\n{command}\n```"]
    parts += [f'```python\nimport weft\n\nweft.open("mine.weft").{call}\n```']
    parts += ["## Source", f"{format_citation(method.cites)}."]
    return "\n\n".join(parts) + "\n"


def _dimensions(method: Method) -> str:
    rows = [
        f"| {title} | {', '.join(method.dimensions.values_of(dimension))} |"
        for dimension, title in DIMENSION_TITLES.items()
    ]
    return "\n".join(["| dimension | |", "|---|---|", *rows])


def _options(method: Method) -> str:
    fields = method.options_schema_model.model_fields.items()
    rows = [f"| `{option_syntax(n)}` | {f.description} | {f.default} |" for n, f in fields]
    return "\n".join(["| option | meaning | default |", "|---|---|---|", *rows])


def with_method_tables(text: str) -> str:
    """A page with current tables of methods by a dimension."""
    dimensions: dict[str, Dimension] = {dimension: dimension for dimension in DIMENSION_VALUES}
    return METHOD_TABLE.sub(lambda found: found[1] + _methods_by(dimensions[found[2]]), text)


def _methods_by(dimension: Dimension) -> str:
    rows = [f"| {DIMENSION_TITLES[dimension].lower()} | methods |", "|---|---|"]
    for value in DIMENSION_VALUES[dimension]:
        links = [
            f"[{m.kind} {m.name}](../methods/{card_name(m)}.md)"
            for _, m in sorted(METHODS.items())
            if value in m.dimensions.values_of(dimension)
        ]
        rows.append(f"| {value} | {', '.join(links)} |")
    return "\n".join(rows) + "\n"


def with_format_lists(text: str) -> str:
    """A page with current lists of input formats."""

    def current(found: re.Match[str]) -> str:
        body = _format_table() if found[2] == "table" else f"{format_titles()}."
        wrapped = body if found[2] == "table" else fill(body, 120 - len(found[1]))
        return indent(f"<!-- input formats as a {found[2]} -->\n{wrapped}\n", found[1])

    return FORMAT_LIST.sub(current, text)


def _format_table() -> str:
    ordered = sorted(input_formats().values(), key=lambda f: (f.is_graph, f.title.lower()))
    rows = [f"| {known.title} | {known.summary} | `{known.name}` |" for known in ordered]
    return "\n".join(["| input | what is read | format |", "|---|---|---|", *rows])


def picture() -> str:
    """The output of `weft topics` on the demo web, as a self-contained SVG."""
    console = Console(
        record=True,
        width=PICTURE_WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="256",
    )
    with empty_folder():
        run(["-q", "demo"])
        line = "-q topics weft-demo/demo.weft jaguar --top 3"
        console.print(Text(f"$ weft {line}", style="bold green"))
        console.print(Text.from_ansi(run(line.split())[0].strip("\n")), end="\n\n")
    form = FONTS.sub("\n", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", "monospace")
    drawn = console.export_svg(title="weft", theme=MONOKAI, code_format=form, unique_id="weft")
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


def pages_with_sessions() -> list[Path]:
    """The pages whose console blocks are run."""
    folders = ("how-to", "for")
    pages = [path for folder in folders for path in sorted((DOCS / folder).glob("*.md"))]
    listing = (DOCS / "index.md", DOCS / "explanation/index.md", DOCS / "reference/index.md")
    return [ROOT / "README.md", DOCS / "tutorial.md", *listing, *pages]


WHOLE_PAGES = {
    "docs/reference/cli.md": commands,
    "docs/reference/library.md": library,
    "docs/methods.md": table_of_methods,
    "docs/images/demo.svg": picture,
    "docs/gallery.md": gallery,
    "packaging/weft.1": man_page,
}


def generated(path: Path) -> str:
    """The current content of a generated page."""
    name = str(path.relative_to(ROOT))
    if name in WHOLE_PAGES:
        return WHOLE_PAGES[name]()
    if path.parent == DOCS / "methods":
        return card(next(m for m in METHODS.values() if card_name(m) == path.stem))
    if path.suffix == ".py":
        return exports(path)
    text = with_page_lists(path.read_text("utf-8"), path)
    return session(with_format_lists(with_method_tables(text)))


def targets() -> list[Path]:
    """Every page that is generated, whole or in part, after the imports of the method folders."""
    cards = [DOCS / "methods" / f"{card_name(method)}.md" for method in METHODS.values()]
    complete = [ROOT / name for name in WHOLE_PAGES]
    return [*method_folders(), *complete, *cards, *pages_with_sessions()]


def write(names: Sequence[str], *, check: bool) -> int:
    """Bring pages up to date, all or those named, or only name those that are not; count them."""
    stale = 0
    for path in targets():
        name = str(path.relative_to(ROOT))
        if names and not any(fnmatch(name, given) for given in names):
            continue
        fresh = generated(path)
        if not path.exists() or path.read_text("utf-8") != fresh:
            stale += 1
            sys.stdout.write(f"{'out of date' if check else 'written'}: {name}\n")
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fresh, "utf-8")
    return stale


if __name__ == "__main__":
    parser = ArgumentParser(description="Bring the generated documentation up to date.")
    parser.add_argument("pages", nargs="*", help="such as docs/methods.md; may have * and ?")
    parser.add_argument("--check", action="store_true", help="only name pages that are out of date")
    given = parser.parse_args()
    if not given.check and write(["src/*"], check=False):
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, *sys.argv])  # so that new methods are registered
    sys.exit(1 if write(given.pages, check=given.check) and given.check else 0)
