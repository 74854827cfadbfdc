"""`weft serve COLLECTION`: open the workbench in the browser."""

import sys
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.arguments import Folder
from weft.cli.output import print_note, with_examples
from weft.core.errors import WeftError

if TYPE_CHECKING:
    from pathlib import Path

EXIT_INTERRUPTED = 130
DEFAULT_PORT = 8765


@with_examples(
    "weft serve mine.weft",
    "weft serve mine.weft --port 0 --no-browser",
    "weft serve mine.weft --host 0.0.0.0 --no-browser",
)
def serve(
    folder: Folder,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="port to listen on; 0: any free port")
    ] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(help="address to listen on; 0.0.0.0: all interfaces")
    ] = "127.0.0.1",
    token: Annotated[
        str,
        typer.Option(
            envvar="WEFT_TOKEN",
            show_default="random, if other machines can connect",
            help="token that clients must send",
        ),
    ] = "",
    browser: Annotated[bool, typer.Option(help="open the workbench in a browser")] = True,
) -> None:
    """Open a collection in the browser.

    Only this machine can connect, unless --host is given; then clients need the
    token, which is part of the printed address. Pages added to the collection
    appear at the next request. Press Ctrl-C to stop.
    """
    run_server(folder, port, host, token, browser=browser)


def run_server(folder: "Path", port: int, host: str, token: str = "", *, browser: bool) -> None:
    """Serve a collection until Ctrl-C."""
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise WeftError(
            "the web server is not installed", hint="install it: pip install 'weft[serve]'"
        )
    from weft.server import server

    def announce(address: str) -> None:
        typer.echo(address)
        sys.stdout.flush()
        if problem := server.missing_workbench_reason():
            print_note(f"{problem}; the API is at {address.partition('?')[0]}api/")
        if "?token=" in address:
            print_note("clients need the token in this address, or `Authorization: Bearer TOKEN`")
        print_note("press Ctrl-C to stop")
        if browser:
            threading.Thread(target=_open_browser, args=(address,), daemon=True).start()

    try:
        server.serve(folder, host, port, announce, token)
    except KeyboardInterrupt:
        print_note("\nstopped")
        raise SystemExit(EXIT_INTERRUPTED) from None


def _open_browser(address: str) -> None:
    """Open an address in the browser of the user, if there is one."""
    import webbrowser

    if not webbrowser.open(address):
        print_note(f"no browser found; open {address}")


COMMANDS = (serve,)
