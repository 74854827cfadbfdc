"""Verbs that ask what a ranking is worth: why, known-for, compare-methods."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from weft.core.errors import BadParameter
from weft.graph.options import UNFILTERED
from weft.show.cli.arguments import (
    AtLevel,
    Folder,
    Option,
    Query,
    Top,
    base_of,
    method_options,
    only_one,
    with_base_options,
)
from weft.show.cli.output import (
    Chosen,
    Format,
    examples,
    note,
    plain,
    progress,
    write_json,
    write_rows,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from weft.rank import Comparison, Stability


@examples(
    "weft why mine.weft example.com/",
    "weft why mine.weft example.com/ --group anchor",
    "weft why mine.weft example.com/ --query jaguar --group topic",
    "weft why mine.weft example.com/ --method hits --query jaguar --group site",
    "weft why mine.weft example.com/ --method hits --by hub",
    "weft why mine.weft example.com --level host --option follow=0.9",
)
@with_base_options()
def why(
    folder: Folder,
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="a page, or a host or domain with --level", show_default=False
        ),
    ],
    method: Annotated[str, typer.Option(help="the method that ranks")] = "pagerank",
    by: Annotated[
        str,
        typer.Option(help="which score, where a method gives several: hub", show_default=False),
    ] = "",
    group: Annotated[
        Literal["page", "site", "anchor", "topic"],
        typer.Option(help="by linking page, its site, the words, or the topics of a query"),
    ] = "page",
    top: Top = 10,
    level: AtLevel = "page",
    query: Query = "",
    option: Option = None,
    format_: Chosen = Format.table,
    **base: Any,
) -> None:
    """Say which links brought a page how much of its score.

    The amounts, with what came otherwise than by links, add up to the score;
    the last line is their sum. With a query it is told too in which of its
    topics the page is, as what, and through whom; or why in none.
    """
    import weft.rank  # noqa: F401  registers its methods
    from weft.core.methods import find
    from weft.run.workspace import Workspace

    workspace = Workspace(folder)
    if query:
        with progress():
            stands = workspace.standing(url, query, base=base_of(base))
        note("\n".join(map(plain, stands.lines())))
        if group == "topic" or stands.origin is None:
            write_rows(stands.to_table(), format_)
            return
    if group == "topic":
        raise BadParameter("topics are those of a query", hint="add --query")
    with progress():
        found = workspace.why(
            url,
            method,
            by=by,
            level=level,
            query=query,
            base=base_of(base),
            **method_options(find("rank", method), option or []),
        )
        table = found.table(group)
    note(repr(found).strip("<>"))
    write_rows(_summed(table, top, len(found.why.names)), format_)


@examples(
    "weft known-for mine.weft example.com/",
    "weft known-for mine.weft example.com/ --query jaguar --top 20",
)
@with_base_options(UNFILTERED)
def known_for(
    folder: Folder,
    url: Annotated[str, typer.Argument(metavar="URL", help="a page", show_default=False)],
    query: Query = "",
    least: Annotated[int, typer.Option(min=1, help="leave out words on fewer pages than that")] = 5,
    top: Top = 10,
    format_: Chosen = Format.table,
    **base: Any,
) -> None:
    """Say which words a page is known for among the pages that lead to it.

    A word counts by how often a reader who starts on a page with it, follows
    links and now and then starts anew, comes upon the page. Only words that
    pages linking to it have are counted.
    """
    from weft.run.workspace import Workspace

    with progress():
        found = Workspace(folder).known_for(url, query=query, base=base_of(base), least=least)
    note(repr(found).strip("<>"))
    write_rows(found.to_table().slice(0, top), format_)


def _summed(table: "pa.Table", top: int, pages: int) -> "pa.Table":
    """The first links, the others as one row, what came otherwise, and the total of all pages.

    A page that links in several words stands in several rows, but counts once in the total.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    def together(rows: "pa.Table", name: str) -> "pa.Table":
        sums = {column: sum(rows[column].to_pylist()) for column in ("pages", "amount", "share")}
        return pa.Table.from_pylist([{"from": name, **sums}], schema=table.schema)

    by_link = pc.greater(table["pages"], 0)
    links, otherwise = table.filter(by_link), table.filter(pc.invert(by_link))
    rest = links.slice(top)
    more = [together(rest, f"({len(rest):,} more)")] if len(rest) else []
    total = together(table, "(total)").set_column(1, table.schema.field("pages"), [[pages]])
    return pa.concat_tables([links.slice(0, top), *more, otherwise, total])


@examples(
    "weft compare-methods mine.weft",
    "weft compare-methods mine.weft --methods hits,salsa,pagerank --query jaguar",
    "weft compare-methods mine.weft --level host --stability",
    "weft compare-methods mine.weft --judgements ratings.csv --top 5",
)
@with_base_options()
def compare_methods(
    folder: Folder,
    methods: Annotated[
        str, typer.Option(help="which, with commas; see `weft methods`", show_default=False)
    ] = "",
    level: AtLevel = "page",
    query: Query = "",
    by: Annotated[
        str, typer.Option(help="the score to compare, where there is one so called")
    ] = "",
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, max=10_000, help="how many first places to compare")
    ] = 10,
    stability: Annotated[
        bool, typer.Option("--stability", help="rank again and again without a tenth of the links")
    ] = False,
    trials: Annotated[
        int | None, typer.Option(min=1, max=1000, help="how often, for --stability; else 20 times")
    ] = None,
    judgements: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="a CSV file of ratings by people: url,rating"),
    ] = None,
    relevant: Annotated[
        float | None,
        typer.Option(help="the least rating of a relevant page; else above the middle"),
    ] = None,
    format_: Chosen = Format.table,
    **base: Any,
) -> None:
    """Compare the orders that several methods give, and show where they part.

    As a table: how alike the orders are (Kendall's tau-b: 1 the same, 0
    unrelated, -1 the reverse), and the pages on which they differ most. With
    --judgements also how each agrees with ratings of some pages: precision,
    nDCG and tau-b. As rows: every pair with all measures, or with --stability
    or --judgements every method.
    """
    from weft.run.workspace import USUAL, Workspace

    if trials and not stability:
        raise BadParameter("--trials are those of --stability", hint="add --stability")
    if relevant is not None and judgements is None:
        raise BadParameter("--relevant is said of --judgements", hint="add --judgements FILE")
    if format_ in (Format.csv, Format.jsonl):
        only_one({"--stability": stability, "--judgements": judgements})
    names = [name.strip() for name in methods.split(",") if name.strip()] or list(USUAL)
    workspace = Workspace(folder)
    view: dict[str, Any] = {
        "level": level,
        "query": query,
        "base": base_of(base),
        "by": by,
        "top": top,
    }
    steady: list[Stability] = []
    with progress():
        found = workspace.compare(*names, **view, judgements=judgements, relevant=relevant)
        if stability:
            steady = [workspace.stability(name, trials=trials or 20, **view) for name in names]
    _show(found, steady, top, format_)


def _show(found: "Comparison", steady: "list[Stability]", top: int, form: Format) -> None:
    """Tables one below the other, one document as JSON, else one kind of rows."""
    import pyarrow as pa

    note(repr(found).strip("<>"))
    for name in found.unsettled:
        note(f"{name} has not converged: its order may still change")
    stable = pa.Table.from_pylist([one.row for one in steady])
    judged = found.judged.to_table() if found.judged else stable.slice(0, 0)
    if found.judged:
        note("\n".join(found.judged.notes()))
    if form is Format.json:
        parts = {"matrix": found.matrix(), "pairs": found.to_table(), "stability": stable}
        parts["disagreements"] = found.disagreements(top)
        parts["judgements"] = judged
        write_json({name: table.to_pylist() for name, table in parts.items()})
    elif form is not Format.table:
        write_rows(judged if found.judged else stable if steady else found.to_table(), form)
    else:
        shown = {
            "How alike the orders are (tau-b)": found.matrix(),
            f"Of the first {top} places, the share in common": _heads(found),
            "Where they differ most (places, and how many doublings apart)": found.disagreements(
                top
            ),
        }
        if steady:
            gap, ratio = steady[0].gap, steady[0].ratio
            note(f"eigengap {gap:.4g}; the second eigenvalue is {ratio:.0%} of the first")
            brief = stable.select(["method", *BRIEF]).rename_columns(["method", *BRIEF.values()])
            shown["What is left when a tenth of the links is dropped"] = brief
        if found.judged:
            brief = judged.select(list(AGREEING)).rename_columns(list(AGREEING.values()))
            shown[f"How the first {top} agree with the ratings"] = brief
        for title, table in shown.items():
            typer.echo(typer.style(title, bold=True))
            write_rows(table, form)


def _heads(found: "Comparison") -> "pa.Table":
    """The measures that look at the first places, pair by pair."""
    return found.to_table().select(["first", "second", "overlap", "jaccard", "cut_tie", "rbo"])


BRIEF = {
    f"{measure}_{which}": f"{short} {which}".removesuffix(" mean")
    for measure, short in {"tau_b": "tau-b", "rbo": "rbo", "overlap": "overlap"}.items()
    for which in ("mean", "min")
}
AGREEING = {
    "method": "method",
    "precision": "precision",
    "ndcg": "nDCG",
    "tau_b": "tau-b",
    "judged": "judged",
    "judged_in_top": "top judged",
    "unjudged_in_top": "top unjudged",
}
VERBS = (why, known_for, compare_methods)
