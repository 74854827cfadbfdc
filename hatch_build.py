"""Put the workbench into wheel and sdist, or say in one line that it is missing."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Workbench(BuildHookInterface[Any]):
    """Have `make page` build the workbench; an sdist has it built already.

    A build goes on without it: the library, the command and the API are whole.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build it before files are collected; an editable install uses what is in `src`."""
        root = Path(self.root)
        page = root / "src/weft/server/workbench/index.html"
        if version == "editable" or (page.exists() and (root / "PKG-INFO").exists()):
            return
        if shutil.which("npm") and shutil.which("make"):
            subprocess.run(["make", "-s", "page"], cwd=root, check=False, stdout=subprocess.DEVNULL)
        if not page.exists():
            self.app.display_warning(
                "this build has no workbench: install node 20 or later, npm and make, and repeat it"
            )
