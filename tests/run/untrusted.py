"""Asks a collection that somebody changed, digests and all; run as a process, since it may die.

`python -m tests.run.untrusted COLLECTION FOLDER ENDING SEED TRIES` changes each file with that
ending so often. It says a line before each change, and one for every answer that is neither a
result nor an error of ours.
"""

import hashlib
import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from weft.core.errors import WeftError
from weft.run.facts import facts
from weft.run.maintain import Choice, remove
from weft.run.workspace import Workspace
from weft.store.manifest import _digest

Change = tuple[str, bytes]
PAGE = "http://a.com/"


def seal(folder: Path, change: Callable[[dict[str, Any]], object] = dict) -> None:
    """Write sizes and digests of all files anew, so that only what is in them gives them away."""
    path = folder / "collection.json"
    whole = json.loads(path.read_bytes())
    body = whole["collection"]
    homes = {"": body["files"]} | {f"segments/{s['name']}/": s["files"] for s in body["segments"]}
    for home, files in homes.items():
        for name in files:
            at = folder / f"{home}{name}"
            raw = at.read_bytes()
            digest, moment = hashlib.sha256(raw).hexdigest(), at.stat().st_mtime_ns
            files[name] = {"size": len(raw), "sha256": digest, "changed": moment}
    change(body)
    path.write_text(json.dumps({**whole, "sha256": _digest(body)}))


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


def byte_changes(path: Path, chance: random.Random) -> Iterator[Change]:
    """A file with some bytes that are others, or without its second half."""
    raw = path.read_bytes()
    yield "nothing", b""
    yield "half", raw[: len(raw) // 2]
    while raw:
        worse = bytearray(raw)
        some = [chance.randrange(len(raw)) for _ in range(chance.choice([1, 1, 4, 30]))]
        for at in some:
            worse[at] = chance.choice([0, 127, 255, worse[at] ^ 1 << chance.randrange(8)])
        yield f"bytes {some[:4]}", bytes(worse)


def chosen(path: Path, chance: random.Random, tries: int) -> list[Change]:
    """So many changes of a file."""
    if path.suffix == ".npy":
        every = list(array_changes(path))
        return chance.sample(every, min(tries, len(every)))
    return [change for change, _ in zip(byte_changes(path, chance), range(tries), strict=False)]


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
        "info": lambda: facts(Workspace(folder)),
        "doctor": lambda: Workspace(folder).doctor(deep=True),
        "remove": lambda: remove(folder, Choice(urls=["http://b.com/"])),
    }


def say(*words: object) -> None:
    """Tell whoever reads this process, before it dies of the next change."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def ask(folder: Path, label: str) -> None:
    """Ask everything, and tell what neither answers nor refuses as it should."""
    say("changed", label)
    for name, question in questions(folder).items():
        try:
            question()
        except WeftError:
            continue
        except BaseException as error:  # noqa: BLE001  panics of the index are none of Exception
            say("wrong", label, "::", name, "::", type(error).__name__, str(error)[:200])


def main(source: Path, into: Path, ending: str, seed: int, tries: int) -> None:
    """Change the files with an ending, one at a time."""
    chance, folder = random.Random(seed), into / "c.weft"
    paths = [path for path in sorted(source.glob("*/**/*")) if path.name.endswith(ending)]
    shutil.copytree(source, folder)
    seal(folder)
    for question in questions(folder).values():  # digests alone are no reason to refuse
        question()
    for path in paths:
        for what, raw in chosen(path, chance, tries):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(source, folder)
            (folder / path.relative_to(source)).write_bytes(raw)
            seal(folder)
            ask(folder, f"{path.name}: {what}")
    say("done", len(paths))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
