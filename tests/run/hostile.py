"""Stands in for the parser where pages shall kill or hang a worker; workers import it by name."""

import os
import signal
import struct
import time
from collections.abc import Sequence
from multiprocessing import current_process

from weft.gather.html import Reading
from weft.gather.page import Page, Record
from weft.run.parse import Parsed, parse_batch


def act_then_parse(
    pages: Sequence[Record | Page], captures: Sequence[int], reading: Reading
) -> Parsed:
    """Parse, but die, fall asleep or answer by halves at pages whose URLs say so."""
    for page in pages:
        if "kill" in page.url:
            os.kill(os.getpid(), signal.SIGKILL)
        if "half" in page.url:
            _, answers, *_ = current_process()._args  # type: ignore[attr-defined]
            answers._writer._send(struct.pack("!i", 1000) + b"and no more")
        if "hang" in page.url or "half" in page.url:
            time.sleep(600)
    return parse_batch(pages, captures, reading)
