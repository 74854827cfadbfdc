"""The example notebooks, run as people run them, without a network."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
# every attempt to connect anywhere but to this machine, or to look up a name, fails
NO_NETWORK = """
import socket
def _refuse(*_): raise OSError("notebooks need no network")
socket.getaddrinfo = socket.gethostbyname = _refuse
_connect = socket.socket.connect
def _guard(self, address):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"): _refuse()
    return _connect(self, address)
socket.socket.connect = _guard
"""
read_notebook: Any = nbformat.read
new_code_cell: Any = nbformat.v4.new_code_cell
MAPS = "application/vnd.jupyter.widget-view+json"


def outputs(notebook: Any, kind: str) -> list[str]:
    return [
        output["data"][kind]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if kind in output.get("data", {})
    ]


def test_there_are_three_notebooks_without_outputs() -> None:
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        notebook = read_notebook(path, as_version=4)
        nbformat.validate(notebook)
        assert not any(cell.get("outputs") for cell in notebook.cells)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the Jupyter client
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = read_notebook(path, as_version=4)
    notebook.cells.insert(0, new_code_cell(NO_NETWORK))
    client = NotebookClient(notebook, timeout=300, kernel_name="python3")
    client.execute(cwd=str(tmp_path))
    cards = [html for html in outputs(notebook, "text/html") if "weft-card" in html]
    assert len(cards) >= 2
    assert any("weft-address" in card for card in cards), "pages have titles"
    assert len(outputs(notebook, MAPS)) == 1
