"""Write the parts of the documentation that the program itself knows.

`python docs/generate.py` writes them, `python docs/generate.py --check` names
those that are out of date; only some of them if pages are named, as in
`python docs/generate.py docs/methods.md 'docs/methods/*'`. Generated whole: the
references of the commands and of the library, the table and the cards of the
methods, the picture of the README. Generated in part: the output below each
command in a `console` block of the README, the tutorial and the how-to guides,
and the table of methods by application in the guide to choosing one.
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
from unittest.mock import patch

from library import library
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import weft.communities  # registers its methods, as the others do
import weft.rank
import weft.structure
import weft.suggest
import weft.topics  # noqa: F401
from weft.core.dimensions import TITLES, VALUES, Dimension
from weft.core.methods import METHODS, Method, reference
from weft.core.notes import notes
from weft.show.cli import app, main
from weft.show.cli.cards import spelled

DOCS = Path(__file__).parent
A_DAY = "2026-11-15"
ROOT = DOCS.parent
WIDTH = "100"
WIDE = 116  # the longest line of the picture
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
FONTS = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
TABLE = re.compile(r"^(<!-- methods by (\w+) -->\n).*?(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL)
NEVER_SHOWN = {"COLUMNS": WIDTH, "TERM": "xterm-256color", "FORCE_COLOR": "1"}


class Terminal(io.StringIO):
    """A terminal of fixed width, as far as a command can tell."""

    def isatty(self) -> bool:
        """Say so."""
        return True


class Notes(io.StringIO):
    """Standard error that ends up on the same screen, without progress bars."""

    def __init__(self, screen: Terminal) -> None:
        super().__init__()
        self.screen = screen

    def write(self, words: str) -> int:
        """Write to the screen."""
        return self.screen.write(words)


def dated(words: str) -> str:
    """The same words whatever day it is: what was made just now is of one day."""
    now = datetime.now(UTC)
    for day in (now, now - timedelta(days=1)):
        words = words.replace(f"{day:%Y-%m-%d}", A_DAY)
    return words


def run(arguments: list[str]) -> tuple[str, int]:
    """What `weft` prints on a terminal, and its exit code."""
    screen = Terminal()
    before = signal.getsignal(signal.SIGTERM)
    with (
        patch.dict(os.environ, NEVER_SHOWN),
        patch("sys.argv", ["weft", *arguments]),
        patch.object(sys.modules["__main__"], "__package__", ""),
        patch("sys.stdout", screen),
        patch("sys.stderr", Notes(screen)),
    ):
        try:
            main()
        except SystemExit as end:
            return screen.getvalue(), int(end.code or 0)
        finally:
            signal.signal(signal.SIGTERM, before)
    return screen.getvalue(), 0


@contextmanager
def workplace() -> Iterator[None]:
    """An empty folder to run commands in."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        yield


def session(text: str) -> str:
    """The text of a page with the output of its `console` blocks as it is today."""
    if not BLOCK.search(text):
        return text
    code = 0

    def answered(block: re.Match[str]) -> str:
        nonlocal code
        lines = []
        for line in block[0].splitlines():
            if line.startswith("$ "):
                output, code = _answer(line.removeprefix("$ "), code)
                plain = dated(COLOURS.sub("", output)).rstrip()
                lines += [line, *(row.rstrip() for row in plain.splitlines())]
        return "\n".join(lines) + "\n"

    with workplace():
        return BLOCK.sub(answered, text)


def _answer(command: str, code: int) -> tuple[str, int]:
    if command == "echo $?":
        return str(code), 0
    words = shlex.split(command)
    if words[0] == "weft" and not {"|", ">"} & set(words):
        return run(words[1:])
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
    """The help of every command."""
    from typer.main import get_command  # noqa: PLC0415

    group = get_command(app)
    parts = [
        "# Commands",
        "Written by `docs/generate.py` from the commands' own help.",
        "Options of `weft` itself, such as `-q`, stand before the verb: `weft -q add mine.weft x`.",
        _help([]),
    ]
    for name in group.commands:  # type: ignore[attr-defined]
        parts += [f"## weft {name}", _help([name])]
        if name == "rank":
            for method in METHODS.values():
                if method.kind == name:
                    parts += [f"### weft {name} {method.name}", _help([name, method.name])]
    return "\n\n".join(parts) + "\n"


def _help(verb: list[str]) -> str:
    words = COLOURS.sub("", run([*verb, "--help"])[0])
    return "```text\n" + "\n".join(row.rstrip() for row in words.strip().splitlines()) + "\n```"


def table_of_methods() -> str:
    """Every method in a line."""
    rows = [
        "# Methods",
        "Written by `docs/generate.py` from the register of methods, which `weft methods` prints.",
        "| kind | method | what it does | source |\n|---|---|---|---|",
    ]
    rows[-1] += "".join(
        f"\n| {m.kind} | [{m.name}](methods/{card_name(m)}.md) | {m.summary} "
        f"| {reference(m.cites)} |"
        for m in sorted(METHODS.values(), key=lambda m: m.kind)
    )
    return "\n\n".join(rows) + "\n"


def card_name(method: Method) -> str:
    """The name of a card's page: that of the method, after its kind where that is not rank."""
    return method.name if method.kind == "rank" else f"{method.kind}-{method.name}"


USES = {
    "rank": ("weft rank {} mine.weft --top 20", 'rank("{}")'),
    "topics": ("weft topics mine.weft jaguar --method {}", 'topics("jaguar", "{}")'),
    "structure": ("weft structure mine.weft {}", 'structure("{}")'),
    "communities": ("weft communities mine.weft --method {}", 'communities(method="{}")'),
    "similar": ("weft similar mine.weft URL --method {}", 'similar(url, "{}")'),
    "suggest": ("weft suggest mine.weft URL --method {}", 'suggest(url, "{}")'),
}


def card(method: Method) -> str:
    """The card of a method: what it is, formula, cost, when it fails, options, citation."""
    told = notes(method.kind, method.name)
    parts = [f"# {method.name}", f"Kind: {method.kind}.", method.words, _dimensions(method)]
    parts += ["## Formula", told.formula, "## Cost", told.cost, "## When it fails", told.fails]
    if told.differs:
        parts += ["## Where it differs from the paper", told.differs]
    parts += ["## Options", _options(method)]
    command, call = (form.format(method.name) for form in USES[method.kind])
    parts += ["## Use", f"```sh\n{command}\n```"]
    parts += [f'```python\nimport weft\n\nweft.open("mine.weft").{call}\n```']
    parts += ["## Source", f"{reference(method.cites)}."]
    return "\n\n".join(parts) + "\n"


def _dimensions(method: Method) -> str:
    rows = [
        f"| {title} | {', '.join(method.dimensions.along(dimension))} |"
        for dimension, title in TITLES.items()
    ]
    return "\n".join(["| dimension | |", "|---|---|", *rows])


def _options(method: Method) -> str:
    fields = method.schema.model_fields.items()
    rows = [f"| `{spelled(method, n)}` | {f.description} | {f.default} |" for n, f in fields]
    return "\n".join(["| option | meaning | default |", "|---|---|---|", *rows])


def grouped(text: str) -> str:
    """The text of a page with its tables of methods by a dimension as the register has them."""
    dimensions: dict[str, Dimension] = {dimension: dimension for dimension in VALUES}
    return TABLE.sub(lambda found: found[1] + _methods_by(dimensions[found[2]]), text)


def _methods_by(dimension: Dimension) -> str:
    rows = [f"| {TITLES[dimension].lower()} | methods |", "|---|---|"]
    for value in VALUES[dimension]:
        links = [
            f"[{m.kind} {m.name}](../methods/{card_name(m)}.md)"
            for _, m in sorted(METHODS.items())
            if value in m.dimensions.along(dimension)
        ]
        rows.append(f"| {value} | {', '.join(links)} |")
    return "\n".join(rows) + "\n"


def picture() -> str:
    """The screen of someone who asks for topics of the demo web, as an SVG that loads nothing."""
    console = Console(
        record=True, width=WIDE, file=io.StringIO(), force_terminal=True, color_system="256"
    )
    with workplace():
        run(["-q", "demo"])
        line = "-q topics weft-demo/demo.weft jaguar --top 3"
        console.print(Text(f"$ weft {line}", style="bold green"))
        console.print(Text.from_ansi(run(line.split())[0].strip("\n")), end="\n\n")
    form = FONTS.sub("\n", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", "monospace")
    drawn = console.export_svg(title="weft", theme=MONOKAI, code_format=form, unique_id="weft")
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


def pages_with_sessions() -> list[Path]:
    """The pages whose console blocks are run."""
    return [ROOT / "README.md", DOCS / "tutorial.md", *sorted((DOCS / "how-to").glob("*.md"))]


def generated(path: Path) -> str:
    """What a generated page should say today."""
    name = str(path.relative_to(ROOT))
    if name == "docs/reference/cli.md":
        return commands()
    if name == "docs/reference/library.md":
        return library()
    if name == "docs/methods.md":
        return table_of_methods()
    if name == "docs/images/demo.svg":
        return picture()
    if path.parent == DOCS / "methods":
        return card(next(m for m in METHODS.values() if card_name(m) == path.stem))
    return session(grouped(path.read_text("utf-8")))


def targets() -> list[Path]:
    """Every page that is generated, whole or in part."""
    cards = [DOCS / "methods" / f"{card_name(method)}.md" for method in METHODS.values()]
    whole = ["reference/cli.md", "reference/library.md", "methods.md", "images/demo.svg"]
    return [*(DOCS / name for name in whole), *cards, *pages_with_sessions()]


def write(names: Sequence[str], *, check: bool) -> int:
    """Bring pages up to date, all or those named, or count and name those that are not."""
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
    return stale if check else 0


if __name__ == "__main__":
    words = ArgumentParser(description="Bring the generated documentation up to date.")
    words.add_argument("pages", nargs="*", help="such as docs/methods.md; * and ? may be used")
    words.add_argument("--check", action="store_true", help="only name what is out of date")
    given = words.parse_args()
    sys.exit(1 if write(given.pages, check=given.check) else 0)
