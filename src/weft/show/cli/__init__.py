"""The command line: `weft --help`."""

from weft.show.cli.app import app, main

__all__ = ["app", "main"]
