"""One command per registered method: `weft rank indegree COLLECTION`."""

from collections.abc import Callable, MutableMapping
from inspect import Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from typer._click import Command, Context
from typer.core import TyperGroup

from weft.core.errors import UnknownName
from weft.show.cli.arguments import Folder, Top
from weft.show.cli.output import Chosen, note, pasteable, progress, write_rows

if TYPE_CHECKING:
    from weft.core.methods import Method


class Methods(TyperGroup):
    """The methods of a kind, imported when the kind is called, not when `weft` is."""

    def list_commands(self, ctx: Context) -> list[str]:
        """The names of the methods."""
        return sorted(self._verbs(ctx))

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """A method's command; an unknown one is answered with those there are."""
        known = self._verbs(ctx)
        if cmd_name not in known:
            hint = f"there are: {', '.join(sorted(known))}"
            raise UnknownName("method", cmd_name, known, hint=hint)
        return known[cmd_name]

    def _verbs(self, ctx: Context) -> MutableMapping[str, Command]:
        if not self.commands:
            import weft.rank  # noqa: F401  registers its methods
            from weft.core.methods import METHODS

            group = typer.Typer(rich_markup_mode=None)
            group.callback()(lambda: None)
            for method in METHODS.values():
                if method.kind == ctx.info_name:
                    group.command(
                        method.name,
                        epilog=pasteable([f"weft {method.kind} {method.name} mine.weft --top 20"]),
                    )(command(method))
            made = typer.main.get_command(group)
            self.commands = made.commands if isinstance(made, TyperGroup) else {}
        return self.commands


rank = typer.Typer(cls=Methods, no_args_is_help=True, help="Order the pages by a method.")


@rank.callback()
def _rank() -> None:
    """Order the pages by a method."""


def command(method: "Method") -> Callable[..., None]:
    """Give a method a command whose options are the method's own."""

    def run(folder: Folder, top: Top = 10, format_: Chosen = None, **options: Any) -> None:
        from weft.run.workspace import Workspace

        with progress():
            result = method(Workspace(folder).load(method.takes), **options)
        note(repr(result).strip("<>"))
        write_rows(result.to_table().slice(0, top), format_)

    *fixed, _ = signature(run).parameters.values()
    own = []
    for option in method.options.values():
        kind, field = get_args(option.annotation)
        own.append(option.replace(annotation=Annotated[kind, typer.Option(help=field.description)]))
    run.__signature__ = Signature([*fixed, *own])  # type: ignore[attr-defined]
    run.__doc__ = method.summary
    return run
