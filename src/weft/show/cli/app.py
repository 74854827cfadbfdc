"""The command and its verbs; each verb imports what it needs when it is called."""

import errno
import os
import signal
import sys
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer._click.exceptions import ClickException as TyperError
from typer.core import TyperGroup

from weft import __version__
from weft.core.errors import WeftError
from weft.show.cli import (
    alike,
    analyse,
    collect,
    discover,
    groups,
    judge,
    look,
    report,
    serve,
    shape,
    sites,
)
from weft.show.cli.output import EXAMPLES, has_styles, note, pasteable, settings


class Verbs(TyperGroup):
    """All verbs; whoever closes the pipe that one writes to has seen enough, which is no error."""

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0


app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Gather web pages into a collection, search them, find their topics, and rank them.",
    epilog=pasteable(
        [
            "weft demo",
            "weft add mine.weft crawl.warc.gz",
            "weft search mine.weft jaguar",
            "weft topics mine.weft jaguar",
            "weft rank mine.weft --query jaguar",
        ]
    ),
)
VERBS = (
    *collect.VERBS,
    *look.VERBS,
    *discover.VERBS,
    *groups.VERBS,
    *shape.VERBS,
    *report.VERBS,
    *judge.VERBS,
    *alike.VERBS,
    *sites.VERBS,
    *serve.VERBS,
)
NEED_WORDS = {*VERBS} - {collect.demo, look.methods}
for verb in VERBS:
    name = verb.__name__.replace("_", "-").strip("-")
    app.command(name, epilog=pasteable(EXAMPLES[verb]), no_args_is_help=verb in NEED_WORDS)(verb)
app.add_typer(analyse.rank, name="rank")


def _version(wanted: bool) -> None:  # noqa: FBT001  typer calls it
    if wanted:
        typer.echo(f"weft {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no notes")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="say what is skipped, and why")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    del version
    settings.quiet, settings.verbose = quiet, verbose
    context.color = None if has_styles() else False


INTERRUPTED = 130
GOES_ON = "interrupted; what was committed stays, and repeating the command goes on from there"
NO_ROOM = "failed to map segment"  # of a library that is loaded late
SYSTEM = {
    errno.ENOENT: "no such file or folder",
    errno.EEXIST: "a file stands in the way",
    errno.ENOTDIR: "a file stands where a folder should",
    errno.EISDIR: "a folder stands where a file should",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "a file would grow beyond the limit set for files",
    errno.EROFS: "the folder is on a read-only file system",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EMFILE: "too many files are open",
}


def main() -> None:
    """Run a command; a known error is one sentence and its cure, not a traceback."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except TyperError as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        note(GOES_ON)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (WeftError, MemoryError, OSError, ImportError) as error:
        _fail(error)
    if code == INTERRUPTED:
        note(GOES_ON)
    sys.exit(code if isinstance(code, int) else 0)


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(143)


def _fail(error: Exception) -> NoReturn:
    """Say what went wrong and what cures it; an unknown error is a bug and keeps its trace."""
    if isinstance(error, WeftError):
        message, hint = str(error), error.hint
    elif isinstance(error, MemoryError) or NO_ROOM in str(error):
        message, hint = "not enough memory", "allow it more, or add fewer inputs at a time"
    elif isinstance(error, OSError) and error.errno in SYSTEM:
        message = SYSTEM[error.errno] + (f": {error.filename}" if error.filename else "")
        hint = "what was committed is intact; repeat the command when that is cured"
    else:
        raise error
    note(f"error: {message}" + (f" ({hint})" if hint else ""), always=True)
    sys.exit(1)
