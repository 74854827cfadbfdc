"""Saved between runs: collections, and results by method and case."""

import ast
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from inspect import getfile, unwrap
from pathlib import Path

import weft
from benchmarks.webs import OUT
from weft.core.register import METHODS
from weft.workspace.workspace import Workspace

SOURCE = Path(weft.__file__).parent
HERE = Path(__file__).parent
MAKING = (
    "gather/**/*.py",
    "gather/**/*.toml",
    "store/*.py",
    "graph/build.py",
    "workspace/ingest.py",
)
CHAIN = ("graph/**/*.py", "store/*.py", "workspace/topics.py")
RESULTS = OUT / "topics"


def current(folder: Path, archive: Callable[[], Path]) -> Workspace:
    """A collection made from an archive by the current code; rebuilt if the code has changed.

    It is built in a temporary folder and moved, so that it is never half built.
    """
    mark = folder / "made-by"
    digest = digest_of(sources(*MAKING))
    if not mark.exists() or mark.read_text() != digest:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
            made = Path(beside) / folder.name
            Workspace(made).add(archive(), workers=1)
            (made / "made-by").write_text(digest)
            if folder.exists():
                folder.rename(Path(beside) / "before")
            made.rename(folder)
    return Workspace(folder)


def sources(*patterns: str) -> list[Path]:
    """Files of the package, by patterns."""
    return sorted({path for pattern in patterns for path in SOURCE.glob(pattern)})


def digest_of(files: Iterable[Path]) -> str:
    """A digest of the contents of some files."""
    made = blake2b(digest_size=8)
    for path in files:
        made.update(path.read_bytes())
    return made.hexdigest()


def behind(path: Path) -> list[Path]:
    """A module of the topics, and the modules of topics, engine and kernels that it imports."""
    found, ahead = {path}, [path]
    while ahead:
        for other in _imported(ahead.pop()):
            if other.exists() and other not in found:
                found.add(other)
                ahead += [other] if other.parent == path.parent else []
    return sorted(found)


def _imported(path: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        if module.startswith(("weft.topics.", "weft.groups.", "weft.engine.", "weft.kernels.")):
            yield SOURCE.joinpath(*module.split(".")[1:]).with_suffix(".py")


@dataclass(slots=True)
class Kept:
    """The results of one method in one part, valid while its sources stay the same."""

    part: str
    method: str
    digest: str
    cases: dict[str, dict[str, float]] = field(default_factory=dict)
    before: dict[str, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, part: str, method: str) -> "Kept":
        """The saved results; `before` has those of sources that have changed since."""
        kept = cls(part, method, digest_of(depends(part, method)))
        if kept.path.exists():
            found = json.loads(kept.path.read_text())
            fresh = found["digest"] == kept.digest
            kept.cases, kept.before = (found["cases"], {}) if fresh else ({}, found["cases"])
        return kept

    @property
    def path(self) -> Path:
        """The file of the results."""
        name = "".join(c if c.isalnum() else "-" for c in self.method)
        return RESULTS / "results" / self.part / f"{name}.json"

    def add(self, key: str, measures: dict[str, float]) -> None:
        """Save one more result, so that an interrupted run can continue."""
        self.cases[key] = measures
        self.path.parent.mkdir(parents=True, exist_ok=True)
        document = {"method": self.method, "digest": self.digest, "cases": self.cases}
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps(document, indent=1) + "\n")
        beside.replace(self.path)


def variants(part: str) -> list[str]:
    """The methods that were measured with options, as in `auto?min_size=10`."""
    files = sorted((RESULTS / "results" / part).glob("*.json"))
    found = [json.loads(path.read_text())["method"] for path in files]
    return [name for name in found if "?" in name]


def depends(part: str, method: str) -> list[Path]:
    """The files that a result depends on: method, measures, and the pipeline if it is used."""
    own = [HERE / "case.py", HERE / f"{part}.py", HERE / "sets.py"]
    registered = METHODS.get(("topics", method.partition("?")[0]))
    if registered:
        own += behind(Path(getfile(unwrap(registered.run))))
    else:
        own += [HERE / "baselines.py"]
    return own + (sources(*CHAIN) if part in ("demo", "partitions") else [])
