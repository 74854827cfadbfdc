"""The verb that opens the workbench: `weft serve COLLECTION`."""

import sys
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from weft.core.errors import WeftError
from weft.show.cli.arguments import Folder
from weft.show.cli.output import examples, note

if TYPE_CHECKING:
    from pathlib import Path

INTERRUPTED = 130
USUAL_PORT = 8765


@examples(
    "weft serve mine.weft",
    "weft serve mine.weft --port 0 --no-browser",
    "weft serve mine.weft --host 0.0.0.0 --no-browser",
)
def serve(
    folder: Folder,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="where to listen; 0: any that is free")
    ] = USUAL_PORT,
    host: Annotated[
        str, typer.Option(help="the address to listen at; 0.0.0.0: all of this machine's")
    ] = "127.0.0.1",
    token: Annotated[
        str,
        typer.Option(
            envvar="WEFT_TOKEN",
            show_default="random, if other machines can connect",
            help="what readers must know",
        ),
    ] = "",
    browser: Annotated[bool, typer.Option(help="open the page in a browser")] = True,
) -> None:
    """Open a collection in the browser: topics, pages, maps and rankings.

    Only this machine can connect, unless --host says otherwise; then readers
    need the token, which is part of the address that is printed. What is added
    to the collection meanwhile is seen at the next request. Ctrl-C ends it.
    """
    start(folder, port, host, token, browser=browser)


def start(folder: "Path", port: int, host: str, token: str = "", *, browser: bool) -> None:
    """Serve a collection until Ctrl-C."""
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise WeftError(
            "the web server is not installed", hint="install it: pip install 'weft[serve]'"
        )
    from weft.show.api.server import page_problem
    from weft.show.api.server import serve as serving

    def ready(address: str) -> None:
        typer.echo(address)
        sys.stdout.flush()
        if problem := page_problem():
            note(f"{problem}; the API is at {address.partition('?')[0]}api/")
        if "?token=" in address:
            note("readers need the token in this address, or `Authorization: Bearer TOKEN`")
        note("Ctrl-C ends it")
        if browser:
            threading.Thread(target=_open, args=(address,), daemon=True).start()

    try:
        serving(folder, host, port, ready, token)
    except KeyboardInterrupt:
        note("\nstopped")
        raise SystemExit(INTERRUPTED) from None


def _open(address: str) -> None:
    """Show the page in the user's browser, if there is one."""
    import webbrowser

    if not webbrowser.open(address):
        note(f"no browser could be opened: visit {address}")


VERBS = (serve,)
