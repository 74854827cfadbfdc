"""The command as people start it, in a process of its own, and inside this one."""

import json
import subprocess
import sys
from typing import Any

from typer.testing import CliRunner, Result

from weft.cli import app

COMMAND = (sys.executable, "-c", "from weft.cli import main; main()")


def weft(*words: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command to its end in a process of its own."""
    line = [*COMMAND, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, **more)


def is_one_sentence(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a command failed with an error of one line."""
    return done.returncode == 1 and done.stderr.count("\n") == 1 and "error: " in done.stderr


def run(*words: object, code: int = 0) -> Result:
    """Run the command in this process; an error that it would print is raised."""
    done = CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def in_lines(*words: object) -> Result:
    """Run the command in this process, with rows as JSON lines."""
    return run(*words, "--format", "jsonl")


def rows(done: Result) -> list[dict[str, Any]]:
    """The rows that a command printed as JSON lines."""
    return [json.loads(line) for line in done.stdout.splitlines()]
