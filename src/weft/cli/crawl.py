"""`weft crawl [STRATEGY] COLLECTION SEED…`: fetch pages of a topic into a collection."""

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.kinds import Folder, Kind
from weft.cli.output import (
    Format,
    FormatOption,
    print_note,
    progress_bars,
    write_json,
    write_rows,
)
from weft.core.errors import BadParameter, WeftError
from weft.core.memory import keep_little_free_memory
from weft.core.text import pluralise

if TYPE_CHECKING:
    import pyarrow as pa

    from weft.crawl import Crawl

LAST_PAGES = 100
SIGNAL_EXIT = 128  # plus the number of the signal


def crawl(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    seeds: Annotated[
        list[str] | None,
        typer.Argument(metavar="SEED…", help="URLs to begin from; none: go on", show_default=False),
    ] = None,
    topic: Annotated[
        str, typer.Option(metavar="WORDS", help="what to look for", show_default=False)
    ] = "",
    example: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="a page on the topic (repeatable)", show_default=False),
    ] = None,
    like: Annotated[
        tuple[str, str, int] | None,
        typer.Option(
            metavar="COLLECTION QUERY N",
            help="look for topic N of a query in a collection",
            show_default=False,
        ),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="learn from columns url and class", show_default=False
        ),
    ] = None,
    class_: Annotated[
        str,
        typer.Option("--class", metavar="CLASS", help="the class wanted", show_default=False),
    ] = "",
    simulate: Annotated[
        Path | None,
        typer.Option(
            metavar="COLLECTION", help="crawl this collection, offline", show_default=False
        ),
    ] = None,
    contact: Annotated[
        str,
        typer.Option(
            envvar="WEFT_CONTACT",
            metavar="URL|MAIL",
            help="where the servers' owners reach you",
            show_default=False,
        ),
    ] = "",
    pages: Annotated[
        int | None, typer.Option(min=1, help="how many pages to fetch", show_default="1000")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="stop after so long; 0: never", show_default="0.0")
    ] = None,
    bytes_: Annotated[
        int | None,
        typer.Option(
            "--bytes", min=0, help="stop after this many bytes; 0: never", show_default="0"
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=0, help="links away from a seed at most", show_default="100")
    ] = None,
    per_host: Annotated[
        int | None, typer.Option(min=1, help="pages of a host at most", show_default="100000")
    ] = None,
    within: Annotated[
        str,
        typer.Option(
            metavar="host|domain|PATTERN", help="stay on hosts of the seeds", show_default=False
        ),
    ] = "",
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="URLs not to fetch", show_default=False),
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option(min=0, help="seconds between requests to a server", show_default="1.0"),
    ] = None,
    allow_private: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST:PORT", help="a private address to open", show_default=False),
    ] = None,
    wacz: Annotated[bool, typer.Option("--wacz", help="pack the archive as WACZ")] = False,
    render: Annotated[
        bool, typer.Option("--render", help="run the scripts of pages without text")
    ] = False,
    status: Annotated[bool, typer.Option("--status", help="show where a crawl stands")] = False,
    top: Annotated[int, typer.Option("--top", "-n", min=0, help="pages shown in the table")] = 10,
    format_: FormatOption = Format.table,
) -> None:
    """Fetch the pages of a topic into a collection, best links first.

    A strategy decides what to fetch next. Everything fetched is archived as WARC in
    the collection; the same command goes on with a crawl that ended. With --simulate
    the pages come from another collection, offline. Without a topic, pages like the seeds
    are relevant.
    """
    if status:
        _print_status(folder, top, format_)
        return
    _check_arguments(folder, train, class_)
    keep_little_free_memory()
    settings = {
        "contact": contact or None,
        "minutes": minutes,
        "size": bytes_,
        "depth": depth,
        "per_host": per_host,
        "delay": delay,
        "allow_private": tuple(allow_private) if allow_private else None,
        "wacz": wacz or None,
        "render": render or None,
    }
    live = {name: value for name, value in settings.items() if value is not None}
    question = {
        "topic": topic,
        "examples": example or [],
        "like": like,
        "train": _read_classes(train) if train else None,
        "class_": class_,
        "pages": pages,
        "within": within,
        "exclude": exclude or [],
    }
    signals: list[int] = []
    if simulate is not None:
        _reject_live_settings(live)
        result = _crawl_simulated(folder, seeds or [], method, simulate, question, options)
    else:
        result = _crawl_live(folder, seeds or [], method, {**question, **live}, options, signals)
    if format_ is Format.table:
        _print_best(result, top)
    elif format_ is Format.json:
        write_json(result.to_document())
    else:
        write_rows(result.to_table(), format_)
    _print_summary(result, folder, is_live=simulate is None)
    if signals or result.ended == "stopped":
        raise SystemExit(SIGNAL_EXIT + (signals or [signal.SIGINT])[0])
    _check_fetched(result)


def _check_arguments(folder: Path, train: Path | None, class_: str) -> None:
    if re.match(r"https?:/", str(folder)):
        hint = "name a folder for the pages first: weft crawl new.weft URL"
        raise BadParameter("the first argument is a URL, not a collection", hint=hint)
    if bool(train) != bool(class_):
        raise BadParameter("--train and --class belong together", hint="give both")


def _check_fetched(result: "Crawl") -> None:
    if not len(result):
        reasons = ", ".join(f"{count:,} × {reason}" for reason, count in result.failures.items())  # noqa: RUF001
        hint = "check the seeds, and where the crawl may go"
        if "private address" in result.failures:
            hint = "open your own servers: --allow-private HOST:PORT"
        raise WeftError(f"nothing was fetched: {reasons or result.ended}", hint=hint)


def _reject_live_settings(live: dict[str, Any]) -> None:
    for name in live:
        if name != "contact":
            option = {"size": "bytes"}.get(name, name.replace("_", "-"))
            raise BadParameter(
                f"--{option} is for live crawls", hint="leave it out, or leave out --simulate"
            )


def _crawl_simulated(
    folder: Path,
    seeds: list[str],
    method: str,
    simulate: Path,
    question: dict[str, Any],
    options: dict[str, Any],
) -> "Crawl":
    from weft.workspace.workspace import Workspace

    with progress_bars():
        return Workspace(folder).crawl(seeds, method, simulate=simulate, **question, **options)


def _crawl_live(
    folder: Path,
    seeds: list[str],
    method: str,
    settings: dict[str, Any],
    options: dict[str, Any],
    signals: list[int],
) -> "Crawl":
    if find_spec("scrapy") is None:
        raise BadParameter("crawling the live web needs Scrapy", hint="pip install 'weft[crawl]'")
    from weft.cli.crawl_display import CrawlDisplay
    from weft.gather.fetch.engine import CrawlControl
    from weft.workspace.crawl import CrawlPlan
    from weft.workspace.crawl_folder import CrawlFolder
    from weft.workspace.workspace import Workspace

    control, files = CrawlControl(), CrawlFolder(folder)
    stored = files.read_plan() if files.has_crawl else CrawlPlan()
    with (
        CrawlDisplay(settings["pages"] or stored.pages) as display,
        _stop_on_sigterm(control.stop, signals),
    ):
        return Workspace(folder).crawl(
            seeds, method, listen=display.show, control=control, **settings, **options
        )


@contextmanager
def _stop_on_sigterm(stop: Callable[[], None], signals: list[int]) -> Iterator[None]:
    """Let SIGTERM stop a crawl as Ctrl-C does; a second one ends the process."""

    def take(number: int, _frame: object) -> None:
        signals.append(number)
        signal.signal(signal.SIGTERM, previous)
        stop()

    previous = signal.signal(signal.SIGTERM, take)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _print_status(folder: Path, top: int, format_: Format) -> None:
    """Where a crawl stands: harvest rate, last pages, what waits, and what was refused."""
    from weft.gather.fetch.frontier_status import BestUrl, WaitingHost
    from weft.workspace.crawl_folder import CrawlFolder

    status = CrawlFolder(folder).read_status(max(top, 1))
    counts = status.frontier.counts
    if format_ is Format.json:
        write_json(status.to_document(last=top))
        return
    if format_ is not Format.table:
        write_rows(status.crawl.to_table(), format_)
        return
    state = f"ended: {status.outcome.ended}" if status.state == "ended" else status.state
    print_note(
        f"{status.plan.method} · {state} · {pluralise(len(status.crawl), 'page')} · harvest rate"
        f" {status.crawl.harvest_rate:.2f} (last {LAST_PAGES}: {status.last_harvest_rate:.2f})"
        f" · {counts.waiting:,} waiting on {pluralise(counts.hosts, 'host')}"
        f" · {counts.refused:,} refused"
    )
    for reason, count in status.frontier.refused.items():
        print_note(f"  {count:,} × {reason}")  # noqa: RUF001
    last = status.crawl.to_table().slice(max(len(status.crawl) - top, 0))
    tables = {
        "last pages": last.select(["url", "relevance", "score", "depth", "parent"]),
        "waiting, by host": _tuples_to_table(status.frontier.hosts[:top], WaitingHost._fields),
        "waiting, best first": _tuples_to_table(status.frontier.best[:top], BestUrl._fields),
    }
    for name, table in tables.items():
        if len(table):
            print_note(name)
            write_rows(table, Format.table)


def _tuples_to_table(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> "pa.Table":
    """A table of named tuples; the columns are there without rows, too."""
    import pyarrow as pa

    return pa.table({name: [row[k] for row in rows] for k, name in enumerate(names)})


def _read_classes(path: Path) -> dict[str, str]:
    from weft.classify import read_training_rows

    return dict(read_training_rows(path))


def _print_best(result: "Crawl", top: int) -> None:
    """The most relevant pages, with their place in the crawl."""
    import numpy as np

    table = result.to_table()
    best = np.argsort(-result.relevance, kind="stable")[:top]
    rows = table.take(best).select(["url", "relevance", "depth"])
    place = (best + 1).tolist()
    relevance = [f"{value:.3f}" for value in rows["relevance"].to_pylist()]
    rows = rows.drop_columns(["relevance"]).append_column("relevance", [relevance])
    write_rows(rows.add_column(0, "place", [place]), Format.table)


def _print_summary(result: "Crawl", folder: Path, *, is_live: bool) -> None:
    from weft.crawl.evaluation import harvest_curve

    parts = [pluralise(len(result), "page"), f"harvest rate {result.harvest_rate:.2f}"]
    if len(result) > LAST_PAGES:
        last = harvest_curve(result.relevance, LAST_PAGES)[-1]
        parts[1] += f" (last {LAST_PAGES}: {last:.2f})"
    parts.append(f"{pluralise(result.waiting, 'URL')} waiting")
    parts += [f"{count:,} × {reason}" for reason, count in result.failures.items()]  # noqa: RUF001
    print_note(" · ".join(parts))
    if is_live and result.ended != "nothing left":
        addresses = result.provenance["allow_private"]
        more = "".join(f" --allow-private {address}" for address in addresses)
        more += f" --pages {2 * len(result)}" if result.ended == "page limit" else ""
        print_note(f"{result.ended}; go on with:  weft crawl {folder}{more}")
    if len(result):
        print_note(f"next:  weft topics {folder}   |   weft info {folder}")


KIND = Kind(
    "crawl",
    "Fetch the pages of a topic, best links first.",
    crawl,
    (
        "weft crawl new.weft https://example.org/ --topic 'jazz piano' --contact me@example.org",
        "weft crawl site.weft https://example.org/ --within host --contact me@example.org",
        "weft crawl app.weft https://example.org/app/ --render --contact me@example.org",
        "weft crawl new.weft                    # go on with it",
        "weft crawl new.weft --status",
        "weft crawl new.weft http://example.org/ --simulate mine.weft --topic jazz",
    ),
    usage="COLLECTION SEED… [OPTIONS]",
)
