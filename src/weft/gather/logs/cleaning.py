"""Clean the requests of a log: keep the pages that people viewed, and nothing about the people."""

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import Flags, Ids
from weft.gather.logs import site_urls
from weft.gather.logs.options import LogInput
from weft.gather.logs.robots import ROBOT, SUSPECT, classify_visitors, is_robot_agent
from weft.gather.logs.rows import LogRows, TextColumn, combine_columns
from weft.gather.logs.site_urls import NOTHING, PAGE_TYPE, SiteUrls, find_site
from weft.gather.logs.visitors import Identity, VisitorTable
from weft.gather.page import DICTIONARY_STRING, REQUEST_SCHEMA, RequestBatch
from weft.kernels.log_fields import ASKS_FOR_RULES, IS_ASSET, IS_PAGE, WITHOUT_REFERRER

MAX_BATCH_ROWS = 1 << 16
MAX_REDIRECT_SECONDS = 60
(
    KEPT,
    DO_NOT_TRACK,
    METHODS,
    OTHER_SITES,
    BAD_URLS,
    ASSETS,
    REDIRECTS,
    ERRORS,
) = range(8)
REASONS = {
    DO_NOT_TRACK: "requests with do-not-track",
    METHODS: "requests with another method than GET",
    OTHER_SITES: "requests for pages of other sites",
    BAD_URLS: "requests without a usable URL",
    ASSETS: "requests for assets",
    REDIRECTS: "requests that were redirected",
    ERRORS: "requests that failed",
}
ROBOTS, SUSPECTS = "requests by robots", "requests by suspected robots"
REASON_BY_KIND = np.zeros(6, np.uint8)
REASON_BY_KIND[
    [site_urls.ASSET, site_urls.RULES, site_urls.OTHER_METHOD, site_urls.OTHER_SITE,
     site_urls.BAD_URL]
] = [ASSETS, ASSETS, METHODS, OTHER_SITES, BAD_URLS]  # fmt: skip
SPOOL_SCHEMA = pa.schema(
    {
        "visitor": pa.int32(),
        "time": pa.int64(),
        "url": DICTIONARY_STRING,
        "referrer": DICTIONARY_STRING,
        "status": pa.int16(),
    }
)


def clean_requests(blocks: Iterable[LogRows], log: LogInput) -> Iterator[RequestBatch]:
    """The requests of pages, by visitors that are not robots; the others are counted by reason.

    Whether a visitor is a robot is known at the end. Until then the rows wait
    in a temporary file, so that memory does not grow with the log.
    """
    with tempfile.TemporaryFile(prefix="weft-") as file:
        cleaner = RequestCleaner(log)
        with pa.ipc.new_stream(file, SPOOL_SCHEMA) as spool:
            for rows in blocks:
                if len(rows):
                    spool.write_batch(cleaner.clean(rows))
        file.seek(0)
        yield from cleaner.finish(file)


class RequestCleaner:
    """Cleans the blocks of one log in turn, and knows its visitors and what was dropped."""

    def __init__(self, log: LogInput) -> None:
        self.log = log
        self.visitors = VisitorTable(log.options)
        self.site: SiteUrls | None = None
        self.has_referrers = False

    def clean(self, rows: LogRows) -> pa.RecordBatch:
        """The rows of a block to keep, with numbers for visitors."""
        rows = join_columns(rows)
        if self.site is None:
            self.site = find_site(
                rows,
                self.log.base_url,
                self.log.display_name,
                keep_queries=self.log.options.keep_queries,
            )
        self.has_referrers |= "referrer" in rows.columns
        hosts, requests = rows.column("host").values, rows.column("request").values
        codes, pairs = rows.combine("host", "request")
        pages = [self.site.page(hosts[host], requests[request]) for host, request in pairs]
        urls = [page.url for page in pages]
        kinds = np.array([page.kind for page in pages], np.uint8)[codes]
        kinds[(kinds == site_urls.PAGE) & _has_asset_type(rows)] = site_urls.ASSET
        referrers = rows.column("referrer")
        referrer_urls = [self.site.referrer(value) for value in referrers.values]
        refuses = _refuses_tracking(rows)
        visitors = self._count(rows, kinds, _is_empty(referrer_urls)[referrers.codes], refuses)
        reasons = self._reasons(rows, kinds, refuses)
        if "location" in rows.columns:
            redirects = np.flatnonzero(reasons == REDIRECTS)
            for row, url in _unseen_targets(rows, codes, urls, visitors, redirects, self.site):
                codes[row], reasons[row] = len(urls), KEPT
                urls.append(url)
        self._report(reasons)
        kept = reasons == KEPT
        return pa.record_batch(
            [
                pa.array(visitors[kept]),
                pa.array(rows.times[kept]),
                encode_used(codes[kept], urls),
                encode_used(referrers.codes[kept], referrer_urls),
                pa.array(rows.statuses[kept]),
            ],
            schema=SPOOL_SCHEMA,
        )

    def finish(self, spooled: IO[bytes]) -> Iterator[RequestBatch]:
        """The rows of all blocks with the hashes of visitors, without robots."""
        visitors, dropped = self.visitors, np.zeros(3, np.int64)
        robots = classify_visitors(
            visitors.counts, visitors.declared, has_referrers=self.has_referrers
        )
        hashes = visitors.hashes.copy()
        # What was needed to clean makes space for what the rows are stored with.
        self.visitors = visitors = VisitorTable(self.log.options)
        self.site = None
        pa.default_memory_pool().release_unused()
        unwanted = {"drop": [ROBOT], "keep": [], "drop-suspects": [ROBOT, SUSPECT]}
        is_unwanted = np.isin(np.arange(3), unwanted[self.log.options.robots])

        def wanted_rows(batch: Any) -> pa.Table:
            kinds = robots[batch["visitor"].to_numpy()]
            dropped[:] += np.bincount(kinds, minlength=3) * is_unwanted
            return _with_hashes(batch.filter(pa.array(~is_unwanted[kinds])), hashes, robots)

        with pa.ipc.open_stream(spooled) as stream:
            for table in _merge_tables(map(wanted_rows, stream)):
                if len(table):
                    yield RequestBatch(self.log.input_digest, compact_dictionaries(table))
        for kind, reason in ((ROBOT, ROBOTS), (SUSPECT, SUSPECTS)):
            self._report_count(reason, int(dropped[kind]))

    def _count(
        self, rows: LogRows, kinds: npt.NDArray[np.uint8], unreferred: Flags, refuses: Flags
    ) -> Ids:
        """The number of each row's visitor; requests of those who refuse tracking do not count."""
        addresses, agents = rows.column("address").values, rows.column("agent").values
        is_robot = [is_robot_agent(_agent_text(agent)) for agent in agents]
        codes, pairs = rows.combine("address", "agent")
        identities: list[Identity] = [((addresses[a], agents[b]), is_robot[b]) for a, b in pairs]
        if self.log.options.keep_users and "user" in rows.columns:
            codes, identities = _identify_by_user(rows, codes, identities)
        counted = np.flatnonzero(~refuses)
        visitors = np.full(len(rows), -1, np.int32)
        used, compact = np.unique(codes[counted], return_inverse=True)
        numbers = self.visitors.number([identities[code] for code in used.tolist()])
        visitors[counted] = numbers[compact]
        marks = np.where(kinds == site_urls.PAGE, IS_PAGE, 0)
        marks |= np.where(kinds == site_urls.ASSET, IS_ASSET, 0)
        marks |= np.where(kinds == site_urls.RULES, ASKS_FOR_RULES, 0)
        marks |= np.where(unreferred, WITHOUT_REFERRER, 0)
        self.visitors.add_requests(visitors[counted], rows.times[counted], marks[counted])
        return visitors

    def _reasons(
        self, rows: LogRows, kinds: npt.NDArray[np.uint8], refuses: Flags
    ) -> npt.NDArray[np.uint8]:
        """Why each row is dropped; the first reason that applies counts."""
        options, status = self.log.options, rows.statuses
        reasons = REASON_BY_KIND[kinds]
        if options.keep_assets:
            reasons[(reasons == ASSETS) & (kinds == site_urls.ASSET)] = KEPT
        if not options.keep_errors:
            is_success = (status == 0) | ((status >= 200) & (status < 300)) | (status == 304)
            failed = (reasons == KEPT) & ~is_success
            reasons[failed] = np.where((status >= 300) & (status < 400), REDIRECTS, ERRORS)[failed]
        reasons[refuses] = DO_NOT_TRACK
        return reasons

    def _report(self, reasons: npt.NDArray[np.uint8]) -> None:
        for reason, count in enumerate(np.bincount(reasons).tolist()):
            if reason != KEPT:
                self._report_count(REASONS[reason], count)

    def _report_count(self, reason: str, count: int) -> None:
        if count:
            self.log.problems.add(reason, self.log.display_name, damage=False, count=count)


def join_columns(rows: LogRows) -> LogRows:
    """The rows with the whole request in one column, and scheme, host and port in one."""
    columns = rows.columns
    if "target" in columns and "request" not in columns:
        if "query" in columns:
            rows = rows.join("target", b"?", "query", "target")
        rows = rows.join("method", b" ", "target", "request") if "method" in columns else rows
        if "method" not in columns:
            target = rows.columns["target"]
            gets = TextColumn(target.codes, [b"GET " + value for value in target.values])
            rows = LogRows({**rows.columns, "request": gets}, rows.times, rows.statuses)
    if "host" in columns and "port" in columns:
        rows = rows.join("host", b":", "port", "host")
    if "host" in columns and "scheme" in columns:
        rows = rows.join("scheme", b"://", "host", "host")
    return rows


def _unseen_targets(
    rows: LogRows, codes: Ids, urls: list[str], visitors: Ids, redirects: npt.NDArray[Any],
    site: SiteUrls,
) -> Iterator[tuple[int, str]]:  # fmt: skip
    """The rows that were redirected to a page whose own request is not in the log, with its URL."""
    locations = rows.columns["location"]
    is_redirect = np.zeros(len(rows), np.bool_)
    is_redirect[redirects] = True
    views: dict[tuple[int, str], list[int]] = {}
    for row in np.flatnonzero(~is_redirect).tolist():
        views.setdefault((visitors[row], urls[codes[row]]), []).append(int(rows.times[row]))
    for row in redirects.tolist():
        location = locations.values[locations.codes[row]]
        target = site.resolve(urls[codes[row]], location) if location not in NOTHING else ""
        time = int(rows.times[row])
        later = views.get((visitors[row], target), [])
        if target and not any(time <= t <= time + MAX_REDIRECT_SECONDS for t in later):
            yield row, target


def _identify_by_user(
    rows: LogRows, codes: Ids, identities: list[Identity]
) -> tuple[Ids, list[Identity]]:
    """Visitors by user name where the log has one, else by address and agent."""
    users = rows.columns["user"]
    codes_with_user, pairs = combine_columns(TextColumn(codes, []), users)
    found = []
    for identity, user in pairs:
        parts, is_robot = identities[identity]
        name = users.values[user]
        found.append((parts if name in NOTHING else (b"user", name), is_robot))
    return codes_with_user, found


def _agent_text(agent: bytes) -> str:
    return "" if agent in NOTHING else agent.decode("utf-8", "replace")


def _has_asset_type(rows: LogRows) -> Flags:
    """Which rows were answered with a content type that is not a page's."""
    types = rows.column("content_type")
    known = [t not in NOTHING and not PAGE_TYPE.match(t.lower().lstrip()) for t in types.values]
    flags: Flags = np.array(known, np.bool_)[types.codes]
    return flags


def _refuses_tracking(rows: LogRows) -> Flags:
    """Which rows have a header that asks not to be tracked."""
    refuses = np.zeros(len(rows), np.bool_)
    for role in ("do_not_track", "gpc"):
        column = rows.column(role)
        refuses |= np.array([value.strip() == b"1" for value in column.values])[column.codes]
    return refuses


def _is_empty(texts: list[str]) -> Flags:
    return np.array([not text for text in texts], np.bool_)


def _with_hashes(batch: Any, hashes: Any, robots: npt.NDArray[np.uint8]) -> pa.Table:
    """The rows of a spooled batch in the schema of requests."""
    visitors = batch["visitor"].to_numpy()
    columns = {
        "visitor": pa.array(hashes[visitors]),
        "session": pa.array(np.zeros(len(batch), np.uint64)),
        "robot": pa.array(robots[visitors]),
    }
    ordered = [columns[n] if n in columns else batch[n] for n in REQUEST_SCHEMA.names]
    return pa.table(ordered, schema=REQUEST_SCHEMA)


def _merge_tables(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Small tables merged up to the size of a batch, with one dictionary each."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= MAX_BATCH_ROWS:
            yield pa.concat_tables(waiting).unify_dictionaries().combine_chunks()
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting).unify_dictionaries().combine_chunks()


def encode_used(codes: Ids, values: list[str]) -> pa.DictionaryArray:
    """A dictionary column of those values that occur, each once."""
    is_used = np.zeros(len(values), np.bool_)
    is_used[codes] = True
    used = np.flatnonzero(is_used)
    distinct = pa.array([values[code] for code in used.tolist()], pa.string()).dictionary_encode()
    numbers = np.zeros(len(values), np.int32)
    numbers[used] = distinct.indices.to_numpy()
    return pa.DictionaryArray.from_arrays(pa.array(numbers[codes]), distinct.dictionary)


def compact_dictionaries(table: pa.Table) -> pa.Table:
    """The table without values in its dictionaries that no row has."""
    for name in ("url", "referrer"):
        column = table[name].chunk(0)
        used, codes = np.unique(column.indices.to_numpy(), return_inverse=True)
        compact = pa.DictionaryArray.from_arrays(
            pa.array(codes.astype(np.int32)), column.dictionary.take(pa.array(used))
        )
        table = table.set_column(table.column_names.index(name), name, compact)
    return table
