"""Commands that build and maintain a collection: demo, add, info, remove, compact, doctor."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer._click import Context, HelpFormatter
from typer.core import TyperCommand, TyperOption

from weft.cli.kinds import (
    Folder,
    SparkOption,
    StagingOption,
    reject_conflicting_options,
    require_master,
)
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
from weft.core.errors import BadParameter, WeftError
from weft.core.text import pluralise

if TYPE_CHECKING:
    from weft.gather.html import ParseOptions
    from weft.workspace.ingest import AddResult

EXIT_DAMAGED = 3
SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class RobotChoice(StrEnum):
    """What is done with requests of robots."""

    drop = "drop"
    keep = "keep"
    drop_suspects = "drop-suspects"


class SessionRuleChoice(StrEnum):
    """What ends a session."""

    timeout = "timeout"
    duration = "duration"
    referrer = "referrer"
    structure = "structure"


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
    "weft add cc.weft edges.txt.gz --vertices vertices.txt.gz --ranks ranks.txt.gz",
    "weft add site.weft '/var/log/nginx/access.log*'",
    "weft add site.weft --session-rule referrer --session-timeout 45m",
    "weft add big.weft 's3a://bucket/*.warc.gz' --spark spark://host:7077",
)
def add(
    folder: Folder,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUTS",
            help="files, folders, patterns, or - for standard input",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[str, typer.Option("--as", help="input format, if it is not recognised")] = "",
    base_url: Annotated[str, typer.Option(help="base URL of the pages in a folder")] = "",
    vertices: Annotated[
        Path | None,
        typer.Option(
            help="vertices of a Common Crawl graph: a file, or a folder of parts",
            show_default=False,
        ),
    ] = None,
    ranks: Annotated[
        Path | None,
        typer.Option(help="published ranks of a Common Crawl graph", show_default=False),
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
    log_format: Annotated[
        str, typer.Option(help="format of log lines, if it is not recognised")
    ] = "",
    keep_queries: Annotated[
        bool, typer.Option("--keep-queries", help="keep the query strings of a log")
    ] = False,
    keep_users: Annotated[
        bool, typer.Option("--keep-users", help="tell visitors by their user names in a log")
    ] = False,
    keep_assets: Annotated[
        bool, typer.Option("--keep-assets", help="keep requests for images, styles and scripts")
    ] = False,
    keep_errors: Annotated[
        bool, typer.Option("--keep-errors", help="keep requests that failed")
    ] = False,
    robots: Annotated[
        RobotChoice, typer.Option(help="what to do with robots in a log")
    ] = RobotChoice.drop,
    new_visitors: Annotated[
        bool,
        typer.Option(
            "--new-visitors", help="add a log although earlier visitors cannot be matched"
        ),
    ] = False,
    session_rule: Annotated[
        SessionRuleChoice | None,
        typer.Option(help="what ends a session, from now on; at first timeout", show_default=False),
    ] = None,
    session_timeout: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="such as 45m; from now on, at first 30m", show_default=False
        ),
    ] = "",
    complete_paths: Annotated[
        bool | None,
        typer.Option(
            help="insert views that visitors went back to, from now on", show_default=False
        ),
    ] = None,
    spark: SparkOption = "",
    staging: StagingOption = "",
) -> None:
    """Add pages, links or access logs to a collection.

    Creates the collection if it does not exist.

    Reads {formats}. What is known is skipped: repeat an interrupted add to
    finish it. Options of sessions apply to all usage data of the collection, and
    need no inputs. With --spark, archives are read and parsed by a cluster.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads would spin
    from weft.gather.html import ParseOptions
    from weft.gather.logs.options import LogOptions
    from weft.workspace.workspace import Workspace

    session_rules = {
        "rule": session_rule.value if session_rule else None,
        "timeout": parse_seconds(session_timeout) if session_timeout else None,
        "complete_paths": complete_paths,
    }
    changes = {name: value for name, value in session_rules.items() if value is not None}
    if folder.is_file():
        raise WeftError(
            f"{folder} is a file, not a collection",
            hint=f"name the collection first: `weft add mine.weft {folder}`",
        )
    if not inputs and not changes:
        raise WeftError("no inputs", hint="name files or folders, or - for standard input")
    options = ParseOptions(max_links, max_mb << 20, main, language, _url_policy(no_fold or []))
    log_options = LogOptions(
        log_format, keep_queries, keep_users, keep_assets, keep_errors, robots.value
    )
    if staging:
        require_master(spark)
    if spark:
        unused = {
            "--vertices": vertices,
            "--ranks": ranks,
            "--workers": workers,
            "sessions": changes,
        }
        reject_conflicting_options({"--spark": spark, **unused})
        result = _add_on_spark(folder, inputs or [], (kind, base_url), options, spark, staging)
        _print_add_result(result)
        if result.has_damage:
            raise typer.Exit(EXIT_DAMAGED)
        return
    opened = [sys.stdin.buffer if name == "-" else name for name in inputs or ()]
    with progress_bars():
        result = Workspace(folder).add(
            *opened,
            kind=kind,
            base_url=base_url,
            vertices=vertices,
            ranks=ranks,
            parse_options=options,
            workers=workers,
            log_options=log_options,
            session_rules=changes,
            new_visitors=new_visitors,
        )
    _print_add_result(result)
    if result.has_damage:
        raise typer.Exit(EXIT_DAMAGED)


def _add_on_spark(
    folder: Path,
    inputs: list[str],
    kind_and_base_url: tuple[str, str],
    options: "ParseOptions",
    master: str,
    staging: str,
) -> "AddResult":
    """Add archives by a cluster, which writes beside the segments unless told otherwise."""
    from weft.spark import connect
    from weft.spark.archives import add_archives, find_archives

    archives = [own for name in inputs for own in find_archives(name, *kind_and_base_url)]
    staging = staging or os.environ.get("WEFT_SPARK_STAGING", "") or str(folder / "segments")
    with progress_bars(), connect(master, staging) as cluster:
        return add_archives(folder, cluster, archives, options)


def parse_seconds(text: str) -> int:
    """The seconds of a time such as 90, 90s, 45m or 2h.

    Examples
    --------
    >>> parse_seconds("45m"), parse_seconds("1800")
    (2700, 1800)
    """
    number, unit = (text[:-1], text[-1]) if text[-1:] in SECONDS_PER_UNIT else (text, "s")
    if not number.isascii() or not number.isdigit():
        raise BadParameter(f"{text!r} is not a time", hint="write 1800, 45m or 2h")
    return int(number) * SECONDS_PER_UNIT[unit]


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
    _print_log_counts(result)
    problems, hint = result.problems, f"weft info {result.collection.folder} --problems"
    counts_of_others = problems.counts - result.log_problems.counts
    if counts_of_others:
        shown, others = counts_of_others.most_common(4), len(counts_of_others) - 4
        summary = ", ".join(f"{count:,} × {reason}" for reason, count in shown)  # noqa: RUF001
        more = f" and {pluralise(others, 'more reason')}" if others > 0 else ""
        print_note(f"skipped or damaged: {summary}{more} ({hint})", always=result.has_damage)
    elif not (result.new or result.known or result.resumed or result.log_problems.counts):
        print_note("no pages or links in the inputs")
    if settings.verbose:
        for reason, places in problems.locations.items():
            for place in places:
                print_note(f"  {reason}: {place}")


def _print_log_counts(result: "AddResult") -> None:
    """Say what became of the lines of logs; accepted, dropped and rejected ones are all of them."""
    problems = result.log_problems
    lines, rejected = result.requests + problems.counts.total(), problems.damage_count
    dropped = [
        f"{count:,} × {reason}"  # noqa: RUF001
        for reason, count in problems.counts.most_common()
        if reason not in problems.damage_reasons
    ]
    if lines:
        hint = f" (weft info {result.collection.folder} --problems)" if rejected else ""
        reasons = f" · dropped: {', '.join(dropped)}" if dropped else ""
        accepted = result.requests
        print_note(
            f"{pluralise(lines, 'line')} of logs: {accepted:,} accepted,"
            f" {lines - accepted - rejected:,} dropped, {rejected:,} rejected{hint}{reasons}",
            always=bool(rejected),
        )


def _format_counts(counts: dict[str, int]) -> str:
    parts = [
        pluralise(counts["captured"] + counts["listed"], "page"),
        pluralise(counts["links"], "link"),
        pluralise(counts["hosts"], "host"),
    ]
    if counts["captures"] > counts["captured"]:
        parts.append(pluralise(counts["captures"], "capture"))
    has_usage = "sessions" in counts
    uncaptured = "linked or requested, not captured" if has_usage else "linked but not captured"
    for name, words in (("uncaptured", uncaptured), ("error", "with errors")):
        if counts[name]:
            parts.append(f"{pluralise(counts[name], 'page')} {words}")
    if counts["folded"]:
        parts.append(f"{pluralise(counts['folded'], 'URL')} folded")
    if has_usage:
        names = ("session", "visitor", "view")
        parts.append(", ".join(pluralise(counts[f"{name}s"], name) for name in names))
        if inferred := counts.get("inferred views", 0):
            parts.append(f"{pluralise(inferred, 'view')} inferred from the way back")
        if reloads := counts.get("reloads", 0):
            parts.append(f"{pluralise(reloads, 'reload')} not counted")
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
    "weft remove site.weft --before 2025-01",
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
    before: Annotated[
        str,
        typer.Option(
            metavar="DATE", help="requests of logs before a date, no pages", show_default=False
        ),
    ] = "",
    usage: Annotated[bool, typer.Option("--usage", help="all requests of logs, no pages")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="list the pages, remove nothing")
    ] = False,
) -> None:
    """Remove pages with all their captures, or usage data."""
    from weft.workspace.maintain import PageSelector, select_pages
    from weft.workspace.workspace import Workspace

    workspace = Workspace(folder)
    selector = PageSelector(urls or (), host or (), pattern or ())
    has_pages = selector != PageSelector((), (), ())
    if before or usage:
        if has_pages or dry_run or (before and usage):
            cure = "give one of --before and --usage, and nothing else"
            raise WeftError("pages and usage data are removed one at a time", hint=cure)
        with progress_bars():
            removed = workspace.remove_usage(before)
        print_note(f"{pluralise(removed, 'request')} removed · {_format_counts(workspace.counts)}")
        return
    if not has_pages:
        cure = "give URLs, --host or --pattern; or --before or --usage"
        raise WeftError("no pages selected", hint=cure)
    if dry_run:
        collection = workspace.collection
        for number in select_pages(collection, selector):
            typer.echo(escape_for_terminal(collection.pages["url"][number].as_py()))
        return
    with progress_bars():
        removed = workspace.remove(selector.urls, selector.hosts, selector.patterns)
    print_note(f"{pluralise(removed, 'page')} removed · {_format_counts(workspace.counts)}")
    if removed and any((folder / "archive").glob("*.warc.gz")):
        print_note("the archive of its crawl keeps them: the next `weft crawl` adds them again")


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
