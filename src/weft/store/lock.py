"""File locks that end with their process: the writer's, and each reader's on a snapshot."""

import fcntl
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from weft.core.errors import CollectionBusy, DamagedFile


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the writer's lock, which the kernel releases when the process ends."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 200).decode("utf-8", "replace")
            printable = re.sub(r"[^\x20-\x7e]", "", holder) or "another process"
            raise CollectionBusy(
                f"{path.parent} is being written by {printable}", hint="wait, or stop it"
            ) from None
        holder = (
            f"process {os.getpid()} on {socket.gethostname()} since {datetime.now(UTC):%F %T} UTC"
        )
        os.ftruncate(handle, 0)
        os.pwrite(handle, holder.encode(), 0)
        yield
    finally:
        os.close(handle)


class ReaderLock:
    """A shared lock on a snapshot folder: no writer deletes it while the lock exists."""

    def __init__(self, folder: Path) -> None:
        self.handle = -1
        try:
            self.handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(self.handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (FileNotFoundError, BlockingIOError):
            raise DamagedFile(f"{folder} is missing") from None

    def __del__(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)


@contextmanager
def try_lock_snapshot(folder: Path) -> Iterator[bool]:
    """Try to lock a snapshot against readers; yields False where one holds it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(handle)
