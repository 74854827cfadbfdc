"""Where the time of `weft add` goes: `python -m benchmarks.where ARCHIVE`, in one process."""

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from weft.gather import html
from weft.gather.html import Reading
from weft.gather.source import recognise
from weft.run import ingest, parse, snapshot
from weft.store import segment

STEPS = [
    (html, "HTMLTree", "parse HTML"),
    (html, "elements", "find links and declarations"),
    (html, "mark", "mark links"),
    (html, "extract_plain_text", "extract text"),
    (html, "unmark", "read links off the text"),
    (html, "main_spans", "main content"),
    (html, "detect", "language"),
    (html, "bounded", "guard"),
    (html, "decode", "decode"),
    (parse, "tables", "rows of tables"),
    (ingest, "capture_digest", "digest"),
    (segment, "write_pages", "write segment"),
    (snapshot, "number_pages", "number pages"),
    (snapshot, "build", "build graph"),
    (snapshot, "build_index", "full-text index"),
]


def main(archive: Path) -> None:
    """Add an archive with every step timed; what is left is reading and the rest."""
    spent: dict[str, float] = defaultdict(float)
    for module, name, label in STEPS:
        setattr(module, name, _timed(getattr(module, name), label, spent))
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        added = ingest.add(Path(folder) / "c.weft", [recognise(archive)], Reading(), workers=1)
        total = time.process_time() - start
    spent["reading and the rest"] = total - sum(spent.values())
    print(f"{archive.name}: {added.fresh:,} pages, {total / added.fresh * 1e3:.2f} ms CPU a page")
    for label, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"{label:28}{seconds / added.fresh * 1e3:>8.3f} ms{seconds / total:>8.0%}")


def _timed(step: Any, label: str, spent: dict[str, float]) -> Any:
    function: Callable[..., Any] = step.parse_from_bytes if isinstance(step, type) else step

    def run(*words: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return function(*words, **options)
        finally:
            spent[label] += time.process_time() - start

    return (
        type("Timed", (), {"parse_from_bytes": staticmethod(run)})
        if isinstance(step, type)
        else run
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
