"""The obvious script: warcio, BeautifulSoup with lxml, SQLite FTS5."""

import sqlite3
import sys
import warnings
from pathlib import Path
from urllib.parse import urljoin

from bs4 import BeautifulSoup
from warcio.archiveiterator import ArchiveIterator


def main(archive: str, database: str) -> None:
    """Put the pages and links of an archive into a database."""
    warnings.filterwarnings("ignore", module="bs4|benchmarks.plain")
    Path(database).unlink(missing_ok=True)
    db = sqlite3.connect(database)
    db.execute(
        'create virtual table pages using fts5(url, title, body, tokenize="porter unicode61")'
    )
    db.execute("create table links (source, target, anchor)")
    with Path(archive).open("rb") as file:
        for record in ArchiveIterator(file):
            kind = record.http_headers and record.http_headers.get_header("Content-Type", "")
            if record.rec_type == "response" and "html" in (kind or ""):
                url = record.rec_headers.get_header("WARC-Target-URI")
                store(db, url, record.content_stream().read())
    db.execute("create index by_source on links (source)")
    db.execute("create index by_target on links (target)")
    db.commit()


def store(db: sqlite3.Connection, url: str, body: bytes) -> None:
    """Store one page: its text and its links."""
    page = BeautifulSoup(body, "lxml")
    title = page.title.get_text() if page.title else ""
    db.execute("insert into pages values (?, ?, ?)", (url, title, page.get_text(" ")))
    links = []
    for link in page.find_all("a", href=True):
        try:
            links.append((url, urljoin(url, str(link["href"])), link.get_text(" ", strip=True)))
        except ValueError:
            continue
    db.executemany("insert into links values (?, ?, ?)", links)


if __name__ == "__main__":
    main(*sys.argv[1:])
