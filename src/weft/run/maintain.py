"""Look after a collection: take pages out, merge segments, find damage."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft import __version__
from weft.core.errors import Damaged, WeftError
from weft.core.progress import track
from weft.run.ingest import add_collection
from weft.run.integrity import disagreements
from weft.run.memory import live_within_limit
from weft.run.snapshot import build_snapshot
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.manifest import Manifest, refuse_links
from weft.store.mapped import Sorted
from weft.store.numbering import KINDS
from weft.store.search import site_range
from weft.store.writer import Writer, writing


@dataclass(frozen=True, slots=True)
class Choice:
    """Which pages to take out: by URL, by host or domain, by a pattern such as `*/print/*`."""

    urls: Sequence[str] = ()
    hosts: Sequence[str] = ()
    patterns: Sequence[str] = ()


def chosen(collection: Collection, choice: Choice) -> list[int]:
    """The numbers of the pages that a choice means; pages only seen cannot be taken out."""
    pages = collection.pages
    marked = np.zeros(len(pages), bool)
    for url in choice.urls:
        marked[collection.find(url)] = True
    for host in choice.hosts:
        marked[slice(*site_range(host, Sorted(pages["key"])))] = True
    for pattern in choice.patterns:
        marked |= pc.match_substring_regex(pages["url"], _regex(pattern)).to_numpy()
    marked &= pages["kind"].to_numpy() != KINDS["seen"]
    found: list[int] = np.flatnonzero(marked).tolist()
    return found


def _regex(pattern: str) -> str:
    """A pattern in the language of RE2: `*` and `?` are wild, everything else is itself."""
    wild = {"*": ".*", "?": "."}
    return f"(?s)^{''.join(wild.get(sign) or re.escape(sign) for sign in pattern)}$"


def remove(folder: Path, choice: Choice) -> int:
    """Take pages out, every capture of them; those that others link to remain as seen."""
    with _settled(folder) as writer:
        count, gone = _gone(Collection.open(folder), choice)
        if count:
            found = {
                part.name: _rows(writer.segment_folder(part), gone) for part in writer.segments
            }
            writer.remove({name: rows for name, rows in found.items() if len(rows)})
            writer.commit(build_snapshot(folder / "segments"), _note(f"removed {count} pages"))
    return count


def _gone(collection: Collection, choice: Choice) -> tuple[int, pa.Array]:
    """How many pages are chosen, and their URLs with those that they stand for."""
    numbers = pa.array(chosen(collection, choice), pa.int32())
    aliases = collection.aliases
    folded = aliases.filter(pc.is_in(aliases["page"], numbers))["url"]
    gone = pa.chunked_array([*collection.pages["url"].take(numbers).chunks, *folded.chunks])
    return len(numbers), gone.cast(pa.string()).combine_chunks()


def _rows(at: Path, gone: pa.Array) -> Sequence[int]:
    """The rows of a segment whose URLs are gone."""
    hit = pc.is_in(segments.read(at, "urls.parquet", ["url"])["url"], gone).to_numpy()
    own = segments.read(at, "pages.parquet", ["url"])["url"].to_numpy()
    rows: list[int] = np.flatnonzero(hit[own]).tolist()
    return rows


def compact(folder: Path) -> tuple[int, int]:
    """Merge the segments, and let go of what was removed; say how many there were and are."""
    with _settled(folder) as writer:
        before = len(writer.segments)
        writer.start_over()
        add_collection(writer, Collection.open(folder))
        writer.commit(build_snapshot(folder / "segments"), _note("compacted"))
        return before, len(writer.segments)


@contextmanager
def _settled(folder: Path) -> Iterator[Writer]:
    """Write to a collection that is there, once what an interrupted add left is committed."""
    live_within_limit()
    Manifest.read(folder)
    with writing(folder) as writer:
        if writer.staged:
            writer.commit(build_snapshot(folder / "segments"), _note("an interrupted add"))
        yield writer


def doctor(folder: Path, *, deep: bool = False) -> list[str]:
    """Read every committed file, and say what is wrong with which.

    `deep` also says where files disagree that have their digests, as those of a
    collection may that somebody else has made.
    """
    if not folder.is_dir():
        raise WeftError(f"{folder} is not a collection", hint="name a collection's folder")
    try:
        collection = Collection(folder, Manifest.read(folder))
        refuse_links(folder)
    except Damaged as error:
        return [str(error)]
    wrong = []
    files = collection.files()
    for path, file in track(files.items(), "files", len(files)):
        try:
            file.check(folder / path, small=file.size)
        except Damaged as error:
            wrong.append(str(error))
        except OSError as error:
            wrong.append(f"{folder / path} cannot be read ({error.strerror})")
    if deep and not wrong:
        try:
            wrong.extend(disagreements(Collection.open(folder)))
        except Damaged as error:
            wrong.append(str(error))
    return wrong


def _note(what: str) -> dict[str, Any]:
    time = datetime.now(UTC).isoformat(timespec="seconds")
    return {
        "time": time,
        "version": __version__,
        "inputs": [what],
        "pages": 0,
        "known": 0,
        "problems": [],
    }
