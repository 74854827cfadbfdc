"""`weft KIND [METHOD] COLLECTION …`: one command for every method of every kind.

Arguments, options and the words of a selection are declared here, for these and for
the other commands. The methods of a kind are imported when the kind is called, not when `weft` is.
The first word after the kind is a method if and only if the kind registers one
of that name; anything else is the collection, and `./name` always is.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from weft.cli.completion import complete_page
from weft.cli.output import format_examples
from weft.core.errors import BadParameter, UnknownName
from weft.core.register import find_method
from weft.core.text import join_with_and, shorten
from weft.graph.selection import DEFAULT_SELECTION, UNCAPTURED_HELP, DropOrKeep, Selection

if TYPE_CHECKING:
    from dataclasses import Field

    from weft.core.register import Method
if TYPE_CHECKING:
    from weft.graph.selection import Selection
    from weft.spark import EdgeTable


Folder = Annotated[
    Path, typer.Argument(metavar="COLLECTION", help="the collection's folder", show_default=False)
]
# A text, since a path would make one slash of the two in s3a://.
CollectionOrEdges = Annotated[
    str,
    typer.Argument(
        metavar="COLLECTION",
        help="the collection's folder; with --spark, Parquet files of links",
        show_default=False,
    ),
]
SparkOption = Annotated[
    str,
    typer.Option(
        metavar="MASTER",
        help="run on Spark: local[4], spark://host:7077, yarn, …",
        show_default=False,
    ),
]
StagingOption = Annotated[
    str,
    typer.Option(
        metavar="FOLDER",
        help="with --spark: a folder that all executors see",
        show_default=False,
    ),
]
QueryArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QUERY",
        help="search query in quotes; default: the whole collection",
        show_default=False,
    ),
]
UrlArgument = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="a page, or a host or domain with --level",
        show_default=False,
        autocompletion=complete_page,
    ),
]
Top = Annotated[int, typer.Option("--top", "-n", min=1, max=10_000, help="number of rows")]
Since = Annotated[str, typer.Option(help="captured on or after this date, such as 2004-05")]
Until = Annotated[str, typer.Option(help="captured before this date")]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="an option of the method", show_default=False
    ),
]

UncapturedOption = Annotated[DropOrKeep, typer.Option("--uncaptured", help=UNCAPTURED_HELP)]
EditedOption = Annotated[
    bool, typer.Option("--edited/--found", help="as renamed, merged and hidden; or as found")
]
FreshOption = Annotated[
    bool, typer.Option("--fresh", help="compute again, ignoring cached results")
]
NO_METHOD = ""
OPTION_NAMES = {
    "top": ("--top", "-n"),
    "source": ("--source", "--from"),
    "target": ("--target", "--to"),
}


def reject_conflicting_options(values: dict[str, object]) -> None:
    """Reject options that exclude each other."""
    given = [option for option, value in values.items() if value]
    if len(given) > 1:
        raise BadParameter(f"{join_with_and(given)} cannot be combined", hint="use one of them")


def parse_method_options(method: "Method", assignments: list[str]) -> dict[str, Any]:
    """Parse and validate the `name=value` assignments of --option."""
    known, values = method.options, dict[str, Any]()
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (name and equals):
            raise BadParameter(
                f"{shorten(assignment, 200)!r} is not an option", hint="write --option name=value"
            )
        name = name.replace("-", "_")
        is_list = name in known and isinstance(known[name].default, list)
        values[name] = [*values.get(name, []), value] if is_list else value
    return method.validate_options(values, from_text=True)


def reject_words_of_method(method: "Method", selection: Selection) -> None:
    """Refuse a word of the selection that the method has as an option of its own."""
    for word in selection.changed_words(DEFAULT_SELECTION):
        if word in method.options:
            raise BadParameter(
                f"{method.name} has an option {word} of its own", hint=f"--option {word}=…"
            )


def with_selection(
    default: Selection = DEFAULT_SELECTION,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace the last parameter of a command, `selection`, by the words of a selection."""

    def attach(command: Callable[..., None]) -> Callable[..., None]:
        *others, _ = signature(command).parameters.values()
        words = selection_parameters({parameter.name for parameter in others}, default)

        @wraps(command)
        def run(**values: Any) -> None:
            given = {word.name: values.pop(word.name) for word in words}
            command(**values, selection=to_selection(given, default))

        run.__signature__ = Signature([*others, *words])  # type: ignore[attr-defined]
        run.__annotations__ = {}
        return run

    return attach


def selection_parameters(
    taken: Set[str], default: Selection = DEFAULT_SELECTION
) -> list[Parameter]:
    """The words of a selection, except those taken, as parameters that typer reads."""
    kinds = get_type_hints(Selection)
    return [
        _selection_parameter(field, kinds[field.name], getattr(default, field.name))
        for field in fields(Selection)
        if field.name not in taken
    ]


def _selection_parameter(field: "Field[Any]", kind: Any, default_value: Any) -> Parameter:
    metadata, is_list = field.metadata, get_origin(kind) is tuple
    option = typer.Option(
        help=metadata["description"],
        min=metadata.get("ge"),
        max=metadata.get("le"),
        metavar="<str>" if is_list else None,
        show_default=not is_list and default_value not in (None, ""),
    )
    annotation = Annotated[list[str], option] if is_list else Annotated[kind, option]
    default = [] if is_list else default_value
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def to_selection(values: dict[str, Any], default: Selection = DEFAULT_SELECTION) -> Selection:
    """The selection that typer parsed."""
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return replace(default, **{**values, **lists})


def join_query(words: list[str] | None) -> str:
    """Join the words of a query; reject a query of whitespace only."""
    query = " ".join(words or [])
    if words and not query.strip():
        raise BadParameter(
            "the query is empty", hint="give some words, or omit it for the whole collection"
        )
    return query


@dataclass(frozen=True, slots=True)
class Kind:
    """What the commands of a kind share.

    `run(method, options, …)` prints the result; its other parameters are shared by
    all commands of the kind. Its parameter `selection`, if it has one, is replaced by
    the words of a selection. A parameter that is also an option of a method sets that option.
    `arguments` names the options of methods that are given as arguments.
    """

    name: str
    summary: str
    run: Callable[..., None]
    examples: Sequence[str]
    usage: str = "COLLECTION [OPTIONS]"
    arguments: frozenset[str] = frozenset()

    @property
    def takes_only_options(self) -> bool:
        """Whether nothing but options follows the collection."""
        return self.usage == "COLLECTION [OPTIONS]"

    def default_method(self) -> str:
        """The default method: that of the call in the library, such as `Workspace.rank`."""
        workspace = import_module("weft.workspace.workspace").Workspace
        default: str = signature(getattr(workspace, self.name)).parameters["method"].default
        return default

    def methods(self) -> dict[str, "Method"]:
        """The registered methods of the kind, by name."""
        register = import_module("weft.core.register")
        register.import_methods(self.name)
        methods: dict[str, Method] = register.methods_of(self.name)
        return methods


def kind_app(kind: Kind) -> typer.Typer:
    """A typer app with a command for each method of a kind."""
    group = type(f"{kind.name.title()}Group", (MethodGroup,), {"kind": kind})
    app = typer.Typer(
        cls=group,
        no_args_is_help=True,
        subcommand_metavar=f"[METHOD] {kind.usage}",
        epilog=format_examples(kind.examples),
        help=kind.run.__doc__,
        short_help=kind.summary,
    )
    app.callback()(_empty_callback)
    return app


def _empty_callback() -> None:
    """The callback that makes typer build a group; it has no options."""


class MethodGroup(TyperGroup):
    """The methods of one kind as subcommands."""

    kind: Kind

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the default method if the first word is not a method."""
        if args and args[0] not in {"-h", "--help"}:
            methods = self.kind.methods()
            if args[0] in methods:
                self._reject_folder_named_like_method(args)
            else:
                _reject_misspelled_method(args, methods)
                self._reject_method_after_collection(args, methods)
                args = [self.kind.default_method(), *args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the kind: `[METHOD] COLLECTION …`."""
        del ctx
        return [self.subcommand_metavar]

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the methods."""
        del ctx
        return list(self.kind.methods())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Build the command of a method."""
        del ctx
        method = self.kind.methods().get(cmd_name)
        app = typer.Typer(rich_markup_mode=None, add_completion=False)
        examples = format_examples(method_examples(self.kind, cmd_name))
        app.command(cmd_name, epilog=examples)(method_command(self.kind, method))
        return typer.main.get_command(app)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Show the options of the default method, then the methods."""
        default = self.kind.default_method()
        params = self.get_command(ctx, default).get_params(ctx)
        title = f"Options of {default}, the default" if default else "Options"
        with formatter.section(title):
            formatter.write_dl(filter(None, (param.get_help_record(ctx) for param in params)))
        methods = self.kind.methods()
        with formatter.section(f"Methods (weft {self.kind.name} METHOD --help)"):
            formatter.write_dl([(name, methods[name].summary) for name in methods])

    def _reject_method_after_collection(
        self, args: list[str], methods: dict[str, "Method"]
    ) -> None:
        """Explain `weft structure mine.weft bow-tie`, where no query can follow a collection."""
        if self.kind.takes_only_options and len(args) > 1 and args[1] in methods:
            raise BadParameter(
                "the method comes before the collection",
                hint=f"weft {self.kind.name} {args[1]} {args[0]}",
            )

    def _reject_folder_named_like_method(self, args: list[str]) -> None:
        """Explain `weft rank hits` where `hits` is a folder and no other collection follows."""
        name, *others = args
        if Path(name).is_dir() and not any(Path(word).exists() for word in others):
            raise BadParameter(
                f"{name!r} is a method of {self.kind.name}",
                hint=f"write ./{name} for the folder of that name",
            )


def _reject_misspelled_method(args: list[str], methods: dict[str, "Method"]) -> None:
    """Suggest a method for a first word that is neither a method nor a path."""
    word = args[0]
    if word.startswith("-") or any(char in word for char in "./\\") or Path(word).exists():
        return
    before_collection = len(args) > 1 and Path(args[1]).is_dir()
    if before_collection or get_close_matches(word, methods, n=1):
        raise UnknownName("method", word, sorted(methods))


def method_examples(kind: Kind, method: str) -> list[str]:
    """The examples of a kind, with the name of a method inserted, or in place of another's.

    Those of Spark are of the methods that run there.
    """
    prefix, methods, found = f"weft {kind.name} ", kind.methods(), list[str]()
    runs_on_spark = method in methods and methods[method].spark
    for line in kind.examples:
        before, _, words = line.partition(prefix)
        first, _, rest = words.partition(" ")
        if runs_on_spark or " --spark " not in line:
            kept = [method, rest if first in methods else words]
            found.append(before + prefix + " ".join(filter(None, kept)))
    return found


def method_command(kind: Kind, method: "Method | None") -> Callable[..., None]:
    """Build the function that typer calls: options of the kind, the method and the selection."""
    shared = [
        parameter
        for name, parameter in signature(kind.run).parameters.items()
        if name not in {"method", "options", "selection"}
    ]
    declared = {} if method is None else method.options
    shared_names = {parameter.name for parameter in shared}
    own = [
        _option_parameter(option)
        for name, option in declared.items()
        if name not in kind.arguments | shared_names
    ]
    taken = {parameter.name for parameter in (*shared, *own)}
    takes_selection = "selection" in signature(kind.run).parameters
    words = selection_parameters(taken) if takes_selection else []

    @wraps(kind.run)
    def run(**values: Any) -> None:
        options = {parameter.name: values.pop(parameter.name) for parameter in own}
        options |= {name: values[name] for name in declared.keys() & shared_names}
        if method is not None:
            options = method.validate_options(options)
        if takes_selection:
            given = {word.name: values.pop(word.name) for word in words}
            values["selection"] = to_selection(given)
        kind.run(method=method.name if method else NO_METHOD, options=options, **values)

    run.__signature__ = Signature([*shared, *own, *words])  # type: ignore[attr-defined]
    run.__annotations__ = {}
    run.__doc__ = (
        kind.run.__doc__
        if method is None
        else f"{method.summary}\n\nFormula, cost and limits: `weft methods {method.name}`."
    )
    return run


def _option_parameter(option: Parameter) -> Parameter:
    """An option of a method as a parameter that typer reads."""
    annotation, field = get_args(option.annotation)
    kind = _strip_range_constraints(annotation)
    is_list = get_origin(kind) is list
    names = OPTION_NAMES.get(option.name, ())
    typer_option = typer.Option(
        *names,
        help=field.description,
        show_default=option.default not in ([], ""),
        metavar=f"<{get_args(kind)[0].__name__}>" if is_list else None,
    )
    return option.replace(annotation=Annotated[kind, typer_option])


def _strip_range_constraints(annotation: Any) -> Any:
    """The type of an option without its ranges, which the schema of the method checks."""
    if get_origin(annotation) is list:
        [item] = get_args(annotation)
        return list[_strip_range_constraints(item)]  # type: ignore[misc]
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


@contextmanager
def edge_table(
    master: str, staging: str, location: str, selection: "Selection"
) -> Iterator["EdgeTable"]:
    """The edge table at a location, on a connection to Spark, at the level that is asked for."""
    words = [word for word in selection.changed_words(DEFAULT_SELECTION) if word != "level"]
    if words:
        options = join_with_and([f"--{word.replace('_', '-')}" for word in words])
        hint = "an edge table is looked at as a whole; of its options --level is one"
        raise BadParameter(f"{options} cannot be combined with --spark", hint=hint)
    if selection.level == "entity":
        hint = "levels of an edge table: page, host, domain"
        raise BadParameter("an edge table has no entities", hint=hint)
    from weft.spark import connect, read_edges

    with connect(master, staging) as cluster:
        yield read_edges(cluster, location).at_level(selection.level)


def run_on_spark(kind: str, method: str, options: dict[str, Any], table: "EdgeTable") -> Any:
    """Run a method on an edge table."""
    return find_method(kind, method).run(table, **options)


def check_method(kind: str, method: str) -> None:
    """Refuse a method without an implementation on Spark, before Spark is started."""
    if not method:
        raise BadParameter("there is no overview on Spark", hint="name a method, such as bow-tie")
    find_method(kind, method).require_spark()


def require_master(spark: str) -> None:
    """Refuse --staging without --spark."""
    if not spark:
        raise BadParameter("--staging needs --spark", hint="name a master: --spark local[4]")
