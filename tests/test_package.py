"""Wheel and sdist: the workbench is in them, and a machine without node and compiler runs it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import httpx
import pytest

from weft.demo import DemoWeb, write_warc

ROOT = Path(__file__).parent.parent
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "hatch_build.py", ".gitignore", "Makefile")
PAGE = "weft/server/workbench/index.html"
STAND_IN = "<title>Weft, built</title>"
NPM = f"""#!/bin/sh
mkdir -p node_modules ../src/{Path(PAGE).parent}
[ "$1" = ci ] || printf '{STAND_IN}' > ../src/{PAGE}
"""


def locked(name: str) -> set[str]:
    """The lines of a lock that name a package, its version and where it is for."""
    lines = (ROOT / name).read_text().splitlines()
    return {line.removesuffix(" \\") for line in lines if line[:1].isalnum()}


def test_the_lock_for_tests_adds_to_the_lock_for_users() -> None:
    users, tests = locked("requirements.lock"), locked("requirements-dev.lock")
    assert users < tests
    assert not any(line.startswith(("pytest", "ruff", "mypy")) for line in users)
    (uvloop,) = (line for line in users if line.startswith("uvloop"))
    assert "sys_platform != 'win32'" in uvloop


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A search path with no program on it."""
    (tmp_path / "bin").mkdir()
    return str(tmp_path / "bin")


def copy_sources(copy: Path) -> Path:
    """What the packages are made of, as a clone has it: without a built workbench."""
    left_out = shutil.ignore_patterns("__pycache__", "node_modules", "workbench")
    for name in ("src", "web", "packaging"):
        shutil.copytree(ROOT / name, copy / name, ignore=left_out)
    for name in SOURCES:
        shutil.copy(ROOT / name, copy)
    return copy


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy for one test."""
    return copy_sources(tmp_path / "clone")


def build(folder: Path, kind: str, search_path: str) -> tuple[Path, str]:
    """Build a wheel or an sdist; the file, and what the build printed."""
    line = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder / kind)]
    done = subprocess.run(
        line,
        cwd=folder,
        env={"PATH": search_path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    (made,) = (folder / kind).iterdir()
    return made, done.stdout


def build_page(clone: Path) -> None:
    page = clone / "src" / PAGE
    page.parent.mkdir()
    page.write_text(STAND_IN)


def test_a_build_without_node_says_in_one_line_what_is_missing(clone: Path, bare: str) -> None:
    wheel, printed = build(clone, "wheel", bare)
    assert [line for line in printed.splitlines() if "node 20 or later" in line] == [
        "this build has no workbench: install node 20 or later, npm and make, and repeat it"
    ]
    names = zipfile.ZipFile(wheel).namelist()
    assert "weft/server/app.py" in names
    assert "weft/report/templates/topics.html.j2" in names
    assert PAGE not in names


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_build_with_node_builds_the_workbench(clone: Path, bare: str) -> None:
    npm = Path(bare, "npm")
    npm.write_text(NPM)
    npm.chmod(0o755)
    wheel, printed = build(clone, "wheel", f"{bare}:{os.environ['PATH']}")
    assert zipfile.ZipFile(wheel).read(PAGE).decode() == STAND_IN
    assert "workbench" not in printed


def test_a_wheel_is_made_from_the_sdist_without_node(clone: Path, bare: str) -> None:
    build_page(clone)
    sdist, _ = build(clone, "sdist", bare)
    with tarfile.open(sdist) as archive:
        archive.extractall(clone / "unpacked", filter="data")
    (unpacked,) = (clone / "unpacked").iterdir()
    wheel, printed = build(unpacked, "wheel", bare)
    assert zipfile.ZipFile(wheel).read(PAGE).decode() == STAND_IN
    assert "workbench" not in printed
    assert (unpacked / "web" / "src" / "main.tsx").exists(), "an sdist has the sources too"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with a workbench."""
    clone = copy_sources(tmp_path_factory.mktemp("wheel") / "clone")
    build_page(clone)
    return build(clone, "wheel", str(tmp_path_factory.mktemp("bin")))[0]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a wheel that is installed in an environment of its own.

    What it depends on is read from the environment of the tests, so that
    nothing is fetched.
    """
    home = tmp_path_factory.mktemp("installed") / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    pip = [sys.executable, "-m", "pip", "--python", f"{home}/bin/python", "install", "-q"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return home / "bin" / "weft"


@pytest.mark.slow
def test_a_wheel_runs_without_node_and_compiler(installed: Path, bare: str, tmp_path: Path) -> None:
    """The kernels run uncompiled here: compiling them anew takes longer than all the rest."""
    alone = {"PATH": bare, "HOME": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}

    def weft(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [installed, *words], cwd=tmp_path, env=alone, text=True, stdout=subprocess.PIPE
        )

    assert weft("--version").communicate(timeout=120)[0].startswith("weft ")
    assert "Topic 1" in weft("demo", "--pages", "200").communicate(timeout=300)[0]
    with weft("serve", "weft-demo/demo.weft", "--no-browser", "--port", "0") as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            assert httpx.get(address, timeout=60).text == STAND_IN
            found = httpx.get(f"{address}api/search?query=jaguar", timeout=60).json()
        finally:
            server.terminate()
    assert found["total"] > 0


def newcomers_commands() -> list[str]:
    """The commands on the first screen of the documentation."""
    page = (ROOT / "docs" / "index.md").read_text("utf-8")
    found = re.search(r"<!-- newcomer's path -->\n```sh\n(.*?)```", page, re.DOTALL)
    assert found
    return [line.partition("#")[0].strip() for line in found[1].splitlines()]


@pytest.mark.slow
def test_five_commands_lead_from_nothing_to_the_topics_of_an_archive(
    wheel: Path, installed: Path, bare: str, tmp_path: Path
) -> None:
    """As the documentation lists them; the first one installs the wheel, which `installed` did."""
    install, *others = newcomers_commands()
    assert len(others) <= 4
    assert shlex.split(install)[:3] == ["uv", "tool", "install"]
    assert Path(shlex.split(install)[3].removesuffix("[serve]")).name == wheel.name
    write_warc(DemoWeb(pages=200), tmp_path / "crawl.warc.gz")
    alone = {"PATH": f"{installed.parent}:{bare}", "HOME": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    printed = dict[str, str]()
    for line in others:
        words = shlex.split(line)
        if words[1] == "serve":
            words += ["--no-browser", "--port", "0"]
        with subprocess.Popen(
            words, cwd=tmp_path, env=alone, text=True, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            if words[1] == "serve":
                try:
                    address = process.stdout.readline().strip()
                    assert httpx.get(address, timeout=60).text == STAND_IN
                finally:
                    process.terminate()
                continue
            printed[words[1]] = process.communicate(timeout=300)[0]
        assert process.returncode == 0, line
    assert "Topic 2" in printed["topics"]
    assert "jaguar" in (tmp_path / "report.html").read_text("utf-8")


def test_a_wheel_brings_the_man_page(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith(".data/data/share/man/man1/weft.1") for name in names)


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_man_page_is_read_without_a_warning() -> None:
    page = ROOT / "packaging" / "weft.1"
    done = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, check=True)
    assert done.stderr == b""
