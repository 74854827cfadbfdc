"""The command `weft`: command groups, global options, error messages, exit codes."""

import errno
import os
import re
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer._click import Context, HelpFormatter
from typer.core import TyperGroup

from weft import __version__
from weft.cli import (
    browse,
    classify,
    collection,
    communities,
    compare_sites,
    crawl,
    curate,
    rank,
    rankings,
    report,
    serve,
    similar,
    structure,
    topics,
    usage,
)
from weft.cli.kinds import Kind, kind_app
from weft.cli.output import EXAMPLES, format_examples, print_note, settings, styles_enabled
from weft.core.errors import WeftError

Entry = Callable[..., None] | Kind
GROUPS: dict[str, tuple[Entry, ...]] = {
    "Build and keep a collection": (*collection.COMMANDS, crawl.KIND),
    "Curate": curate.COMMANDS,
    "Look inside": browse.COMMANDS,
    "Analyse (weft KIND [METHOD] COLLECTION …)": (
        topics.KIND,
        rank.KIND,
        communities.KIND,
        structure.KIND,
        *similar.KINDS,
        classify.KIND,
        usage.KIND,
    ),
    "Explain and compare": (*rankings.COMMANDS, *compare_sites.COMMANDS),
    "Show and share": (*serve.COMMANDS, *report.COMMANDS),
}
NO_ARGUMENTS = {collection.demo, browse.methods}


def command_name(entry: Entry) -> str:
    """The name of a command on the command line."""
    if isinstance(entry, Kind):
        return entry.name
    return entry.__name__.replace("_", "-").strip("-")


PARTS_OF_USAGE = re.compile(r"\{([^{}]+)\}|\[(\[[^\[\]]+\]…?)\]")
NAME_OF_TYPE = re.compile(r"<(?:list\[)?(int|float|str|path)\]?(?: range)?>")
TYPE_NAMES = {"int": "number", "float": "number", "str": "text", "path": "path"}
LIBRARY_WORDS = "Value error, "


class PlainHelp(HelpFormatter):
    """Help that writes arguments and types as manuals do: `COLLECTION`, `<number>`."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line; what is required has no braces."""
        plain = PARTS_OF_USAGE.sub(lambda part: part[1] or part[2], args).replace("…...", "…")
        super().write_usage(prog, plain, prefix)

    def write_dl(
        self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write arguments or options with their types."""
        plain = [
            (NAME_OF_TYPE.sub(lambda name: f"<{TYPE_NAMES[name[1]]}>", first), text)
            for first, text in rows
        ]
        super().write_dl(plain, col_max, col_spacing)


Context.formatter_class = PlainHelp


class WeftGroup(TyperGroup):
    """All commands, in groups."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a closed pipe (`weft … | head`) ends it without an error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands by group, with their whole summaries."""
        del ctx
        width = max(map(len, self.commands))
        for title, entries in GROUPS.items():
            names = [command_name(entry) for entry in entries]
            rows = [
                (name.ljust(width), self.commands[name].get_short_help_str(formatter.width))
                for name in names
            ]
            with formatter.section(title):
                formatter.write_dl(rows)


app = typer.Typer(
    cls=WeftGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Gather web pages into a collection, search them, find their topics, and rank them.",
    epilog=format_examples(
        [
            "weft demo",
            "weft add mine.weft crawl.warc.gz",
            "weft search mine.weft jaguar",
            "weft topics mine.weft jaguar",
            "weft rank hits mine.weft --query jaguar",
        ]
    ),
)
for _entries in GROUPS.values():
    for _entry in _entries:
        if isinstance(_entry, Kind):
            app.add_typer(kind_app(_entry), name=_entry.name)
        else:
            app.command(
                command_name(_entry),
                cls=collection.COMMAND_CLASSES.get(_entry),
                epilog=format_examples(EXAMPLES[_entry]),
                no_args_is_help=_entry not in NO_ARGUMENTS,
            )(_entry)


def _print_version(requested: bool) -> None:  # noqa: FBT001  typer calls it
    if requested:
        typer.echo(f"weft {__version__}")
        raise typer.Exit


@app.callback()
def _set_global_options(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no notes")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="report what is skipped, and why")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="print the version"),
    ] = False,
) -> None:
    del version
    settings.quiet, settings.verbose = quiet, verbose
    context.color = None if styles_enabled() else False


EXIT_INTERRUPTED = 130
INTERRUPTED_MESSAGE = "interrupted; committed data is kept, repeat the command to continue"
LOADER_MEMORY_ERROR = "failed to map segment"  # a shared library did not fit into memory
OS_ERROR_MESSAGES = {
    errno.ENOENT: "no such file or folder",
    errno.EEXIST: "the file exists already",
    errno.ENOTDIR: "not a folder",
    errno.EISDIR: "a folder, not a file",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EIO: "the disk cannot be read or written, or a file would exceed the size limit",
    errno.EFBIG: "the file would exceed the file size limit",
    errno.ENOMEM: "not enough memory",
    errno.EROFS: "read-only file system",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EMFILE: "too many open files",
}


def main() -> None:
    """Run a command; print a known error as one line with a hint, not as a traceback."""
    signal.signal(signal.SIGTERM, _exit_on_sigterm)
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        # less memory for OpenBLAS, which tries forever where it gets none
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        _show_usage_error(error)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        print_note(INTERRUPTED_MESSAGE)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (WeftError, MemoryError, OSError, ImportError, SystemError) as error:
        _exit_with_error(error)
    if code == EXIT_INTERRUPTED:
        print_note(INTERRUPTED_MESSAGE)
    sys.exit(code if isinstance(code, int) else 0)


def _show_usage_error(error: Any) -> None:
    """Print a usage error; where a query was given as an argument, say which option takes it."""
    error.message = error.message.replace(LIBRARY_WORDS, "")
    options = (
        {name for param in error.ctx.command.params for name in param.opts} if error.ctx else ()
    )
    if "unexpected extra argument" in error.message and "--query" in options:
        error.message += "; a query is given with --query"
    error.show()


def _exit_on_sigterm(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(143)


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, here or in what caused the error.

    Under a limit the interpreter may report it as its own error, and a library as an extension
    of its own that cannot be imported; a module that is missing is something else.
    """
    if isinstance(error, MemoryError) or LOADER_MEMORY_ERROR in str(error):
        return True
    is_limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    is_missing = isinstance(error, ModuleNotFoundError)
    if is_limited and isinstance(error, SystemError | ImportError) and not is_missing:
        return True
    cause = error.__cause__ or error.__context__
    return cause is not None and _is_out_of_memory(cause)


def _exit_with_error(error: Exception) -> NoReturn:
    """Print an error and its hint; an unknown error is a bug and keeps its traceback."""
    if isinstance(error, WeftError):
        message, hint = str(error), error.hint
    elif _is_out_of_memory(error):
        message, hint = "not enough memory", "raise the memory limit, or add fewer inputs at a time"
    elif isinstance(error, OSError) and error.errno in OS_ERROR_MESSAGES:
        message = OS_ERROR_MESSAGES[error.errno] + (f": {error.filename}" if error.filename else "")
        hint = "committed data is intact; fix this and repeat the command"
    else:
        raise error
    print_note(f"error: {message}" + (f" ({hint})" if hint else ""), always=True)
    sys.exit(1)
