"""Blind readings: which answer a reader would rather have.

    python -m benchmarks.topics.readings sheet OUT.md [--seed N]   # and its key, OUT.json
    python -m benchmarks.topics.readings answers OUT.json --queries FILE  # those of this version
    python -m benchmarks.topics.readings score OUT.json VERDICTS.csv...  # who prefers what
    python -m benchmarks.topics.readings found                     # verdicts by pages found
    python -m benchmarks.topics.readings page                      # write the page of the docs

Verdicts have the columns number, best, worst (letters), margin (clear or slight) and why, a file
for each reader, who is named by the file.

A sheet has thirty queries of senses.toml, or with --queries those of fresh.toml, later.toml,
everyday.toml, refilled.toml, listed.toml, adaptive.toml or weighed.toml, each with the answers
of `auto`, of plain search and of `leiden-votes`, which was `auto` before, in random order.
With --before the third answer is that of a file of answers, written by an earlier version.
readings.csv holds what readers said.
"""

import argparse
import csv
import json
import random
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.side_by_side import table
from benchmarks.topics.senses import PAGE, Judge, Query, first_hits, queries
from benchmarks.topics.write import put
from weft.cli.topics import MAX_ALSO_FOUND
from weft.core.arrays import Ids
from weft.groups import Group
from weft.topics.auto import Hits

VERDICTS = Path(__file__).with_name("readings.csv")
SHARES = {"docs": 12, "wikispeedia": 11, "webkb": 7}
ABOUT = {
    "docs": "documentation of 60 software projects",
    "wikispeedia": "an encyclopaedia for schools",
    "webkb": "pages of computer science departments, 1997",
}
TOPICS, PAGES, RESULTS, HITS = 8, 5, 10, 30
WRITTEN_OUT = 20
BEFORE_LISTS, FOUND = ("fresh", "everyday", "refilled", "listed"), (60, 120)
SYSTEMS = ("auto", "search", "before")
COLUMNS = ("reading", "reader", "collection", "query", "best", "worst", "margin", "why")
Verdict = dict[str, str]


def read_queries(path: Path) -> list[Query]:
    """The queries of a file by collection, which have no senses written down."""
    rows = tomllib.loads(path.read_text("utf-8"))
    return [Query(name, text, path.stem, {}) for name, texts in rows.items() for text in texts]


def choose_queries(draw: random.Random) -> list[Query]:
    """Thirty queries, a fixed number of each collection, those of the test half first."""
    left, chosen = dict(SHARES), []
    both = draw.sample(queries(), len(queries()))
    for query in sorted(both, key=lambda query: query.split != "test"):
        if left[query.collection]:
            left[query.collection] -= 1
            chosen.append(query)
    return draw.sample(chosen, len(chosen))


def page_line(judge: Judge, page: int) -> str:
    """The title and the address of a page, cut."""
    address = judge.urls[page].partition("://")[2]
    return f"{(judge.titles[page] or '(no title)')[:70]} <{address[:60]}>"


def topic_lines(judge: Judge, query: str, method: str, pages: int) -> Iterator[str]:
    """The answer of a topic method as a list of Markdown."""
    found = judge.workspace.topics(query, method, cache=False)
    found = replace(found, groups=found.groups[:TOPICS])
    numbers, results = found.base.page_numbers, RESULTS if method == "auto" else 0
    best, also_found = found.leading_results(results), found.also_found(pages, results)

    def lines_of(chosen: Ids, before: str = "") -> Iterator[str]:
        yield from (f"    - {before}{page_line(judge, p)}" for p in numbers[chosen].tolist())

    def topic_line(number: int, topic: Group) -> str:
        return f"    - {number}. {topic.name} ({len(topic)} pages): {topic.title}"

    if results:
        yield "- best results"
    for line, group in zip(lines_of(best), found.group_of_page[best].tolist(), strict=True):
        yield line + (f" (topic {group + 1})" if group >= 0 else "")
    topics = [(k, topic) for k, topic in enumerate(found, start=1) if not topic.in_passing]
    if found.results_first:
        yield "- topics"
        yield from (topic_line(*topic) for topic in topics)
    for number, topic in [] if found.results_first else topics:
        yield f"- **{number}. {topic.name}** ({len(topic)} pages)"
        yield from lines_of(found.listed_authorities(number, pages, results))
        others = also_found[number]
        yield from lines_of(others[:MAX_ALSO_FOUND], "also found: ")
        if len(others) > MAX_ALSO_FOUND:
            yield f"    - and {len(others) - MAX_ALSO_FOUND} more"
    passing = [(k, topic) for k, topic in enumerate(found, start=1) if topic.in_passing]
    yield from ["- mentioned in passing"] if passing else []
    yield from (topic_line(*topic) for topic in passing)
    yield from ["- other results"] if len(also_found[0]) else []
    yield from lines_of(also_found[0])


def answer(judge: Judge, query: str, system: str) -> list[str]:
    """The answer of one of the three systems."""
    if system == "search":
        hits = first_hits(judge.workspace, query, HITS)
        return [f"- {page_line(judge, page)}" for page in hits]
    method = "auto" if system == "auto" else "leiden-votes"
    return list(topic_lines(judge, query, method, PAGES))


def write_answers(path: Path, asked: Sequence[Query]) -> None:
    """Write the answers of `auto` of this version, by collection and query."""
    judges = {name: Judge.of(name) for name in SHARES}
    answers = defaultdict[str, dict[str, list[str]]](dict)
    for query in asked:
        lines = answer(judges[query.collection], query.text, "auto")
        answers[query.collection][query.text] = lines
    path.write_text(json.dumps(answers, ensure_ascii=False, indent=1), "utf-8")


def write_sheet(path: Path, seed: int, given: Sequence[Query], before: Path | None) -> None:
    """Write a sheet of some queries, or of thirty, and its key beside it."""
    draw, judges = random.Random(seed), {name: Judge.of(name) for name in SHARES}
    earlier = json.loads(before.read_text("utf-8")) if before else {}
    chosen = draw.sample(given, len(given)) if given else choose_queries(draw)
    lines, key = [f"# {len(chosen)} queries, three answers each", ""], []
    for number, query in enumerate(chosen, start=1):
        order = draw.sample(SYSTEMS, len(SYSTEMS))
        key.append([number, query.collection, query.text, order])
        lines += [f'## {number}. "{query.text}" ({ABOUT[query.collection]})', ""]
        for letter, system in zip("ABC", order, strict=True):
            lines += [f"### Answer {letter}", ""]
            if earlier and system == "before":
                lines += [*earlier[query.collection][query.text], ""]
            else:
                lines += [*answer(judges[query.collection], query.text, system), ""]
    path.write_text("\n".join(lines), "utf-8")
    path.with_suffix(".json").write_text(json.dumps(key), "utf-8")


def score(key: Path, files: Sequence[Path]) -> None:
    """Print the verdicts of readers as rows of readings.csv, and how often each won."""
    asked = {number: rest for number, *rest in json.loads(key.read_text("utf-8"))}
    rows = []
    for file in files:
        with file.open(encoding="utf-8", newline="") as lines:
            for said in csv.DictReader(lines):
                collection, query, order = asked[int(said["number"])]
                systems = dict(zip("ABC", order, strict=True))
                best, worst = (systems[said[name].strip()] for name in ("best", "worst"))
                row = [key.stem, file.stem, collection, query, best, worst]
                rows.append([*row, said["margin"].strip(), said["why"]])
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
    found = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    print(reader_table(found))
    for name in SHARES:
        wins = Counter(row["best"] for row in found if row["collection"] == name)
        print(name, dict(wins))


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


def found_table(rows: list[Verdict]) -> str:
    """Which answer readers preferred, by the number of pages that a query finds.

    Of the readings of queries that nothing was tuned on, before the form of an
    answer depended on that number.
    """
    judges, counts = {name: Judge.of(name) for name in SHARES}, dict[tuple[str, str], int]()
    wins = defaultdict[str, Counter[str]](Counter)
    for row in rows:
        asked = row["collection"], row["query"]
        if row["reading"] in BEFORE_LISTS:
            if asked not in counts:
                found = judges[asked[0]].workspace.topics(asked[1], "auto", cache=False)
                counts[asked] = len(Hits.from_base_set(found.base).pages)
            size = next((f"at most {most}" for most in FOUND if counts[asked] <= most), "more")
            wins[size][row["best"]] += 1
    sizes = [*(f"at most {most}" for most in FOUND), "more"]
    return table(
        ["pages found", "auto", "search"],
        [[size, str(wins[size]["auto"]), str(wins[size]["search"])] for size in sizes],
    )


def written_out(rows: list[Verdict]) -> str:
    """Twenty answers of `auto`, and what the readers of the fresh queries said of them."""
    said = defaultdict[tuple[str, str], list[Verdict]](list)
    for row in rows:
        if row["reading"] == "fresh":
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
    text = put(text, "found", found_table(rows))
    PAGE.write_text(put(text, "answers", written_out(rows)), "utf-8")


def main() -> None:
    """Write a sheet or the page, or score verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("sheet", "answers", "score", "found", "page"))
    parser.add_argument("files", type=Path, nargs="*", default=[Path("sheet.md")])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--queries", type=Path, help="a file of queries instead of senses.toml")
    parser.add_argument("--before", type=Path, help="a file of answers to compare with")
    given = parser.parse_args()
    asked = read_queries(given.queries) if given.queries else []
    if given.what == "sheet":
        write_sheet(given.files[0], given.seed, asked, given.before)
    elif given.what == "answers":
        write_answers(given.files[0], asked or queries())
    elif given.what == "score":
        score(given.files[0], given.files[1:])
    elif given.what == "found":
        print(found_table(verdicts()))
    else:
        write_page()


if __name__ == "__main__":
    main()
