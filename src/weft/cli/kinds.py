"""`weft KIND [METHOD] COLLECTION …`: one command for every method of every kind.

The methods of a kind are imported when the kind is called, not when `weft` is.
The first word after the kind is a method if and only if the kind registers one
of that name; anything else is the collection, and `./name` always is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperGroup

from weft.cli.arguments import selection_parameters, to_selection
from weft.cli.output import format_examples
from weft.core.errors import BadParameter, UnknownName

if TYPE_CHECKING:
    from weft.core.register import Method

NO_METHOD = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """What the commands of a kind share.

    `run(method, options, …)` prints the result; its other parameters are shared by
    all commands of the kind. Its parameter `selection` is replaced by the words of
    a selection. `arguments` names the options of methods that are given as arguments.
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
        return {n: method for (kind, n), method in register.METHODS.items() if kind == self.name}


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
        return sorted(self.kind.methods())

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
            formatter.write_dl([(name, methods[name].summary) for name in sorted(methods)])

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
    """The examples of a kind, with the name of a method inserted."""
    prefix = f"weft {kind.name} "
    name = f"{method} " if method else ""
    return [line.replace(prefix, prefix + name) for line in kind.examples]


def method_command(kind: Kind, method: "Method | None") -> Callable[..., None]:
    """Build the function that typer calls: options of the kind, the method and the selection."""
    shared = [
        parameter
        for name, parameter in signature(kind.run).parameters.items()
        if name not in {"method", "options", "selection"}
    ]
    own = (
        []
        if method is None
        else [
            _option_parameter(option)
            for name, option in method.options.items()
            if name not in kind.arguments
        ]
    )
    taken = {parameter.name for parameter in (*shared, *own)}
    words = selection_parameters(taken)

    @wraps(kind.run)
    def run(**values: Any) -> None:
        options = {parameter.name: values.pop(parameter.name) for parameter in own}
        if method is not None:
            options = method.validate_options(options)
        selection = to_selection({word.name: values.pop(word.name) for word in words})
        name = method.name if method else NO_METHOD
        kind.run(method=name, options=options, selection=selection, **values)

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
    names = ("--top", "-n") if option.name == "top" else ()
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
