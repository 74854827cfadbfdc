"""Results that are facts and tables: how commands print them, and write reports."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from weft.cli.output import Format, escape_for_terminal, print_note, write_rows
from weft.core.errors import BadParameter
from weft.core.text import pluralise

if TYPE_CHECKING:
    import pyarrow as pa

    from weft.core.fact_sheet import FactSheet

BAR_WIDTH = 20
HTML_SUFFIXES = (".html", ".htm")


def print_fact_sheet(sheet: "FactSheet", table: str, top: int, first: str = "") -> None:
    """Print the facts, unless a table is named, and the first rows of it or of the first one."""
    from weft.core.fact_sheet import format_fact

    shown = table or first or next(iter(sheet.tables))
    if not table:
        width = max(map(len, sheet.facts), default=0)
        for name, value in sheet.facts.items():
            typer.echo(
                f"{escape_for_terminal(name):<{width}}  {escape_for_terminal(format_fact(value))}"
            )
    rows = sheet.to_table(shown)
    if table and not len(rows):
        print_note(f"{shown}: no rows")
    write_rows(_add_share_bars(rows.slice(0, top)), Format.table)
    if len(rows) > top:
        print_note(f"{pluralise(len(rows) - top, 'more row')} (--top, or --format csv for all)")
    others = [name for name in sheet.tables if name not in (shown, "facts")]
    if others and not table:
        print_note(f"more tables (--table): {', '.join(others)}")


def _add_share_bars(rows: "pa.Table") -> "pa.Table":
    """Put a column of bars behind the column `share`, if the table has it."""
    import pyarrow as pa

    if "share" not in rows.column_names:
        return rows
    bars = [
        "█" * round(BAR_WIDTH * share) or "▏" * (share > 0) for share in rows["share"].to_pylist()
    ]
    at = rows.column_names.index("share") + 1
    return rows.add_column(at, "", pa.array(bars, pa.string()))


def check_report_path(file: Path | None) -> None:
    """Reject a report file that does not end in .html, or whose folder does not exist."""
    if file is None:
        return
    from weft.graph.formats import check_output_path

    check_output_path(file)
    if file.suffix.lower() not in HTML_SUFFIXES:
        hint = f"a report is HTML: {file.stem}.html"
        raise BadParameter(f"{file.name} does not end in .html", hint=hint)


def write_report(file: Path, html: str) -> None:
    """Write a report to a file, and print its size."""
    file.write_text(html, "utf-8")
    print_note(f"{escape_for_terminal(file)}: {len(html.encode()) / 1e3:,.0f} kB")
