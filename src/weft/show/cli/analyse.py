"""One command per registered method: `weft rank indegree COLLECTION`."""

from collections.abc import Callable
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer
from typer._click import Command, Context
from typer.core import TyperGroup

from weft.core.errors import UnknownName
from weft.core.wording import count, left_out
from weft.show.cli.arguments import AtLevel, Folder, Query, Top, base_of, with_base_options
from weft.show.cli.output import Chosen, Format, note, pasteable, progress, write_rows

if TYPE_CHECKING:
    from weft.core.methods import Method
    from weft.rank import Ranking

USUAL = "pagerank"


class Methods(TyperGroup):
    """The methods of a kind, imported when the kind is called, not when `weft` is."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Take the usual method where none is named: the first word is a collection then."""
        if args and args[0] not in {"-h", "--help", *self._known(ctx)} and _is_no_method(args[0]):
            args = [USUAL, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Context) -> list[str]:
        """The names of the methods."""
        return sorted(self._known(ctx))

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """A method's command; an unknown one is answered with those there are."""
        known = self._known(ctx)
        if cmd_name not in known:
            hint = f"there are: {', '.join(sorted(known))}"
            raise UnknownName("method", cmd_name, known, hint=hint)
        method = known[cmd_name]
        alone = typer.Typer(rich_markup_mode=None, add_completion=False)
        alone.command(method.name, epilog=pasteable(_examples(method)))(command(method))
        return typer.main.get_command(alone)

    def _known(self, ctx: Context) -> dict[str, "Method"]:
        import weft.rank  # noqa: F401  registers its methods
        from weft.core.methods import METHODS

        return {method.name: method for method in METHODS.values() if method.kind == ctx.info_name}


def _is_no_method(word: str) -> bool:
    """Whether a word can only be an option or a folder: methods have letters and dashes alone."""
    return word.startswith("-") or any(sign in word for sign in "./\\") or Path(word).is_dir()


def _examples(method: "Method") -> list[str]:
    start = f"weft {method.kind} {method.name} mine.weft"
    return [
        f"{start} --top 20",
        f"{start} --query jaguar --steps 2 --without ads.example.com",
        f"{start} --level host --out {method.name}.csv",
    ]


rank = typer.Typer(
    cls=Methods,
    no_args_is_help=True,
    subcommand_metavar="[METHOD] COLLECTION [OPTIONS OF THE METHOD]...",
    epilog=pasteable(["weft rank mine.weft", "weft rank hits mine.weft --query jaguar --by hub"]),
)


@rank.callback()
def _rank() -> None:
    """Order the pages by a method; by pagerank where none is named."""


By = Annotated[
    str, typer.Option("--by", help="the score that orders: authority, hub, ...", show_default=False)
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="write the whole ranking to a file: .csv .tsv .parquet .jsonl",
        show_default=False,
    ),
]


def command(method: "Method") -> Callable[..., None]:
    """Give a method a command whose options are the method's own."""

    def run(
        folder: Folder,
        top: Top = 10,
        level: AtLevel = "page",
        query: Query = "",
        by: By = "",
        out: Out = None,
        format_: Chosen = Format.table,
        **options: Any,
    ) -> None:
        from weft.graph.formats import check_ending, write_pages
        from weft.run.workspace import Workspace

        if out is not None:
            check_ending(out)
        with progress():
            result = Workspace(folder).rank(
                method.name,
                level=level,
                query=query,
                base=base_of({k: v for k, v in options.items() if k not in method.options}),
                **{name: options[name] for name in method.options},
            )
            table = result.to_table(by)
        note(repr(result).strip("<>") + (f"; here ordered by {by}" if by else ""))
        write_rows(table.slice(0, top), format_)
        tell(result)
        if out is not None:
            written = write_pages(table, out)
            note(f"{count(written, level)} written to {out}")

    *fixed, rest = signature(run).parameters.values()
    own = []
    for option in method.options.values():
        kind, field = get_args(option.annotation)
        bare = _bare(kind)
        asked = typer.Option(
            help=field.description,
            show_default=option.default not in ([], ""),
            metavar=f"<{get_args(bare)[0].__name__}>" if get_origin(bare) is list else None,
        )
        own.append(option.replace(annotation=Annotated[bare, asked]))
    run.__signature__ = Signature([*fixed, *own, rest])  # type: ignore[attr-defined]
    run.__doc__ = f"{method.summary}\n\nAll about it: `weft methods {method.name}`."
    return with_base_options(taken=method.options)(run)


def _bare(kind: Any) -> Any:
    """The type of an option without the ranges inside, which the method's schema checks."""
    if get_origin(kind) is list:
        [item] = get_args(kind)
        return list[_bare(item)]  # type: ignore[misc]
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def tell(result: "Ranking") -> None:
    """Say how a ranking ended, whether it is the only one, and what was left out."""
    for left in result.provenance.get("left_out", ()):
        note(left_out(**left, level=result.level))
    if not len(result):
        query = result.provenance.get("query")
        note(f"no page is found by {query}" if query else "there is nothing to rank")
        return
    note(ended(result))
    if "topics" in result.provenance:
        note(_own_topics(result))
    certainty = result.certainty
    if certainty.note:
        note(certainty.note)
    elif not certainty.unique:
        note("not unique: other scores would do as well")


def _own_topics(result: "Ranking") -> str:
    """Which topics of the collection a ranking went by, those that count most first."""
    told, weights = result.provenance["topics"], result.details["weights"]
    order = sorted(weights, key=weights.__getitem__, reverse=True)
    shown = [f"{name} ({weights[name]:.0%})" for name in order[:5]]
    more = [f"{len(order) - 5} more"] if len(order) > 5 else []
    return f"topics of the collection, by {told['method']}: {', '.join(shown + more)}"


def ended(result: "Ranking") -> str:
    """How the computation ended, in words."""
    trace = result.trace
    rounds = f"{count(trace.rounds, 'round')}, last change {trace.change:.2g}"
    if trace.stopped == "closed form":
        return "exact: computed without iteration"
    if trace.converged:
        return f"converged after {rounds}"
    if trace.stopped == "cycle":
        return f"not converged: the scores go round in a cycle of {trace.period} after {rounds}"
    if result.options.get("rounds") == trace.rounds:
        return f"not converged: stopped after {rounds}, as --rounds asks"
    cure = " (raise --limit, or --tolerance)" if "limit" in result.options else ""
    return f"not converged: stopped at the limit of {rounds}{cure}"
