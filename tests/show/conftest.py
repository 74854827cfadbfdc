"""Servers of collections, in processes of their own."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import pytest
from tests.command import COMMAND

PATIENCE = 120


@contextmanager
def serve_folder(folder: Path, *more: str) -> Iterator[str]:
    """A server on a free port that has begun to answer, quick questions and others."""
    words = ["serve", str(folder), "--no-browser", "--port", "0", *more]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            plain, _, token = address.partition("?token=")
            bearer = {"Authorization": f"Bearer {token}"} if token else {}
            for question in ("collection/brief", "structure/ends"):
                httpx.get(f"{plain}api/{question}", timeout=PATIENCE, headers=bearer)
            yield address
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def serve_at() -> Callable[..., AbstractContextManager[str]]:
    """`with serve_at(folder, *options) as address`."""
    return serve_folder
