"""`weft classify [METHOD] COLLECTION [--train FILE.csv]`: classify pages by examples or tags."""

from pathlib import Path
from typing import Annotated, Any

import typer

from weft.cli.kinds import Folder, Kind, reject_conflicting_options
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    progress_bars,
    write_result,
    write_rows,
)
from weft.graph.selection import EXCLUDE_TAG_HELP, ONLY_TAG_HELP

TrainOption = Annotated[
    Path | None,
    typer.Option(
        "--train",
        metavar="FILE",
        help="CSV with the columns url and class; default: tags",
        show_default=False,
    ),
]
FacetOption = Annotated[
    str, typer.Option(help="learn the tags of this facet; default: decision", show_default=False)
]
AllRows = Annotated[
    int | None,
    typer.Option("--top", "-n", min=1, help="number of rows; default: all", show_default=False),
]
ReasonsOption = Annotated[bool, typer.Option("--reasons", help="add words, neighbours and anchors")]
ClassOption = Annotated[
    str,
    typer.Option("--class", help="list the pages of this class, best first", show_default=False),
]
SummaryOption = Annotated[
    bool, typer.Option("--summary", help="the share of each class, corrected for errors")
]
NextOption = Annotated[
    int | None,
    typer.Option("--next", min=1, max=1000, help="this many pages to tag next", show_default=False),
]
OnlyTagOption = Annotated[
    list[str] | None,
    typer.Option("--only-tag", metavar="<str>", help=ONLY_TAG_HELP, show_default=False),
]
ExcludeTagOption = Annotated[
    list[str] | None,
    typer.Option("--exclude-tag", metavar="<str>", help=EXCLUDE_TAG_HELP, show_default=False),
]
CurveOption = Annotated[bool, typer.Option("--curve", help="what fewer examples would have given")]


def classify(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    train: TrainOption = None,
    facet: FacetOption = "",
    top: AllRows = None,
    reasons: ReasonsOption = False,
    class_: ClassOption = "",
    summary: SummaryOption = False,
    next_: NextOption = None,
    curve: CurveOption = False,
    only_tag: OnlyTagOption = None,
    exclude_tag: ExcludeTagOption = None,
    format_: FormatOption = Format.table,
) -> None:
    """Classify pages by examples.

    Learns from the pages in a CSV file with the columns url and class, or from
    the tags of the collection, and prints url, class and certainty of every
    other captured page, most certain first. How well it does on examples held
    out is printed too, and what may make that estimate too good.
    """
    from weft.workspace.workspace import Workspace

    given = {"--summary": summary, "--next": next_, "--curve": curve, "--class": class_}
    reject_conflicting_options(dict(given))
    workspace, document = Workspace(folder), None
    with progress_bars():
        result = workspace.classify(
            train,
            method,
            facet=facet,
            only_tag=only_tag or (),
            exclude_tag=exclude_tag or (),
            **options,
        )
        if summary:
            table = result.summary_table()
        elif next_:
            table = result.next_table(next_)
        elif curve:
            table = result.curve_table()
        elif format_ is Format.json:
            document = result.to_document(top=top, reasons=reasons, class_=class_)
        else:
            table = result.to_table(top=top, reasons=reasons, class_=class_)
        warnings = result.warnings
    if document is not None:
        write_result(workspace, document)
    else:
        write_rows(table, format_)
    for note in (*result.notes, *warnings):
        print_note(escape_for_terminal(note))
    print_note(escape_for_terminal(repr(result).strip("<>")))


KIND = Kind(
    "classify",
    "Classify pages by examples.",
    classify,
    (
        "weft classify mine.weft --train examples.csv",
        "weft classify mine.weft --facet topic --top 20 --reasons",
        "weft classify mine.weft --train examples.csv --format csv > classes.csv",
        "weft classify mine.weft --train examples.csv --summary",
        "weft classify mine.weft --facet topic --next 10",
        "weft classify mine.weft --facet topic --exclude-tag decision=out",
    ),
)
