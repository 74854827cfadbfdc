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
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.core.wording import CONTROL

if TYPE_CHECKING:
    import pyarrow as pa


FULL = 1_000_000  # the width of what is no terminal, where no cell is cut or folded


class Format(StrEnum):
    """How rows are written."""

    table = "table"
    csv = "csv"
    jsonl = "jsonl"
    json = "json"


Chosen = Annotated[Format, typer.Option("--format", "-f", help="how rows are written")]


@dataclass(slots=True)
class Settings:
    """What the options before the verb said."""

    quiet: bool = False
    verbose: bool = False


settings = Settings()


def has_styles() -> bool:
    """Whether output may be bold and coloured: on a terminal, unless NO_COLOR is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def plain(value: object) -> str:
    """A value as text that a terminal shows and does not obey."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        if isnan(value):
            return "none"
        return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.3g}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}" if value.year > 1970 else ""
    return (
        CONTROL.sub("", str("" if value is None else value)).replace("\n", " ").replace("\t", " ")
    )


def note(words: str, *, always: bool = False) -> None:
    """Say something beside the data."""
    if always or not settings.quiet:
        sys.stderr.write("\n".join(CONTROL.sub("", line) for line in words.split("\n")) + "\n")


def write_rows(table: "pa.Table", format_: Format) -> None:
    """Print rows in the chosen format; no rows are no table."""
    rows = table.to_pylist()
    if format_ is Format.table:
        if rows:
            _write_table(table.column_names, rows)
    elif format_ is Format.csv:
        _write_csv(table)
    else:
        write_json(rows, format_)


def write_json(document: Any, form: Format = Format.json) -> None:
    """Print a document as JSON to read, or as JSON lines: one, or one for each of its rows."""
    from weft.core import documents

    in_lines = form is Format.jsonl
    parts = document if in_lines and isinstance(document, list) else [document]
    indent = None if in_lines else 2
    for part in parts:
        words = json.dumps(documents.plain(part), ensure_ascii=False, indent=indent)
        sys.stdout.write(CONTROL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", words) + "\n")


def write_pairs(facts: dict[str, Any] | list[dict[str, Any]]) -> None:
    """Print facts, or rows of them, as CSV."""
    import pyarrow as pa

    rows = facts if isinstance(facts, list) else [{"fact": k, "value": v} for k, v in facts.items()]
    if rows:
        columns = {
            name: [str(v) if isinstance(v, str | int) else json.dumps(v) for v in values]
            for name, values in ((name, [row[name] for row in rows]) for name in rows[0])
        }
        _write_csv(pa.table(columns))


def _write_csv(table: "pa.Table") -> None:
    from weft.core.tabular import flat

    safe = flat(table)
    writer = csv.writer(sys.stdout)
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
        grid.add_row(*(Text(plain(value)) for value in row.values()))
    console = Console(
        highlight=False,
        color_system="auto" if has_styles() else None,
        width=None if sys.stdout.isatty() else FULL,
    )
    with console.capture() as printed:
        console.print(grid)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in printed.get().splitlines())


@contextmanager
def progress() -> Iterator[None]:
    """Draw a bar on standard error for each loop that reports itself."""
    if settings.quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    from weft.core.progress import listener

    columns = TextColumn("{task.description:>7}"), BarColumn(), TextColumn("{task.fields[count]}")
    with Progress(
        *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def draw(label: str, done: int, total: int | None) -> None:
            if label not in tasks:
                tasks[label] = bars.add_task(label, total=total, count="")
            task = bars.tasks[bars.task_ids.index(tasks[label])]
            speed = done / task.elapsed if task.elapsed else 0
            shown = f"{done / 1e6:,.0f} MB" if label == "read" else f"{done:,} · {speed:,.0f}/s"
            bars.update(tasks[label], completed=done, total=total, count=shown)

        token = listener.set(draw)
        try:
            yield
        finally:
            listener.reset(token)


def pasteable(lines: Sequence[str]) -> str:
    """Examples for the end of a help text, a line each, which is left as it is."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


EXAMPLES: dict[Callable[..., Any], Sequence[str]] = {}


def examples(*lines: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a verb examples, to be pasted, which its help shows."""

    def attach(verb: Callable[..., Any]) -> Callable[..., Any]:
        EXAMPLES[verb] = lines
        return verb

    return attach
