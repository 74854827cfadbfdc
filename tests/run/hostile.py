"""Stands in for the parser where pages shall kill or stop a worker; workers import it by name."""

import hashlib
import os
import signal
import struct
import time
from collections.abc import Sequence
from multiprocessing import current_process
from pathlib import Path
from unittest.mock import patch

from weft.gather.html import Reading, read_page
from weft.gather.page import Page, Problems, Record
from weft.run import parse
from weft.run.parse import Parsed, Within, parse_batch


def act_then_parse(
    pages: Sequence[Record | Page], captures: Sequence[int], reading: Reading, within: Within
) -> Parsed:
    """Parse, but die, fall asleep, compute or answer by halves at pages whose URLs say so."""
    with patch.object(parse, "read_page", act_then_read):
        return parse_batch(pages, captures, reading, within)


def act_then_read(page: Record, reading: Reading, problems: Problems) -> Page:
    """Do what the URL of a page says before it is read."""
    name = page.url.rpartition("/")[2].partition("-")[0]
    if name in ACTS:
        ACTS[name](page)
    return read_page(page, reading, problems)


def _kill(_page: Record) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _half(_page: Record) -> None:
    _, answers, *_ = current_process()._args  # type: ignore[attr-defined]
    answers._writer._send(struct.pack("!i", 1000) + b"and no more")
    time.sleep(600)


def _doze(page: Record) -> None:
    """Sleep the first time only; the page names a file to remember it by."""
    seen = Path(page.body.decode())
    if not seen.exists():
        seen.touch()
        time.sleep(600)


def _compute(_page: Record) -> None:
    """Use the CPU, in Python."""
    while True:
        pass


def _compile(_page: Record) -> None:
    """Use the CPU, in compiled code that no exception reaches."""
    hashlib.pbkdf2_hmac("sha256", b"", b"", 1 << 30)


def _work(_page: Record) -> None:
    """Use the CPU for a while."""
    until = time.process_time() + 0.3
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
