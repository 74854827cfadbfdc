"""Stands in for the parser where pages shall kill or stop a worker; workers import it by name."""

import hashlib
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from unittest.mock import patch

from weft.core.worker_pool import kill_after
from weft.gather.html import ParseOptions, parse_page
from weft.gather.page import Page, Problems, RawPage
from weft.workspace import parse
from weft.workspace.parse import CPULimit, ParsedBatch, parse_batch, start_parser


def start_acting(
    options: ParseOptions, max_seconds: float
) -> Callable[[Sequence[RawPage | Page], Sequence[int]], ParsedBatch]:
    """In the place of `start_parser`."""
    start_parser(options, max_seconds)
    return partial(act_then_parse, options=options, cpu_limit=partial(kill_after, max_seconds))


def start_and_die(*_options: object) -> None:
    """In the place of `start_parser`, where a worker cannot start."""
    os._exit(1)


def act_then_parse(
    pages: Sequence[RawPage | Page],
    captures: Sequence[int],
    options: ParseOptions,
    cpu_limit: CPULimit,
) -> ParsedBatch:
    """Parse, but die, fall asleep, compute or answer by halves at pages whose URLs say so."""
    with patch.object(parse, "parse_page", act_then_read):
        return parse_batch(pages, captures, options, cpu_limit)


def act_then_read(page: RawPage, options: ParseOptions, problems: Problems) -> Page:
    """Do what the URL of a page says before it is read."""
    name = page.url.rpartition("/")[2].partition("-")[0]
    if name in ACTS:
        ACTS[name](page)
    return parse_page(page, options, problems)


def _kill(_page: RawPage) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _half(_page: RawPage) -> None:
    """Send the start of a reply; the connection is the one that the command line names."""
    os.write(int(sys.argv[1]), struct.pack("!i", 1000) + b"and no more")
    time.sleep(600)


def _doze(page: RawPage) -> None:
    """Sleep the first time only; the page names a file to remember it by."""
    seen = Path(page.body.decode())
    if not seen.exists():
        seen.touch()
        time.sleep(600)


def _compute(_page: RawPage) -> None:
    """Use the CPU, in Python."""
    while True:
        pass


def _compile(_page: RawPage) -> None:
    """Use the CPU, in compiled code that no exception reaches."""
    hashlib.pbkdf2_hmac("sha256", b"", b"", 1 << 30)


def _work(_page: RawPage) -> None:
    """Use the CPU for a while."""
    until = time.process_time() + 0.15
    while time.process_time() < until:
        pass


ACTS = {
    "kill": _kill,
    "half": _half,
    "doze": _doze,
    "sleep": lambda _page: time.sleep(600),
    "compute": _compute,
    "compile": _compile,
    "work": _work,
}
