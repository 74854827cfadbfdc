"""`weft serve COLLECTION`: open the workbench in the browser; `weft mcp COLLECTION`."""

import sys
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.kinds import Folder
from weft.cli.output import print_note, with_examples
from weft.core.errors import WeftError

if TYPE_CHECKING:
    from pathlib import Path

EXIT_INTERRUPTED = 130
DEFAULT_PORT = 8765
DEFAULT_MCP_PORT = 8766


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
    allow_private: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT", help="a private address that crawls may open", show_default=False
        ),
    ] = None,
) -> None:
    """Open a collection in the browser.

    Only this machine can connect, unless --host is given; then clients need the
    token, which is part of the printed address. Pages added to the collection
    appear at the next request. Press Ctrl-C to stop.
    """
    allowed = tuple(allow_private or ())
    run_server(folder, port, host, token, browser=browser, allow_private=allowed)


def run_server(
    folder: "Path",
    port: int,
    host: str,
    token: str = "",
    *,
    browser: bool,
    allow_private: tuple[str, ...] = (),
) -> None:
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
        server.serve(folder, host, port, announce, token, allow_private)
    except KeyboardInterrupt:
        print_note("\nstopped")
        raise SystemExit(EXIT_INTERRUPTED) from None


def _open_browser(address: str) -> None:
    """Open an address in the browser of the user, if there is one."""
    import webbrowser

    if not webbrowser.open(address):
        print_note(f"no browser found; open {address}")


@with_examples(
    "weft mcp mine.weft",
    "weft mcp mine.weft --http --port 8766",
)
def mcp(
    folder: Folder,
    http: Annotated[
        bool, typer.Option("--http", help="listen at http://127.0.0.1:PORT/mcp instead")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="port of --http; 0: any free port")
    ] = DEFAULT_MCP_PORT,
) -> None:
    """Let a language model ask a collection (MCP).

    Answers on standard input and output, as clients of the Model Context
    Protocol start servers. The tools search, topics, page, links, rank, why and
    similar only read. With --http, programs on this machine can connect.
    """
    if any(find_spec(name) is None for name in ("fastapi", "mcp", "uvicorn")):
        raise WeftError("the MCP server is not installed", hint="pip install 'weft[mcp]'")
    from weft.server import mcp_server

    def announce(address: str) -> None:
        typer.echo(address)
        sys.stdout.flush()
        print_note("press Ctrl-C to stop")

    try:
        if http:
            mcp_server.serve_http(folder, port, announce)
        else:
            mcp_server.serve_stdio(folder)
    except KeyboardInterrupt:
        print_note("\nstopped")
        raise SystemExit(EXIT_INTERRUPTED) from None


COMMANDS = (serve, mcp)
