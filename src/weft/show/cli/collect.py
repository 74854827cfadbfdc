"""Verbs that make and keep a collection: demo, add, info, remove, compact, doctor."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.core.errors import WeftError
from weft.core.wording import count
from weft.show.cli.arguments import Folder
from weft.show.cli.output import (
    Chosen,
    Format,
    examples,
    note,
    plain,
    progress,
    settings,
    write_json,
    write_pairs,
)

if TYPE_CHECKING:
    from weft.gather.source import Source
    from weft.run.ingest import Added
    from weft.run.workspace import Workspace

DAMAGED = 3


@examples(
    "weft demo",
    "weft demo big --pages 20000 --noise 0.15",
    "weft topics weft-demo/demo.weft jaguar",
)
def demo(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="where to write it")] = Path(
        "weft-demo"
    ),
    pages: Annotated[int, typer.Option(min=200, max=1_000_000, help="how many pages")] = 1500,
    seed: Annotated[int, typer.Option(help="another seed, another web")] = 0,
    noise: Annotated[
        float, typer.Option(min=0, max=1, help="share of links to random pages")
    ] = 0.05,
    mixing: Annotated[
        float, typer.Option(min=0, max=1, help="share of hubs that mix senses")
    ] = 0.1,
    serve: Annotated[
        bool, typer.Option("--serve", help="then open it in the browser, as `weft serve` does")
    ] = False,
) -> None:
    """Write a small web about four kinds of jaguar, add it, find its topics, and report on them."""
    from weft.gather.demoweb import DemoWeb, write_warc
    from weft.run.workspace import Workspace

    folder.mkdir(parents=True, exist_ok=True)
    archive, collection = folder / "demo.warc.gz", folder / "demo.weft"
    web = DemoWeb(pages=pages, seed=seed, noise=noise, mixing=mixing)
    with progress():
        write_warc(web, archive)
        workspace = Workspace(collection)
        if (collection / "collection.json").exists():
            workspace.remove(patterns=["*"])
        added = workspace.add(archive)
    _say_added(added, workspace)
    note("")
    from weft.show.cli.discover import show_topics
    from weft.show.cli.report import write_report

    with progress():
        found = workspace.topics("jaguar")
    show_topics(workspace, found, 3, 10, Format.table)
    note("")
    write_report(workspace, found, folder / "report.html")
    note("")
    note(f"next:  weft topics {collection} jaguar --top 10   |   weft info {collection}")
    note(f"       weft search {collection} 'jaguar -atari'")
    note(f"       weft rank hits {collection} --query jaguar   |   weft rank {collection}")
    note(f"       weft why {collection} jaguarmagazine.example --group anchor")
    note(f"       weft serve {collection}")
    if serve:
        from weft.show.cli.serve import USUAL_PORT, start

        start(collection, USUAL_PORT, "127.0.0.1", browser=True)


@examples(
    "weft add mine.weft crawl.warc.gz pages/",
    "weft add mine.weft 'crawls/*.warc.gz'",
    "curl -s URL | weft add mine.weft -",
    "weft add web.weft edges.csv",
)
def add(
    folder: Folder,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUTS",
            help="files, folders, patterns, or - for standard input",
            show_default=False,
        ),
    ],
    kind: Annotated[
        str, typer.Option("--as", help="what the inputs are, if they are not recognised")
    ] = "",
    base_url: Annotated[str, typer.Option(help="the address of a folder's pages")] = "",
    vertices: Annotated[
        Path | None,
        typer.Option(help="names of a Common Crawl graph's numbers", show_default=False),
    ] = None,
    max_links: Annotated[int, typer.Option(min=0, help="most links kept of one page")] = 10_000,
    max_mb: Annotated[
        int, typer.Option(min=1, max=1024, help="most of one page that is read, in MB")
    ] = 32,
    main: Annotated[bool, typer.Option(help="find each page's main content")] = True,
    language: Annotated[bool, typer.Option(help="find each page's language")] = True,
    no_fold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="a URL rule not to apply: fragment, escapes, index, session, tracking; "
            "may be repeated",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="processes that parse; 0: one a core")] = 0,
) -> None:
    """Add pages or links to a collection, which is made if need be.

    Reads WARC, ARC, WACZ, WAT, WET, folders of HTML, JSON lines, other
    collections, and edge lists (CSV, TSV, SNAP, Parquet, Matrix Market, GML,
    GraphML, Common Crawl). What is there already is left alone, so an
    interrupted add is finished by repeating it.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads spin, and have no work here
    from weft.gather.html import Reading
    from weft.gather.source import expand, recognise, spooled
    from weft.run.ingest import add as run_add
    from weft.run.workspace import Workspace

    reading = Reading(max_links, max_mb << 20, main, language, _policy(no_fold or []))
    with ExitStack() as stack:
        sources: list[Source] = []
        for given in inputs:
            if given == "-":
                path = stack.enter_context(spooled(sys.stdin.buffer))
                sources.append(recognise(path, "standard input", kind, base_url))
            else:
                sources += expand(given, kind, base_url, vertices)
        with progress():
            done = run_add(folder, sources, reading, workers)
    _say_added(done, Workspace(folder))
    if done.damaged:
        raise typer.Exit(DAMAGED)


def _policy(switched_off: list[str]) -> Any:
    from weft.core.errors import UnknownName
    from weft.gather.url import Policy

    rules = Policy().rules
    for rule in switched_off:
        if rule not in rules:
            raise UnknownName("URL rule", rule, rules)
    return Policy(**{rule: rule not in switched_off for rule in rules})


def _say_added(done: "Added", workspace: "Workspace") -> None:
    counts = workspace.counts
    known = f" · {done.known:,} known already" if done.known else ""
    resumed = f" · {done.resumed:,} from an interrupted add" if done.resumed else ""
    note(_in_numbers(counts) + known + resumed)
    problems = done.problems
    if problems.counts:
        first, rest = problems.counts.most_common(4), len(problems.counts) - 4
        told = ", ".join(f"{times:,} × {reason}" for reason, times in first)  # noqa: RUF001
        more = f" and {count(rest, 'more reason')}" if rest > 0 else ""
        cure = f"weft info {workspace.folder} --problems"
        note(f"skipped or damaged: {told}{more} ({cure})", always=done.damaged)
    elif not (done.fresh or done.known or done.resumed):
        note("nothing that was read is a page or a link")
    if settings.verbose:
        for reason, places in problems.places.items():
            for place in places:
                note(f"  {reason}: {place}")


def _in_numbers(counts: dict[str, int]) -> str:
    parts = [count(counts["fetched"] + counts["listed"], "page"), count(counts["links"], "link")]
    parts.append(count(counts["hosts"], "host"))
    if counts["captures"] > counts["fetched"]:
        parts.append(count(counts["captures"], "capture"))
    for name, words in (("seen", "only seen"), ("error", "with errors")):
        if counts[name]:
            parts.append(f"{count(counts[name], 'page')} {words}")
    if counts["folded"]:
        parts.append(f"{count(counts['folded'], 'URL')} folded")
    return " · ".join(parts)


@examples(
    "weft info mine.weft", "weft info mine.weft --problems", "weft info mine.weft --format json"
)
def info(
    folder: Folder,
    problems: Annotated[
        bool, typer.Option("--problems", help="what was skipped or damaged, with places")
    ] = False,
    format_: Chosen = Format.table,
) -> None:
    """Show a collection in numbers, and what was told about its inputs."""
    from weft.run.facts import facts
    from weft.run.workspace import Workspace

    workspace = Workspace(folder)
    found = facts(workspace)
    shown = found["problems"] if problems else found
    if format_ is Format.csv:
        write_pairs(shown)
    elif format_ is not Format.table:
        write_json(shown, format_)
    elif problems:
        _print_problems(found["problems"])
    else:
        _print_facts(folder, found)


def _print_facts(folder: Path, found: dict[str, Any]) -> None:
    from weft.run.facts import in_words

    typer.echo(f"{plain(folder)}: {_in_numbers(found['counts'])}")
    numbers = {"domains": found["counts"]["domains"]}
    numbers |= {name: found[name] for name in ("snapshot", "segments", "interrupted")}
    told = {name: f"{value:,}" for name, value in numbers.items() if value}
    for name, value in (told | in_words(found)).items():
        typer.echo(f"  {name:<14}{plain(value)}")
    for note_ in found["history"][-5:]:
        typer.echo(f"  {note_['time'][:10]:<14}{plain(', '.join(note_['inputs']))[:80]}")


def _print_problems(rows: list[dict[str, Any]]) -> None:
    if not rows:
        typer.echo("nothing was skipped or damaged")
    for row in rows:
        sign = "damaged" if row["damage"] else "skipped"
        typer.echo(f"{row['count']:>8,}  {sign}  {plain(row['reason'])}")
        for place in row["places"]:
            typer.echo(f"          {plain(place)}")


@examples(
    "weft remove mine.weft http://example.com/old.html",
    "weft remove mine.weft --host ads.example.com",
    "weft remove mine.weft --pattern '*/print/*' --dry-run",
)
def remove(
    folder: Folder,
    urls: Annotated[
        list[str] | None, typer.Argument(metavar="URLS", help="pages by URL", show_default=False)
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST",
            help="a host or domain, with all below it; may be repeated",
            show_default=False,
        ),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="URLs with * and ?; may be repeated", show_default=False
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only list them")] = False,
) -> None:
    """Take pages out of a collection, with every capture of them."""
    from weft.run.maintain import Choice, chosen
    from weft.run.workspace import Workspace

    workspace = Workspace(folder)
    choice = Choice(urls or (), host or (), pattern or ())
    if choice == Choice((), (), ()):
        raise WeftError("nothing was chosen", hint="name URLs, --host or --pattern")
    if dry_run:
        collection = workspace.collection
        for number in chosen(collection, choice):
            typer.echo(plain(collection.pages["url"][number].as_py()))
        return
    with progress():
        gone = workspace.remove(choice.urls, choice.hosts, choice.patterns)
    note(f"{count(gone, 'page')} taken out · {_in_numbers(workspace.counts)}")


@examples("weft compact mine.weft")
def compact(folder: Folder) -> None:
    """Merge a collection's segments, and let go of what was removed."""
    from weft.run.workspace import Workspace

    with progress():
        before, after = Workspace(folder).compact()
    note(f"{count(before, 'segment')} became {after}")


@examples("weft doctor mine.weft", "weft doctor theirs.weft --deep")
def doctor(
    folder: Folder,
    deep: Annotated[
        bool, typer.Option("--deep", help="compare files too: a collection of others")
    ] = False,
) -> None:
    """Read every file of a collection, and name those that are damaged.

    Each file is compared with its digest. With --deep the files are also
    compared with each other: links both ways, pages and index, counts.
    """
    from weft.run.maintain import doctor as examine

    with progress():
        wrong = examine(folder, deep=deep)
    for line in wrong:
        typer.echo(plain(line))
    if wrong:
        cure = "put the files back from a copy, or add the inputs to a new collection"
        raise WeftError(f"{folder} is damaged: {count(len(wrong), 'file')}", hint=cure)
    typer.echo("every file is as it was committed" + (", and all agree" if deep else ""))


VERBS = (demo, add, info, remove, compact, doctor)
