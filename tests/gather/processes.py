"""Scripts that run in a process of their own, which has a deadline and a peak of memory."""

import subprocess
import sys

# `peak_mb()` is the peak resident memory of the process so far.
PEAK_MEMORY = """
from pathlib import Path
def peak_mb():
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) >> 10
"""


def run_script(script: str, *arguments: str, timeout: float = 120) -> str:
    """Run a Python script that may call `peak_mb`; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK_MEMORY + script, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=True,
    )
    return done.stdout
