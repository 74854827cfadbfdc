"""Locks that die with their process: the writer's, and each reader's hold on a snapshot."""

import fcntl
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from weft.core.errors import Busy, Damaged


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the writer's lock, which the kernel lets go when the process dies."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 200).decode("utf-8", "replace")
            told = re.sub(r"[^\x20-\x7e]", "", holder) or "another process"
            raise Busy(
                f"{path.parent} is being written by {told}", hint="wait, or stop it"
            ) from None
        who = f"process {os.getpid()} on {socket.gethostname()} since {datetime.now(UTC):%F %T} UTC"
        os.ftruncate(handle, 0)
        os.pwrite(handle, who.encode(), 0)
        yield
    finally:
        os.close(handle)


class Hold:
    """A reader's hold on a snapshot: while it lives, no writer deletes what the reader may open."""

    def __init__(self, folder: Path) -> None:
        self.handle = -1
        try:
            self.handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(self.handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (FileNotFoundError, BlockingIOError):
            raise Damaged(f"{folder} is missing") from None

    def __del__(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)


@contextmanager
def unread(folder: Path) -> Iterator[bool]:
    """Whether no reader holds a snapshot; nobody can while this lasts."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(handle)
