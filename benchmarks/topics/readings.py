"""Blind readings: which answer a reader would rather have.

    python -m benchmarks.topics.readings sheet OUT.md [--seed N]   # a sheet and its key, OUT.json
    python -m benchmarks.topics.readings page                      # write the page of the docs

A sheet has thirty queries of senses.toml, each with the answers of `auto`, of plain search and of
`leiden-votes`, which was `auto` before, in random order. readings.csv holds what readers said.
"""

import argparse
import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.side_by_side import table
from benchmarks.topics.senses import PAGE, Judge, Query, first_hits, queries
from benchmarks.topics.write import put

VERDICTS = Path(__file__).with_name("readings.csv")
SHARES = {"docs": 12, "wikispeedia": 11, "webkb": 7}
ABOUT = {
    "docs": "documentation of 60 software projects",
    "wikispeedia": "an encyclopaedia for schools",
    "webkb": "pages of computer science departments, 1997",
}
TOPICS, PAGES, RESULTS, HITS = 8, 4, 5, 30
WRITTEN_OUT = 20
SYSTEMS = ("auto", "search", "before")
Verdict = dict[str, str]


def choose_queries(draw: random.Random) -> list[Query]:
    """Thirty queries in random order, a fixed number of each collection."""
    left, chosen = dict(SHARES), []
    for query in draw.sample(queries(), len(queries())):
        if left[query.collection]:
            left[query.collection] -= 1
            chosen.append(query)
    return chosen


def page_line(judge: Judge, page: int) -> str:
    """The title and the address of a page, cut."""
    address = judge.urls[page].partition("://")[2]
    return f"{(judge.titles[page] or '(no title)')[:70]} <{address[:60]}>"


def topic_lines(judge: Judge, query: str, method: str, pages: int) -> Iterator[str]:
    """The answer of a topic method as a list of Markdown."""
    found = judge.workspace.topics(query, method, cache=False)
    numbers = found.base.page_numbers
    if method == "auto":
        yield "- best results"
        for page in numbers[found.best_results(RESULTS)].tolist():
            yield f"    - {page_line(judge, page)}"
    for topic in found[:TOPICS]:
        yield f"- **{topic.name}** ({len(topic)} pages)"
        for page in numbers[topic.authorities(pages)].tolist():
            yield f"    - {page_line(judge, page)}"


def answer(judge: Judge, query: str, system: str) -> list[str]:
    """The answer of one of the three systems."""
    if system == "search":
        hits = first_hits(judge.workspace, query, HITS)
        return [f"- {page_line(judge, page)}" for page in hits]
    method = "auto" if system == "auto" else "leiden-votes"
    return list(topic_lines(judge, query, method, PAGES))


def write_sheet(path: Path, seed: int) -> None:
    """Write a sheet, and its key beside it."""
    draw, judges = random.Random(seed), {name: Judge.of(name) for name in SHARES}
    lines, key = ["# Thirty queries, three answers each", ""], []
    for number, query in enumerate(choose_queries(draw), start=1):
        order = draw.sample(SYSTEMS, len(SYSTEMS))
        key.append([number, query.collection, query.text, order])
        lines += [f'## {number}. "{query.text}" ({ABOUT[query.collection]})', ""]
        for letter, system in zip("ABC", order, strict=True):
            lines += [f"### Answer {letter}", ""]
            lines += [*answer(judges[query.collection], query.text, system), ""]
    path.write_text("\n".join(lines), "utf-8")
    path.with_suffix(".json").write_text(json.dumps(key), "utf-8")


def verdicts() -> list[Verdict]:
    """What readers said: reading, reader, collection, query, best, worst, margin, why."""
    with VERDICTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def reader_table(rows: list[Verdict]) -> str:
    """How often each reader preferred which answer."""
    by_reader = defaultdict[tuple[str, str], list[Verdict]](list)
    for row in rows:
        by_reader[row["reading"], row["reader"]].append(row)
    made = []
    for (reading, reader), own in by_reader.items():
        best, worst = Counter(r["best"] for r in own), Counter(r["worst"] for r in own)
        clear = Counter(r["best"] for r in own if r["margin"] == "clear")
        cells = [f"{best[name]} ({clear[name]} clearly)" for name in SYSTEMS]
        made.append([reading, reader, *cells, str(worst["before"])])
    head = ["reading", "reader", "auto", "search", "before", "before is worst"]
    return table(head, made, "llrrrr")


def written_out(rows: list[Verdict]) -> str:
    """Twenty answers of `auto`, and what the readers of the second reading said of them."""
    said = defaultdict[tuple[str, str], list[Verdict]](list)
    for row in rows:
        if row["reading"] == "second":
            said[row["collection"], row["query"]].append(row)
    judges, lines = {name: Judge.of(name) for name in SHARES}, list[str]()
    for (collection, query), own in list(said.items())[:WRITTEN_OUT]:
        lines += [f"### {query} ({ABOUT[collection]})", ""]
        lines += [*topic_lines(judges[collection], query, "auto", 3), ""]
        for row in own:
            better = "this answer" if row["best"] == "auto" else f"the answer of {row['best']}"
            lines.append(
                f"> Reader {row['reader']} prefers {better} ({row['margin']}): {row['why']}"
            )
            lines.append(">")
        lines[-1] = ""
    return "\n".join(lines).rstrip()


def write_page() -> None:
    """Write the parts of the page that readings make up."""
    rows = verdicts()
    text = put(PAGE.read_text("utf-8"), "readers", reader_table(rows))
    PAGE.write_text(put(text, "answers", written_out(rows)), "utf-8")


def main() -> None:
    """Write a sheet, or the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("sheet", "page"))
    parser.add_argument("out", type=Path, nargs="?", default=Path("sheet.md"))
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.what == "sheet":
        write_sheet(given.out, given.seed)
    else:
        write_page()


if __name__ == "__main__":
    main()
