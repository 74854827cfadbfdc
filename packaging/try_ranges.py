"""Install the wheel with the lowest and the highest versions it allows, and run it.

`make try-ranges` does so. Each end gets an environment of its own; the versions come from
the package index that uv is set to. What runs is what a newcomer runs: demo, topics,
report, rankings, structure, communities, export and the server.
"""

import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
UV = str(Path(sys.executable).with_name("uv"))
SHOWN = {"numpy", "scipy", "pyarrow", "scikit-learn", "numba", "pydantic", "rich", "fastapi"}
COMMANDS = """
demo --pages 400
topics weft-demo/demo.weft jaguar
report weft-demo/demo.weft jaguar
rank hits weft-demo/demo.weft --query jaguar
rank bayesian weft-demo/demo.weft --query jaguar
structure weft-demo/demo.weft
communities weft-demo/demo.weft
communities flow weft-demo/demo.weft jaguar
similar weft-demo/demo.weft jaguarmagazine.example
export weft-demo/demo.weft hosts.gexf --level host
export weft-demo/demo.weft pages.parquet --what pages
add copy.weft weft-demo/demo.weft
doctor weft-demo/demo.weft
"""
LIBRARY = """
import weft
c = weft.open("weft-demo/demo.weft")
assert len(c.topics("jaguar")) > 3
assert c.rank("pagerank").to_table().num_rows > 300
print(c.search("jaguar"), c.graph("host"))
"""


def main() -> None:
    """Try both ends."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], ROOT)
        (wheel,) = home.glob("*.whl")
        for end in ("lowest-direct", "highest"):
            _try(end, wheel, home / end)


def _try(end: str, wheel: Path, home: Path) -> None:
    home.mkdir()
    _run([UV, "venv", "-q", "--python", sys.executable, "environment"], home)
    python = home / "environment" / "bin" / "python"
    install = [UV, "pip", "install", "-q", "--python", str(python), "--only-binary", ":all:"]
    compile_ = [UV, "pip", "compile", "-q", "--resolution", end, "--python", str(python)]
    versions = home / "versions.txt"
    _run([*compile_, "--extra", "serve", str(ROOT / "pyproject.toml"), "-o", str(versions)], home)
    _run([*install, "-r", str(versions)], home)
    _run([*install, "--no-deps", str(wheel)], home)
    listed = _run([UV, "pip", "freeze", "--python", str(python)], home)
    shown = [line for line in listed.splitlines() if line.partition("==")[0] in SHOWN]
    sys.stdout.write(f"{end}: {', '.join(shown)}\n")
    weft = str(python.with_name("weft"))
    for line in COMMANDS.strip().splitlines():
        _run([weft, *line.split()], home)
    _run([str(python), "-c", LIBRARY], home)
    _serve([weft, "serve", "weft-demo/demo.weft", "--no-browser", "--port", "0"], home)
    sys.stdout.write(
        f"{end}: {len(COMMANDS.split(chr(10))) - 2} commands, library and server run\n"
    )


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def _serve(command: list[str], folder: Path) -> None:
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            for path in ("", "api/search?query=jaguar"):
                with urllib.request.urlopen(address + path, timeout=300) as answer:
                    assert answer.status == 200
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
