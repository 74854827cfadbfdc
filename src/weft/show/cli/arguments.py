"""Arguments and options that several verbs share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[
    Path, typer.Argument(metavar="COLLECTION", help="the collection's folder", show_default=False)
]
Top = Annotated[int, typer.Option("--top", "-n", min=1, max=10_000, help="how many rows")]
Since = Annotated[str, typer.Option(help="captured on or after this date, such as 2004-05")]
Until = Annotated[str, typer.Option(help="captured before this date")]


class Level(StrEnum):
    """What a node of the graph is."""

    page = "page"
    host = "host"
    domain = "domain"


class Between(StrEnum):
    """What a link must lead from one of to another, so as to count."""

    auto = "auto"
    page = "page"
    host = "host"
    domain = "domain"
    site = "site"


AtLevel = Annotated[Level, typer.Option("--level", help="what is ranked")]
Query = Annotated[
    str,
    typer.Option(
        "--query", help="only pages found by these words, and those around them", show_default=False
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="PATTERN",
        help="a host with all below it, or URLs with * and ?, to leave out; may be repeated",
        show_default=False,
    ),
]
Across = Annotated[
    Between,
    typer.Option(
        "--between",
        help="count links between different ones; auto: with a query domains, unless few are left",
    ),
]
