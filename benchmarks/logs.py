"""Access logs, from file to sessions: `python -m benchmarks.logs [LINES | LOG]`.

Writes a clean log in Combined Log Format, and reads it with Weft and with other tools, each in a
process of its own. The others split lines into texts; Weft also parses times, numbers distinct
values, cleans URLs and tells robots from visitors. The last rows are the whole path: `add` into a
collection, with sessions and transitions. Peers that are not installed are left out. Prints lines
per CPU second, peak memory, and what became of the lines. Of a log that is given, it prints only
what became of its lines.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path

import numpy as np

import weft
from benchmarks.measure import peak
from weft.gather.formats import recognise_input
from weft.gather.logs.access_logs import read_rows
from weft.gather.logs.options import LogInput, LogOptions
from weft.gather.page import Problems

LINES = 5_000_000
CHUNK_LINES, OPEN_VISITS = 100_000, 400
PAGES, ASSETS, AGENTS = 20_000, 500, 3_000
FOLDERS = ("docs", "blog", "wiki", "shop")
SITE = "https://www.example.org"
GROUPS = ("host", "ident", "user", "time", "request", "status", "size", "referrer", "agent")
LINE = (
    r'^(\S+) (\S+) (\S+) \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}) (\d+|-)'
    r'(?: "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?\s*$'
)


def write_log(path: Path, lines: int, seed: int = 0) -> None:
    """Write visits to a site: a page with what it embeds, then a page that it links to."""
    random = np.random.default_rng(seed)
    pages = [f"/{FOLDERS[k % 4]}/page-{k}.html" for k in range(PAGES)]
    assets = ["/style.css", "/app.js", *(f"/img/{k}.jpg" for k in range(ASSETS))]
    agents = [
        f"Mozilla/5.0 (X11; Linux x86_64; rv:{50 + k % 90}.0) AppleWebKit/537.36 (KHTML, like "
        f"Gecko) Chrome/{60 + k // 90}.0.{1000 + k} Safari/537.36"
        for k in range(AGENTS)
    ]
    popularity = np.array(list(accumulate(1 / (k + 1) for k in range(PAGES))))
    visits = [["", "", "-"] for _ in range(OPEN_VISITS)]
    seconds = 1_700_000_000
    with path.open("w") as file:
        for start in range(0, lines, CHUNK_LINES):
            n = min(CHUNK_LINES, lines - start)
            chosen = np.searchsorted(popularity, random.random(n) * popularity[-1]).tolist()
            draws = random.random((n, 2)).tolist()
            numbers = random.integers(0, 1 << 30, (n, 2)).tolist()
            text = []
            for page, (kind, end), (number, other) in zip(chosen, draws, numbers, strict=True):
                visit = visits[number % OPEN_VISITS]
                if end < 1 / 12 or not visit[0]:
                    octets = (1 + other % 223, other >> 8 & 255, other >> 16 & 255, number & 255)
                    visit[:] = [".".join(map(str, octets)), agents[other % AGENTS], "-"]
                seconds += number % 7 == 0 and other % 5 == 0
                target, referrer = assets[other % len(assets)], visit[2]
                if kind < 0.5:
                    target, visit[2] = pages[page], SITE + pages[page]
                query = f"?id={other % 100_000}" if kind < 0.05 else ""
                status = (200, 200, 200, 200, 200, 200, 200, 304, 301, 404)[number % 10]
                text.append(
                    f'{visit[0]} - - [{stamp(seconds)}] "GET {target}{query} HTTP/1.1" {status} '
                    f'{number % 90_000} "{referrer}" "{visit[1]}"\n'
                )
            file.writelines(text)


_stamps: dict[int, str] = {}


def stamp(seconds: int) -> str:
    """A time as in a log."""
    if seconds not in _stamps:
        _stamps.clear()
        _stamps[seconds] = datetime.fromtimestamp(seconds, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    return _stamps[seconds]


def by_weft_rows(path: Path) -> str:
    """Lines split into fields, times parsed, distinct values numbered."""
    log = LogInput(str(path), "", "", LogOptions(), Problems())
    accepted = sum(len(rows) for rows in read_rows(path, log))
    return f"{accepted:,} parsed, {sum(log.problems.counts.values()):,} rejected"


def by_weft_requests(path: Path) -> str:
    """What goes into a collection: cleaned requests of visitors."""
    problems = Problems()
    batches = recognise_input(path).read_requests(problems, LogOptions(salt=b"benchmark"))
    accepted = sum(len(batch.requests) for batch in batches)
    dropped = sum(problems.counts.values()) - problems.damage_count
    return f"{accepted:,} accepted, {dropped:,} dropped, {problems.damage_count:,} rejected"


def by_weft_collection(path: Path) -> str:
    """The whole path: a collection with sessions and transitions."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        collection = weft.open(Path(folder) / "site.weft")
        collection.add(str(path))
        return repr(collection)


def by_polars(path: Path) -> str:
    """The regular expression of Polars over lines, streamed."""
    import polars as pl  # noqa: PLC0415  a peer

    lines = pl.scan_csv(
        path, has_header=False, separator="\x01", quote_char=None, new_columns=["line"]
    )
    fields = lines.select(pl.col("line").str.extract_groups(LINE).alias("f")).unnest("f")
    sizes = fields.select(pl.col("1").count().alias("rows"), pl.all().str.len_bytes().sum())
    return f"{sizes.collect(engine='streaming')['rows'][0]:,} parsed"


def by_duckdb(path: Path) -> str:
    """The regular expression of DuckDB over lines."""
    import duckdb  # noqa: PLC0415  a peer

    names = ", ".join(f"'{name}'" for name in GROUPS)
    sums = ", ".join(f"sum(length(f.{name}))" for name in GROUPS)
    query = f"""
        SELECT count(*) FILTER (f.status <> ''), {sums} FROM (
            SELECT regexp_extract(line, ?, [{names}]) AS f FROM read_csv(
                ?, delim='\x01', quote='', escape='', header=false, columns={{'line': 'VARCHAR'}}))
    """
    (rows, *_), *_ = duckdb.execute(query, [LINE, str(path)]).fetchall()
    return f"{rows:,} parsed"


def by_pandas(path: Path) -> str:
    """The CSV reader of pandas with a space as the delimiter: drops bad lines silently."""
    import pandas as pd  # noqa: PLC0415  a peer

    chunks = pd.read_csv(
        path, sep=" ", header=None, quotechar='"', escapechar="\\", on_bad_lines="skip",
        names=range(10), chunksize=200_000,
    )  # fmt: skip
    return f"{sum(len(chunk) for chunk in chunks):,} parsed"


def by_python_re(path: Path) -> str:
    """The regular expression of Python, line by line."""
    parse = re.compile(LINE.encode()).match
    with path.open("rb") as file:
        parsed = sum(match is not None and bool(match.groups()) for match in map(parse, file))
    return f"{parsed:,} parsed"


READERS: dict[str, tuple[str, Callable[[Path], str]]] = {
    "Weft, lines to rows": ("weft", by_weft_rows),
    "Weft, lines to cleaned requests": ("weft", by_weft_requests),
    "Polars, regular expression": ("polars", by_polars),
    "DuckDB, regular expression": ("duckdb", by_duckdb),
    "pandas, CSV by spaces": ("pandas", by_pandas),
    "Python re": ("re", by_python_re),
    "Weft, file to collection": ("weft", by_weft_collection),
}


def main(lines: int) -> None:
    """Write the log, and time every reader on it."""
    peers = [name for name in ("polars", "duckdb", "pandas") if importlib.util.find_spec(name)]
    print(", ".join(f"{name} {version(name)}" for name in peers))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "access.log"
        write_log(path, lines)
        # Arrow imports pandas if it is installed, and the base install does not have it.
        hidden = Path(folder) / "hidden"
        hidden.mkdir()
        (hidden / "pandas.py").write_text("raise ImportError('hidden')")
        print(f"{lines:,} lines, {path.stat().st_size / 1e6:,.0f} MB")
        print("| reader | lines per CPU second | peak memory | lines |\n|---|---|---|---|")
        for name, (package, _) in READERS.items():
            if importlib.util.find_spec(package):
                line = [sys.executable, "-m", "benchmarks.logs", name, str(path), str(lines)]
                found = [hidden] * (package == "weft") + list(filter(None, sys.path))
                env = os.environ | {"PYTHONPATH": ":".join(map(str, found))}
                done = subprocess.run(line, capture_output=True, text=True, check=False, env=env)
                print(done.stdout.strip() or done.stderr.strip()[-300:], flush=True)


def describe(path: Path) -> None:
    """Print what becomes of the lines of a log."""
    problems = Problems()
    source = recognise_input(path)
    batches = source.read_requests(problems, LogOptions(salt=b"benchmark"))
    rows = [row for batch in batches for row in batch.requests.to_pylist()]
    suspects = [row for row in rows if row["robot"]]
    counts = {
        "pages kept": len(rows),
        "of these, by suspected robots": len(suspects),
        **dict(problems.counts.most_common()),
    }
    read = len(rows) + sum(problems.counts.values())
    print(f"{path.name}: {source.input_format}, {read:,} lines\n\n| what | lines |\n|---|---|")
    for what, count in counts.items():
        print(f"| {what} | {count:,} |")
    pages, visitors = ({row[name] for row in rows} for name in ("url", "visitor"))
    print(f"\n{len(pages):,} pages, {len(visitors):,} visitors")


def measure_reader(name: str, path: Path, lines: int) -> None:
    """Time one reader in this process; compiled kernels are loaded before."""
    read = READERS[name][1]
    warm_up = path.with_name(f"{name.replace(' ', '-')}.log")
    with path.open("rb") as file:
        warm_up.write_bytes(b"".join(file.readline() for _ in range(1000)))
    read(warm_up)
    start = time.process_time()
    result = read(path)
    rate = lines / (time.process_time() - start)
    print(f"| {name} | {rate:,.0f} | {peak():,.0f} MB | {result} |")


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in READERS:
        measure_reader(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:] and not sys.argv[1].isdigit():
        describe(Path(sys.argv[1]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else LINES)
