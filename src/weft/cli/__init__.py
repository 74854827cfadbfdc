"""The command line: `weft --help`."""

from weft.cli.app import app, main

__all__ = ["app", "main"]
