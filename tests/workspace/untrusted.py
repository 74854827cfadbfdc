"""Asks a collection that somebody changed, digests and all; run as a process, since it may die.

`python -m tests.workspace.untrusted COLLECTION FOLDER` changes every file in a few ways, one at a
time. It prints a line before each change, and one for every answer that is neither a result nor a
`WeftError`.
"""

import hashlib
import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from weft.core.errors import WeftError
from weft.graph.transitions import load_sessions, load_transitions
from weft.store.manifest import _json_digest
from weft.workspace.facts import collection_facts
from weft.workspace.maintain import PageSelector, remove_pages
from weft.workspace.workspace import Workspace

Change = tuple[str, bytes]
PAGE = "http://a.com/"
DERIVED_FOLDERS = {"graph", "index", "term_weights", "usage"}
CHANGES_PER_SUFFIX = 4
BYTE_POSITIONS = 8


def seal(folder: Path, change: Callable[[dict[str, Any]], object] = dict) -> None:
    """Write sizes and digests of all files anew, so that only their contents give them away."""
    path = folder / "collection.json"
    document = json.loads(path.read_bytes())
    body = document["collection"]
    homes = {"": body["files"]} | {f"segments/{s['name']}/": s["files"] for s in body["segments"]}
    for home, files in homes.items():
        for name in files:
            at = folder / f"{home}{name}"
            raw = at.read_bytes()
            digest, moment = hashlib.sha256(raw).hexdigest(), at.stat().st_mtime_ns
            files[name] = {"size": len(raw), "sha256": digest, "mtime_ns": moment}
    change(body)
    path.write_text(json.dumps({**document, "sha256": _json_digest(body)}))


def array_changes(path: Path) -> Iterator[Change]:
    """An array with numbers that lead elsewhere, of another order, length, type or shape."""
    raw, values = path.read_bytes(), np.load(path)
    head = raw[: 10 + int.from_bytes(raw[8:10], "little")]
    for at in sorted({0, len(values) // 2, len(values) - 1}) if len(values) else ():
        for worst in _worst(values):
            worse = values.copy()
            worse[at] = worst
            yield f"[{at}] = {worst}", head + worse.tobytes()
    yield "reversed", head + values[::-1].tobytes()
    other = {
        "shorter": values[:-1],
        "longer": np.append(values, values[-1:]),
        "empty": values[:0],
        "of another type": values.astype("<i8" if values.dtype.kind == "f" else "<f8"),
        "in two dimensions": values.reshape(1, -1),
        "big-endian": values.astype(values.dtype.newbyteorder(">")),
    }
    for name, changed in other.items():
        np.save(path.with_name("changed.npy"), changed)
        yield name, path.with_name("changed.npy").read_bytes()
        path.with_name("changed.npy").unlink()
    yield "of objects", raw.replace(b"'<", b"'|", 1)
    yield "without head", raw[len(head) :]


def _worst(values: Any) -> Iterator[float]:
    """Numbers that no array of a collection should have, as far as its type has them."""
    if values.dtype.kind == "f":
        yield from (np.nan, np.inf, -1.0, 0.0)
        return
    size, kind = len(values), np.iinfo(values.dtype)
    for number in (-1, size, 3 * size, kind.max, kind.min, 2**31 - 1, 2**40):
        if kind.min <= number <= kind.max:
            yield number


def byte_changes(path: Path) -> Iterator[Change]:
    """A file that is empty, cut in half, has one byte changed, or many."""
    raw = path.read_bytes()
    yield "empty", b""
    yield "half", raw[: len(raw) // 2]
    ends = [0, len(raw) - 1]
    spread = [len(raw) * (2 * k + 1) // (2 * BYTE_POSITIONS) for k in range(BYTE_POSITIONS)]
    for k, at in enumerate([*ends, *spread] if raw else ()):
        yield f"byte {at}", _with_bytes(raw, [at], k)
    for seed in range(2 if raw else 0):
        many = random.Random(seed).choices(range(len(raw)), k=30)
        yield f"bytes {many[:4]} and others", _with_bytes(raw, many, seed)


def _with_bytes(raw: bytes, positions: Sequence[int], seed: int) -> bytes:
    """The same with some bytes zero, 127, 255, or with one bit flipped."""
    changed = bytearray(raw)
    for k, at in enumerate(positions, start=seed):
        changed[at] = (0, 127, 255, changed[at] ^ 1 << k % 8)[k % 4]
    return bytes(changed)


def spread_changes(paths: Sequence[Path]) -> Iterator[tuple[Path, Change]]:
    """Some changes of each file of a kind, evenly spread over all that there are.

    Files of a kind begin at different changes, so that together they undergo every one.
    """
    count = max(CHANGES_PER_SUFFIX // len(paths), 1)
    for number, path in enumerate(paths):
        every = list(array_changes(path) if path.suffix == ".npy" else byte_changes(path))
        for k in range(count):
            yield path, every[(number * 5 + k * len(every) // count) % len(every)]


def questions(folder: Path) -> dict[str, Callable[[], object]]:
    """What commands do, each with a collection opened anew."""

    def export(what: Any) -> object:
        return Workspace(folder).export(folder.parent / f"{what}.csv", what)

    return {
        "search": lambda: Workspace(folder).search("cat bee", 50).to_table().to_pylist(),
        "site": lambda: Workspace(folder).search("site:a.com", 50).to_table().to_pylist(),
        "phrase": lambda: Workspace(folder).search('do* "cat dog"').to_table().to_pylist(),
        "links": lambda: Workspace(folder).links(PAGE).to_pylist(),
        "edges": lambda: export("edges"),
        "pages": lambda: export("pages"),
        "pagerank": lambda: Workspace(folder).rank("pagerank").to_table().to_pylist(),
        "hits": lambda: Workspace(folder).rank("hits", level="host").to_table().to_pylist(),
        "clever": lambda: Workspace(folder).rank("clever", query="cat").to_table().to_pylist(),
        "topics": lambda: Workspace(folder).topics("cat", cache=False),
        "bow-tie": lambda: Workspace(folder).structure("bow-tie"),
        "similar": lambda: Workspace(folder).similar(PAGE),
        "suggest": lambda: Workspace(folder).suggest(PAGE),
        "communities": lambda: Workspace(folder).communities(cache=False),
        "sessions": lambda: load_sessions(Workspace(folder).collection).transitions,
        "transitions": lambda: load_transitions(Workspace(folder).collection),
        "info": lambda: collection_facts(Workspace(folder)),
        "doctor": lambda: Workspace(folder).doctor(deep=True),
        "remove": lambda: remove_pages(folder, PageSelector(urls=["http://b.com/"])),
    }


def say(*words: object) -> None:
    """Print a line at once, before this process dies of the next change."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def ask(folder: Path, label: str, *, derived: bool) -> None:
    """Ask everything, and say what neither answers nor refuses as it should.

    Writers build derived files anew and do not read them.
    """
    say("changed", label)
    asked = questions(folder)
    if derived:
        del asked["remove"]
    for name, question in asked.items():
        try:
            question()
        except WeftError:
            continue
        except BaseException as error:  # noqa: BLE001  panics of the index are none of Exception
            say("wrong", label, "::", name, "::", type(error).__name__, str(error)[:200])


def main(source: Path, into: Path) -> None:
    """Change the files of a collection, one at a time, and say how many were of which kind."""
    folder = into / "c.weft"
    shutil.copytree(source, folder)
    seal(folder)
    for question in questions(folder).values():  # digests alone are no reason to refuse
        question()
    paths = [path for path in sorted(source.glob("*/**/*")) if path.is_file()]
    for suffix in sorted({path.suffix for path in paths}):
        own = [path for path in paths if path.suffix == suffix]
        for path, (what, raw) in spread_changes(own):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(source, folder)
            (folder / path.relative_to(source)).write_bytes(raw)
            seal(folder)
            derived = path.parent.name in DERIVED_FOLDERS
            ask(folder, f"{path.name}: {what}", derived=derived)
        say("done", suffix, len(own))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
