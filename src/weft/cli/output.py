"""What commands print: data on standard output, everything else on standard error."""

import csv
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import isnan
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from weft.core.text import CONTROL_CHARS, join_pages

if TYPE_CHECKING:
    import pyarrow as pa

    from weft.workspace.workspace import Workspace


UNLIMITED_WIDTH = 1_000_000  # in a pipe or file no cell is cut or folded


class Format(StrEnum):
    """Output formats."""

    table = "table"
    csv = "csv"
    jsonl = "jsonl"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="output format")]


@dataclass(slots=True)
class Settings:
    """The global options, given before the command."""

    quiet: bool = False
    verbose: bool = False


settings = Settings()


def styles_enabled() -> bool:
    """Whether output may be bold and coloured: on a terminal, unless NO_COLOR is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def escape_for_terminal(value: object) -> str:
    """A value as text for a terminal, without control characters."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        if isnan(value):
            return "none"
        return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.3g}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}" if value.year > 1970 else ""
    return (
        CONTROL_CHARS.sub("", str("" if value is None else value))
        .replace("\n", " ")
        .replace("\t", " ")
    )


def print_note(text: str, *, always: bool = False) -> None:
    """Print a message on standard error, unless --quiet is set."""
    if always or not settings.quiet:
        sys.stderr.write("\n".join(CONTROL_CHARS.sub("", line) for line in text.split("\n")) + "\n")


def write_rows(table: "pa.Table", format_: Format) -> None:
    """Print rows in a format; as a table, nothing if there are none."""
    rows = table.to_pylist()
    if format_ is Format.table:
        if rows:
            _write_table(table.column_names, rows)
    elif format_ is Format.csv:
        write_csv(table)
    else:
        write_json(rows, format_)


def write_json(document: Any, format_: Format = Format.json) -> None:
    """Print a document as indented JSON, or as JSON lines: one per row of a list."""
    from weft.core import json as documents

    in_lines = format_ is Format.jsonl
    parts = document if in_lines and isinstance(document, list) else [document]
    indent = None if in_lines else 2
    for part in parts:
        text = json.dumps(documents.to_json_value(part), ensure_ascii=False, indent=indent)
        sys.stdout.write(CONTROL_CHARS.sub(lambda char: f"\\u{ord(char[0]):04x}", text) + "\n")


def write_result(workspace: "Workspace", document: dict[str, Any]) -> None:
    """Print the document of a result, with title and kind of the pages in it."""
    from weft.workspace.page_refs import add_page_refs

    write_json(add_page_refs(workspace.collection, document))


def write_facts_csv(facts: dict[str, Any] | list[dict[str, Any]]) -> None:
    """Print facts as CSV: a row per fact, or the given rows."""
    import pyarrow as pa

    rows = facts if isinstance(facts, list) else [{"fact": k, "value": v} for k, v in facts.items()]
    if rows:
        columns = {
            name: [str(v) if isinstance(v, str | int) else json.dumps(v) for v in values]
            for name, values in ((name, [row[name] for row in rows]) for name in rows[0])
        }
        write_csv(pa.table(columns))


def write_csv(table: "pa.Table", stream: IO[str] | None = None) -> None:
    """Write a table as CSV, by default to standard output; nothing in it runs as a formula."""
    from weft.core.tables import flatten_for_csv

    safe = flatten_for_csv(table)
    writer = csv.writer(stream or sys.stdout)
    writer.writerow(safe.column_names)
    writer.writerows(row.values() for row in safe.to_pylist())


def _write_table(names: list[str], rows: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        numeric = isinstance(rows[0][name], int | float)
        grid.add_column(
            name, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric
        )
    for row in rows:
        grid.add_row(*(Text(_format_cell(name, value)) for name, value in row.items()))
    console = Console(
        highlight=False,
        color_system="auto" if styles_enabled() else None,
        width=None if sys.stdout.isatty() else UNLIMITED_WIDTH,
    )
    with console.capture() as printed:
        console.print(grid)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in printed.get().splitlines())


def _format_cell(name: str, value: object) -> str:
    if not isinstance(value, list):
        return escape_for_terminal(value)
    return join_pages(name, map(escape_for_terminal, value))


@contextmanager
def progress_bars() -> Iterator[None]:
    """Draw a bar on standard error for each loop that reports progress."""
    if settings.quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    from weft.core.progress import listener

    columns = TextColumn("{task.description:>7}"), BarColumn(), TextColumn("{task.fields[count]}")
    with Progress(
        *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def update_bar(label: str, done: int, total: int | None) -> None:
            if label not in tasks:
                tasks[label] = bars.add_task(label, total=total, count="")
            task = bars.tasks[bars.task_ids.index(tasks[label])]
            speed = done / task.elapsed if task.elapsed else 0
            count = f"{done / 1e6:,.0f} MB" if label == "read" else f"{done:,} · {speed:,.0f}/s"
            bars.update(tasks[label], completed=done, total=total, count=count)

        token = listener.set(update_bar)
        try:
            yield
        finally:
            listener.reset(token)


def format_examples(lines: Sequence[str]) -> str:
    """Format examples for the end of a help text, one per line."""
    # click does not rewrap a paragraph that starts with \b
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


EXAMPLES: dict[Callable[..., Any], Sequence[str]] = {}


def with_examples(*lines: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Attach examples to a command, which its help shows."""

    def attach(command: Callable[..., Any]) -> Callable[..., Any]:
        EXAMPLES[command] = lines
        return command

    return attach
