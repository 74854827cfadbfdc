"""`weft rank [METHOD] COLLECTION`: order pages, hosts or domains."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.kinds import (
    CollectionOrEdges,
    Kind,
    SparkOption,
    StagingOption,
    Top,
    check_method,
    edge_table,
    reject_conflicting_options,
    require_master,
    run_on_spark,
)
from weft.cli.output import (
    Format,
    FormatOption,
    print_note,
    progress_bars,
    write_json,
    write_result,
    write_rows,
)
from weft.core.errors import BadParameter
from weft.core.text import describe_dropped, pluralise

if TYPE_CHECKING:
    from weft.graph.selection import Selection
    from weft.rank import Ranking
    from weft.spark.ranking import SparkRanking

ScoreOption = Annotated[
    str, typer.Option("--by", help="order by this score: authority, hub, …", show_default=False)
]
BackendOption = Annotated[
    str,
    typer.Option(help="scipy, numba or cupy (a GPU); default by size", show_default=False),
]
# A text, since a path would make one slash of the two in s3a://.
OutOption = Annotated[
    str,
    typer.Option(
        "--out",
        "-o",
        metavar="<path>",
        help="write the whole ranking to .csv, .tsv, .parquet or .jsonl",
        show_default=False,
    ),
]


def rank(
    method: str,
    options: dict[str, Any],
    folder: CollectionOrEdges,
    top: Top = 10,
    by: ScoreOption = "",
    out: OutOption = "",
    backend: BackendOption = "",
    format_: FormatOption = Format.table,
    spark: SparkOption = "",
    staging: StagingOption = "",
    *,
    selection: "Selection",
) -> None:
    """Rank pages by PageRank, HITS or another method.

    Ranks all pages, or with --query the base set: the search results and the
    pages linked with them. The options from --level on say which part of the
    collection is looked at, and which links count. With --spark the links are an
    edge table in Parquet, with columns source, target and perhaps weight.
    """
    from weft.graph.formats import check_table_format, write_table
    from weft.workspace.workspace import Workspace

    if staging:
        require_master(spark)
    if spark:
        reject_conflicting_options({"--spark": spark, "--backend": backend})
        check_method("rank", method)
        parquet = _parquet_folder(out) if out else ""
        with progress_bars(), edge_table(spark, staging, folder, selection) as table:
            ranking = run_on_spark("rank", method, options, table)
            _print_spark_ranking(ranking, top, by, format_)
            if parquet:
                ranking.write_parquet(parquet)
                print_note(f"{pluralise(len(ranking), selection.level)} written to {out}")
        return
    if out:
        check_table_format(Path(out))
    workspace = Workspace(Path(folder))
    with progress_bars(), _on_backend(backend):
        result = workspace.rank(method, selection, **options)
        table = result.to_table(by)
    print_note(repr(result).strip("<>") + (f"; ordered by {by}" if by else ""))
    if format_ is Format.json:
        write_result(workspace, result.to_document(by, top=top))
    else:
        write_rows(table.slice(0, top), format_)
    print_ranking_notes(result)
    if out:
        written = write_table(table, Path(out))
        print_note(f"{pluralise(written, selection.level)} written to {out}")


def _print_spark_ranking(ranking: "SparkRanking", top: int, by: str, format_: Format) -> None:
    """Print the best pages of a ranking on Spark, and how it ended."""
    print_note(repr(ranking).strip("<>") + (f"; ordered by {by}" if by else ""))
    if format_ is Format.json:
        write_json(ranking.to_document(by, top=top))
    else:
        write_rows(ranking.top(top, by), format_)
    print_note(describe_convergence(ranking))
    for note in filter(None, (ranking.certainty.note, *ranking.table.blocks.notes)):
        print_note(note)


def _parquet_folder(out: str) -> str:
    """The URL or absolute path of a folder of Parquet files, which does not exist yet."""
    from weft.spark.array_folder import is_remote

    if not out.endswith(".parquet"):
        hint = "such as --out ranking.parquet"
        raise BadParameter("a ranking on Spark is written to a folder of Parquet files", hint=hint)
    if is_remote(out):
        return out
    if Path(out).exists():
        raise BadParameter(f"{out} exists already", hint="choose another name, or delete it")
    return str(Path(out).absolute())


KIND = Kind(
    "rank",
    "Rank pages by PageRank, HITS or another method.",
    rank,
    (
        "weft rank mine.weft --top 20",
        "weft rank mine.weft --query jaguar --steps 2 --exclude ads.example.com",
        "weft rank mine.weft --level host --out ranking.csv",
        "weft rank pagerank links.parquet --spark local[4]",
        "weft rank mine.weft --backend cupy",
    ),
)


@contextmanager
def _on_backend(name: str) -> Iterator[None]:
    """Use a backend, if one is named; note what it cannot do."""
    if not name:
        yield
        return
    from weft.engine import use

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        with use(name):
            yield
    for warning in caught:
        print_note(str(warning.message))


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


def describe_convergence(ranking: "Ranking | SparkRanking") -> str:
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
