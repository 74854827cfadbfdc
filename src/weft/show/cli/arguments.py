"""Arguments and options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[
    Path, typer.Argument(metavar="COLLECTION", help="the collection's folder", show_default=False)
]
Top = Annotated[int, typer.Option("--top", "-n", min=1, max=10_000, help="how many rows")]
Since = Annotated[str, typer.Option(help="captured on or after this date, such as 2004-05")]
Until = Annotated[str, typer.Option(help="captured before this date")]
