"""The command as people start it, in a process of its own."""

import sys
from subprocess import CompletedProcess, run
from typing import Any

COMMAND = (sys.executable, "-c", "from weft.show.cli import main; main()")


def weft(*words: object, **more: Any) -> CompletedProcess[str]:
    """Run the command to its end."""
    line = [*COMMAND, *map(str, words)]
    return run(line, capture_output=True, text=True, timeout=120, check=False, **more)


def told_once(done: CompletedProcess[str]) -> bool:
    """Whether a command failed with one sentence."""
    return done.returncode == 1 and done.stderr.count("\n") == 1 and "error: " in done.stderr
