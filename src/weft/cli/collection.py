"""Commands that build and maintain a collection: demo, add, info, remove, compact, doctor."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer._click import Context, HelpFormatter
from typer.core import TyperCommand, TyperOption

from weft.cli.arguments import Folder
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    progress_bars,
    settings,
    with_examples,
    write_facts_csv,
    write_json,
)
from weft.core.errors import WeftError
from weft.core.text import pluralise

if TYPE_CHECKING:
    from weft.workspace.ingest import AddResult

EXIT_DAMAGED = 3


@with_examples(
    "weft demo",
    "weft demo big --pages 20000 --noise 0.15",
    "weft topics weft-demo/demo.weft jaguar",
)
def demo(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="where to write it")] = Path(
        "weft-demo"
    ),
    pages: Annotated[int, typer.Option(min=200, max=1_000_000, help="number of pages")] = 1500,
    seed: Annotated[int, typer.Option(help="random seed")] = 0,
    noise: Annotated[
        float, typer.Option(min=0, max=1, help="share of links to random pages")
    ] = 0.05,
    mixing: Annotated[
        float, typer.Option(min=0, max=1, help="share of hubs that mix senses")
    ] = 0.1,
    serve: Annotated[bool, typer.Option("--serve", help="then open it in the browser")] = False,
) -> None:
    """Build the demo web, find its topics, write a report.

    A small generated web about four senses of *jaguar*, whose topics are known.
    """
    from weft.demo import DemoWeb, write_warc
    from weft.workspace.workspace import Workspace

    folder.mkdir(parents=True, exist_ok=True)
    archive, collection = folder / "demo.warc.gz", folder / "demo.weft"
    web = DemoWeb(pages=pages, seed=seed, noise=noise, mixing=mixing)
    with progress_bars():
        write_warc(web, archive)
        workspace = Workspace(collection)
        if (collection / "collection.json").exists():
            workspace.remove(patterns=["*"])
        added = workspace.add(archive)
    _print_add_result(added)
    print_note("")
    from weft.cli.report import write_report
    from weft.cli.topics import print_topics

    with progress_bars():
        topics = workspace.topics("jaguar")
    print_topics(topics, 3, 10, Format.table)
    print_note("")
    write_report(workspace, topics, folder / "report.html")
    print_note("")
    print_note(f"next:  weft topics {collection} jaguar --top 10   |   weft info {collection}")
    print_note(f"       weft search {collection} 'jaguar -atari'")
    print_note(f"       weft rank hits {collection} --query jaguar   |   weft rank {collection}")
    print_note(f"       weft why {collection} jaguarmagazine.example --group anchor")
    print_note(f"       weft serve {collection}")
    if serve:
        from weft.cli.serve import DEFAULT_PORT, run_server

        run_server(collection, DEFAULT_PORT, "127.0.0.1", browser=True)


class AddCommand(TyperCommand):
    """The command `add`, whose help lists the registered input formats."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the help; the formats are loaded for this only."""
        from weft.gather.formats import format_titles, input_formats

        self.help = (self.help or "").format(formats=format_titles())
        for parameter in self.params:
            if isinstance(parameter, TyperOption) and parameter.name == "kind":
                parameter.help = f"{parameter.help}: {', '.join(sorted(input_formats()))}"
        super().format_help(ctx, formatter)


@with_examples(
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
    kind: Annotated[str, typer.Option("--as", help="input format, if it is not recognised")] = "",
    base_url: Annotated[str, typer.Option(help="base URL of the pages in a folder")] = "",
    vertices: Annotated[
        Path | None,
        typer.Option(help="vertices file of a Common Crawl graph", show_default=False),
    ] = None,
    max_links: Annotated[int, typer.Option(min=0, help="keep at most N links of a page")] = 10_000,
    max_mb: Annotated[int, typer.Option(min=1, max=1024, help="read at most N MB of a page")] = 32,
    main: Annotated[bool, typer.Option(help="detect the main content of a page")] = True,
    language: Annotated[bool, typer.Option(help="detect the language of a page")] = True,
    no_fold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="disable a URL rule: fragment, escapes, index, session, tracking; may be repeated",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="parser processes; 0: one per core")] = 0,
) -> None:
    """Add pages or links to a collection.

    Creates the collection if it does not exist.

    Reads {formats}. Known pages are skipped: repeat an interrupted add to
    finish it.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads would spin
    from weft.gather.html import ParseOptions
    from weft.workspace.workspace import Workspace

    options = ParseOptions(max_links, max_mb << 20, main, language, _url_policy(no_fold or []))
    opened = [sys.stdin.buffer if name == "-" else name for name in inputs]
    with progress_bars():
        result = Workspace(folder).add(
            *opened,
            kind=kind,
            base_url=base_url,
            vertices=vertices,
            parse_options=options,
            workers=workers,
        )
    _print_add_result(result)
    if result.has_damage:
        raise typer.Exit(EXIT_DAMAGED)


def _url_policy(disabled_rules: list[str]) -> Any:
    from weft.core.errors import UnknownName
    from weft.gather.url import UrlPolicy

    rules = UrlPolicy().rules
    for rule in disabled_rules:
        if rule not in rules:
            raise UnknownName("URL rule", rule, rules)
    return UrlPolicy(**{rule: rule not in disabled_rules for rule in rules})


def _print_add_result(result: "AddResult") -> None:
    counts = dict(result.collection.manifest.counts)
    known = f" · {result.known:,} known already" if result.known else ""
    resumed = f" · {result.resumed:,} from an interrupted add" if result.resumed else ""
    print_note(_format_counts(counts) + known + resumed)
    problems = result.problems
    if problems.counts:
        shown, others = problems.counts.most_common(4), len(problems.counts) - 4
        summary = ", ".join(f"{count:,} × {reason}" for reason, count in shown)  # noqa: RUF001
        more = f" and {pluralise(others, 'more reason')}" if others > 0 else ""
        hint = f"weft info {result.collection.folder} --problems"
        print_note(f"skipped or damaged: {summary}{more} ({hint})", always=result.has_damage)
    elif not (result.new or result.known or result.resumed):
        print_note("no pages or links in the inputs")
    if settings.verbose:
        for reason, places in problems.locations.items():
            for place in places:
                print_note(f"  {reason}: {place}")


def _format_counts(counts: dict[str, int]) -> str:
    parts = [
        pluralise(counts["captured"] + counts["listed"], "page"),
        pluralise(counts["links"], "link"),
        pluralise(counts["hosts"], "host"),
    ]
    if counts["captures"] > counts["captured"]:
        parts.append(pluralise(counts["captures"], "capture"))
    for name, words in (("uncaptured", "linked but not captured"), ("error", "with errors")):
        if counts[name]:
            parts.append(f"{pluralise(counts[name], 'page')} {words}")
    if counts["folded"]:
        parts.append(f"{pluralise(counts['folded'], 'URL')} folded")
    return " · ".join(parts)


@with_examples(
    "weft info mine.weft", "weft info mine.weft --problems", "weft info mine.weft --format json"
)
def info(
    folder: Folder,
    problems: Annotated[
        bool, typer.Option("--problems", help="list what was skipped or damaged, and where")
    ] = False,
    format_: FormatOption = Format.table,
) -> None:
    """Show counts of a collection, and problems of its inputs."""
    from weft.workspace.facts import collection_facts
    from weft.workspace.workspace import Workspace

    workspace = Workspace(folder)
    facts = collection_facts(workspace)
    shown = facts["problems"] if problems else facts
    if format_ is Format.csv:
        write_facts_csv(shown)
    elif format_ is not Format.table:
        write_json(shown, format_)
    elif problems:
        _print_problems(facts["problems"])
    else:
        _print_facts(folder, facts)


def _print_facts(folder: Path, facts: dict[str, Any]) -> None:
    from weft.workspace.facts import format_non_numeric_facts

    typer.echo(f"{escape_for_terminal(folder)}: {_format_counts(facts['counts'])}")
    numbers = {"domains": facts["counts"]["domains"]}
    numbers |= {name: facts[name] for name in ("snapshot", "segments", "interrupted")}
    shown = {name: f"{value:,}" for name, value in numbers.items() if value}
    for name, value in (shown | format_non_numeric_facts(facts)).items():
        typer.echo(f"  {name:<14}{escape_for_terminal(value)}")
    for commit in facts["history"][-5:]:
        inputs = escape_for_terminal(", ".join(commit["inputs"]))
        typer.echo(f"  {commit['time'][:10]:<14}{inputs[:80]}")


def _print_problems(rows: list[dict[str, Any]]) -> None:
    if not rows:
        typer.echo("nothing skipped or damaged")
    for row in rows:
        status = "damaged" if row["damage"] else "skipped"
        typer.echo(f"{row['count']:>8,}  {status}  {escape_for_terminal(row['reason'])}")
        for place in row["places"]:
            typer.echo(f"          {escape_for_terminal(place)}")


@with_examples(
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
            help="a host or domain with its subdomains; may be repeated",
            show_default=False,
        ),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="URL pattern with * and ?; may be repeated", show_default=False
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="list the pages, remove nothing")
    ] = False,
) -> None:
    """Remove pages from a collection, with all their captures."""
    from weft.workspace.maintain import PageSelector, select_pages
    from weft.workspace.workspace import Workspace

    workspace = Workspace(folder)
    selector = PageSelector(urls or (), host or (), pattern or ())
    if selector == PageSelector((), (), ()):
        raise WeftError("no pages selected", hint="give URLs, --host or --pattern")
    if dry_run:
        collection = workspace.collection
        for number in select_pages(collection, selector):
            typer.echo(escape_for_terminal(collection.pages["url"][number].as_py()))
        return
    with progress_bars():
        removed = workspace.remove(selector.urls, selector.hosts, selector.patterns)
    print_note(f"{pluralise(removed, 'page')} removed · {_format_counts(workspace.counts)}")


@with_examples("weft compact mine.weft")
def compact(folder: Folder) -> None:
    """Merge segments and free the space of removed pages."""
    from weft.workspace.workspace import Workspace

    with progress_bars():
        before, after = Workspace(folder).compact()
    print_note(f"{pluralise(before, 'segment')} merged into {after:,}")


@with_examples("weft doctor mine.weft", "weft doctor theirs.weft --deep")
def doctor(
    folder: Folder,
    deep: Annotated[
        bool, typer.Option("--deep", help="also compare the files with each other")
    ] = False,
) -> None:
    """Check every file of a collection for damage.

    Each file is compared with its digest. With --deep the files are also
    compared with each other: links in both directions, pages and index, counts.
    """
    from weft.workspace.maintain import find_damaged_files

    with progress_bars():
        damage = find_damaged_files(folder, deep=deep)
    for line in damage:
        typer.echo(escape_for_terminal(line))
    if damage:
        hint = "restore the files from a copy, or add the inputs to a new collection"
        raise WeftError(f"{folder} is damaged: {pluralise(len(damage), 'file')}", hint=hint)
    typer.echo("no file is damaged" + (", and the files are consistent" if deep else ""))


COMMAND_CLASSES = {add: AddCommand}
COMMANDS = (demo, add, info, remove, compact, doctor)
