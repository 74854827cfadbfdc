"""`weft rank [METHOD] COLLECTION`: order pages, hosts or domains."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.arguments import Folder, Top
from weft.cli.kinds import Kind
from weft.cli.output import (
    Format,
    FormatOption,
    print_note,
    progress_bars,
    write_result,
    write_rows,
)
from weft.core.text import describe_dropped, pluralise

if TYPE_CHECKING:
    from weft.graph.selection import Selection
    from weft.rank import Ranking

ScoreOption = Annotated[
    str, typer.Option("--by", help="order by this score: authority, hub, …", show_default=False)
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="write the whole ranking to .csv, .tsv, .parquet or .jsonl",
        show_default=False,
    ),
]


def rank(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    top: Top = 10,
    by: ScoreOption = "",
    out: OutOption = None,
    format_: FormatOption = Format.table,
    *,
    selection: "Selection",
) -> None:
    """Rank pages by PageRank, HITS or another method.

    Ranks all pages, or with --query the base set: the search results and the
    pages linked with them. The options from --level on say which part of the
    collection is looked at, and which links count.
    """
    from weft.graph.formats import check_table_format, write_pages
    from weft.workspace.workspace import Workspace

    if out is not None:
        check_table_format(out)
    workspace = Workspace(folder)
    with progress_bars():
        result = workspace.rank(method, selection, **options)
        table = result.to_table(by)
    print_note(repr(result).strip("<>") + (f"; ordered by {by}" if by else ""))
    if format_ is Format.json:
        write_result(workspace, result.to_document(by, top=top))
    else:
        write_rows(table.slice(0, top), format_)
    print_ranking_notes(result)
    if out is not None:
        written = write_pages(table, out)
        print_note(f"{pluralise(written, selection.level)} written to {out}")


KIND = Kind(
    "rank",
    "Rank pages by PageRank, HITS or another method.",
    rank,
    (
        "weft rank mine.weft --top 20",
        "weft rank mine.weft --query jaguar --steps 2 --exclude ads.example.com",
        "weft rank mine.weft --level host --out ranking.csv",
    ),
)


def print_ranking_notes(ranking: "Ranking") -> None:
    """Print what was left out, whether it converged, and whether the solution is unique."""
    for dropped in ranking.provenance.get("left_out", ()):
        print_note(describe_dropped(**dropped, level=ranking.level))
    if not len(ranking):
        query = ranking.provenance.get("query")
        print_note(f"no page matches {query}" if query else "no pages to rank")
        return
    print_note(describe_convergence(ranking))
    if ranking.details.get("topics") and not ranking.options["topics"]:
        print_note(_describe_collection_topics(ranking))
    certainty = ranking.certainty
    if certainty.note:
        print_note(certainty.note)
    elif not certainty.unique:
        print_note("the solution is not unique")


def _describe_collection_topics(ranking: "Ranking") -> str:
    """The topics of the collection that a ranking used, by decreasing weight."""
    weights = ranking.details["weights"]
    order = sorted(weights, key=weights.__getitem__, reverse=True)
    shown = [f"{name} ({weights[name]:.0%})" for name in order[:5]]
    more = [f"{len(order) - 5} more"] if len(order) > 5 else []
    return f"topics of the collection: {', '.join(shown + more)}"


def describe_convergence(ranking: "Ranking") -> str:
    """How the iteration ended: exact, converged, in a cycle, or stopped."""
    trace = ranking.trace
    ending = f"{pluralise(trace.iterations, 'iteration')}, last change {trace.change:.2g}"
    if trace.stopped == "closed form":
        return "exact: computed without iteration"
    if trace.converged:
        return f"converged after {ending}"
    if trace.stopped == "cycle":
        return f"not converged: the scores repeat in a cycle of {trace.period} after {ending}"
    if ranking.options.get("iterations") == trace.iterations:
        return f"not converged: stopped after {ending}, as set by --iterations"
    hint = " (raise --max-iter or --tol)" if "max_iter" in ranking.options else ""
    return f"not converged: stopped at the limit of {ending}{hint}"
