"""Commands that explain and compare rankings: why, known-for, compare-methods."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from weft.cli.completion import complete_method, complete_page
from weft.cli.kinds import (
    Folder,
    MethodOptions,
    Top,
    UrlArgument,
    parse_method_options,
    reject_conflicting_options,
    reject_words_of_method,
    with_selection,
)
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    progress_bars,
    with_examples,
    write_json,
    write_result,
    write_rows,
)
from weft.core.errors import BadParameter
from weft.graph.selection import UNFILTERED_SELECTION, Selection

if TYPE_CHECKING:
    import pyarrow as pa

    from weft.rank import Comparison, Stability
    from weft.workspace.workspace import Workspace


@with_examples(
    "weft why mine.weft example.com/",
    "weft why mine.weft example.com/ --group anchor",
    "weft why mine.weft example.com/ --query jaguar --group topic",
    "weft why mine.weft example.com/ --method hits --query jaguar --group site",
    "weft why mine.weft example.com/ --method hits --by hub",
    "weft why mine.weft example.com --level host --option damping=0.9",
)
@with_selection()
def why(
    folder: Folder,
    url: UrlArgument,
    method: Annotated[
        str, typer.Option(help="ranking method", autocompletion=complete_method)
    ] = "pagerank",
    by: Annotated[
        str, typer.Option(help="explain this score, such as hub", show_default=False)
    ] = "",
    group: Annotated[
        Literal["page", "site", "anchor", "topic"],
        typer.Option(help="group by linking page, site, anchor text, or query topic"),
    ] = "page",
    top: Top = 10,
    option: MethodOptions = None,
    format_: FormatOption = Format.table,
    *,
    selection: Selection,
) -> None:
    """Explain which links a page's score comes from.

    The contributions of links and other sources add up to the score, which is
    the last row. With --query, also shows the topics of the page, as authority
    or hub, or the reason why it is in none.
    """
    from weft.workspace.analyse import find_registered
    from weft.workspace.workspace import Workspace

    registered = find_registered("rank", method)
    options = parse_method_options(registered, option or [])
    reject_words_of_method(registered, selection)
    workspace = Workspace(folder)
    if selection.query:
        with progress_bars():
            membership = workspace.topic_membership(url, selection.query, selection)
        print_note("\n".join(map(escape_for_terminal, membership.lines())))
        if group == "topic" or membership.origin is None:
            if format_ is Format.json:
                write_json(membership.to_document())
            else:
                write_rows(membership.to_table(), format_)
            return
    if group == "topic":
        raise BadParameter("--group topic needs a query", hint="add --query")
    with progress_bars():
        explanation = workspace.why(url, method, selection, by=by, **options)
    print_note(repr(explanation).strip("<>"))
    if format_ is Format.json:
        write_json(explanation.to_document(group, top))
        return
    pages = len(explanation.breakdown.neighbours)
    write_rows(_truncate_with_totals(explanation.table(group), top, pages), format_)


@with_examples(
    "weft known-for mine.weft example.com/",
    "weft known-for mine.weft example.com/ --query jaguar --top 20",
)
@with_selection(UNFILTERED_SELECTION)
def known_for(
    folder: Folder,
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="a page", show_default=False, autocompletion=complete_page
        ),
    ],
    min_pages: Annotated[int, typer.Option(min=1, help="ignore words on fewer than N pages")] = 2,
    top: Top = 10,
    format_: FormatOption = Format.table,
    *,
    selection: Selection,
) -> None:
    """Show the words and phrases that a page is known for.

    They are phrases of anchor texts and titles that are used for this page more
    than for others. Each is scored by how often a random surfer who starts on
    pages with it, and teleports back to them, visits the page. Without a query
    the pages within two links of the page count; --steps is for a query.
    """
    from weft.workspace.workspace import Workspace

    with progress_bars():
        reputation = Workspace(folder).known_for(url, selection, min_pages=min_pages)
    print_note(repr(reputation).strip("<>"))
    if format_ is Format.json:
        write_json(reputation.to_document(top))
    else:
        write_rows(reputation.to_table().slice(0, top), format_)


def _truncate_with_totals(table: "pa.Table", top: int, pages: int) -> "pa.Table":
    """The top rows of links, one row for the other links, other sources, and the total.

    A page whose links have several anchor texts is in several rows, but counts once in
    the total.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    def sum_rows(rows: "pa.Table", name: str) -> "pa.Table":
        sums = {column: sum(rows[column].to_pylist()) for column in ("pages", "amount", "share")}
        return pa.Table.from_pylist([{"from": name, **sums}], schema=table.schema)

    by_link = pc.greater(table["pages"], 0)
    links, other_sources = table.filter(by_link), table.filter(pc.invert(by_link))
    others = links.slice(top)
    more = [sum_rows(others, f"({len(others):,} more)")] if len(others) else []
    total = sum_rows(table, "(total)").set_column(1, table.schema.field("pages"), [[pages]])
    return pa.concat_tables([links.slice(0, top), *more, other_sources, total])


@with_examples(
    "weft compare-methods mine.weft",
    "weft compare-methods mine.weft --methods hits,salsa,pagerank --query jaguar",
    "weft compare-methods mine.weft --level host --stability",
    "weft compare-methods mine.weft --judgements ratings.csv --top 5",
)
@with_selection()
def compare_methods(
    folder: Folder,
    methods: Annotated[
        str,
        typer.Option(
            help="methods, with commas; see `weft methods`",
            show_default=False,
            autocompletion=complete_method,
        ),
    ] = "",
    by: Annotated[str, typer.Option(help="compare this score of the methods that have it")] = "",
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, max=10_000, help="compare the first N places")
    ] = 10,
    stability: Annotated[
        bool,
        typer.Option("--stability", help="rank repeatedly without a random tenth of the links"),
    ] = False,
    trials: Annotated[
        int | None, typer.Option(min=1, max=1000, help="trials of --stability; default 20")
    ] = None,
    judgements: Annotated[
        Path | None, typer.Option(metavar="FILE", help="CSV file of human ratings: url,rating")
    ] = None,
    relevant: Annotated[
        float | None, typer.Option(help="minimum rating of a relevant page; default: above middle")
    ] = None,
    format_: FormatOption = Format.table,
    *,
    selection: Selection,
) -> None:
    """Compare the rankings of several methods.

    As a table: the correlation of the rankings (Kendall's tau-b: 1 identical, 0
    unrelated, -1 reversed) and the pages with the largest differences. With
    --judgements, also how well each agrees with ratings of pages: precision,
    nDCG and tau-b. As rows: all measures for each pair of methods or, with
    --stability or --judgements, for each method.
    """
    from weft.workspace.workspace import DEFAULT_METHODS, Workspace

    if trials and not stability:
        raise BadParameter("--trials needs --stability", hint="add --stability")
    if relevant is not None and judgements is None:
        raise BadParameter("--relevant needs --judgements", hint="add --judgements FILE")
    if format_ in (Format.csv, Format.jsonl):
        reject_conflicting_options({"--stability": stability, "--judgements": judgements})
    names = [name.strip() for name in methods.split(",") if name.strip()] or list(DEFAULT_METHODS)
    workspace = Workspace(folder)
    stabilities: list[Stability] = []
    with progress_bars():
        comparison = workspace.compare_methods(
            *names, selection=selection, by=by, top=top, judgements=judgements, relevant=relevant
        )
        if stability:
            stabilities = [
                workspace.stability(name, selection, trials=trials or 20, by=by, top=top)
                for name in names
            ]
    _print_comparison(workspace, comparison, stabilities, top, format_)


def _print_comparison(
    workspace: "Workspace",
    comparison: "Comparison",
    stabilities: "list[Stability]",
    top: int,
    format_: Format,
) -> None:
    """Print all tables, one JSON document, or the rows of one table."""
    import pyarrow as pa

    print_note(repr(comparison).strip("<>"))
    for name in comparison.unconverged:
        print_note(f"{name} has not converged: its order may change")
    stable = pa.Table.from_pylist([stability.row for stability in stabilities])
    judged = comparison.evaluations.to_table() if comparison.evaluations else stable.slice(0, 0)
    if comparison.evaluations:
        print_note("\n".join(comparison.evaluations.notes()))
    if format_ is Format.json:
        more = {"stability": stable.to_pylist()} if stabilities else {}
        write_result(workspace, comparison.to_document(top) | more)
    elif format_ is not Format.table:
        write_rows(
            judged if comparison.evaluations else stable if stabilities else comparison.to_table(),
            format_,
        )
    else:
        shown = {
            "Correlation of the rankings (Kendall's tau-b)": comparison.tau_matrix(),
            f"Overlap of the first {top}": _top_overlaps(comparison),
            "Largest differences (ranks, and log2 of their ratio)": comparison.disagreements(top),
        }
        if stabilities:
            gap, ratio = stabilities[0].eigengap, stabilities[0].eigenvalue_ratio
            print_note(f"eigengap {gap:.4g}; the second eigenvalue is {ratio:.0%} of the first")
            brief = stable.select(["method", *STABILITY_COLUMNS]).rename_columns(
                ["method", *STABILITY_COLUMNS.values()]
            )
            shown["Stability without a random tenth of the links"] = brief
        if comparison.evaluations:
            brief = judged.select(list(JUDGEMENT_COLUMNS)).rename_columns(
                list(JUDGEMENT_COLUMNS.values())
            )
            shown[f"Agreement of the first {top} with the ratings"] = brief
        for title, table in shown.items():
            typer.echo(typer.style(title, bold=True))
            write_rows(table, format_)


def _top_overlaps(comparison: "Comparison") -> "pa.Table":
    """The measures of the first places, for each pair of methods."""
    return comparison.to_table().select(["first", "second", "overlap", "jaccard", "cut_tie", "rbo"])


STABILITY_COLUMNS = {
    f"{measure}_{which}": f"{short} {which}".removesuffix(" mean")
    for measure, short in {"tau_b": "tau-b", "rbo": "rbo", "overlap": "overlap"}.items()
    for which in ("mean", "min")
}
JUDGEMENT_COLUMNS = {
    "method": "method",
    "precision": "precision",
    "ndcg": "nDCG",
    "tau_b": "tau-b",
    "judged": "judged",
    "judged_in_top": "top judged",
    "unjudged_in_top": "top unjudged",
}
COMMANDS = (why, known_for, compare_methods)
