"""The unit tests of the workbench, which need node and no browser."""

from pathlib import Path
from subprocess import run

import pytest

WEB = Path(__file__).parents[2] / "web"


@pytest.mark.skipif(
    not (WEB / "node_modules" / "vitest").exists(),
    reason="the tools of the workbench are not installed: `make page`, which needs node",
)
def test_units() -> None:
    done = run(["npm", "test", "--silent"], cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
