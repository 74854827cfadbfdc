"""Cut the requests of a collection into sessions, and write the tables of what visitors did."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.arrays import CSR, Flags, Hashes, Ids, Offsets, to_float32_if_exact, unpack_pairs
from weft.core.errors import BadParameter, UnknownName
from weft.core.progress import track
from weft.gather.url import hosts_of
from weft.graph.build import LinkBuckets, add_row_counts, open_buckets, write_starts
from weft.graph.transitions import REFERRER_SCHEMA, VISIT_COUNTS, find_clicks
from weft.store import segment as segments
from weft.store.arrow_files import NpyWriter, map_csr, write_arrow_file
from weft.store.manifest import REQUESTS_TABLE, Segment

SessionRule = Literal["timeout", "duration", "referrer", "structure"]
REQUESTS_PER_BUCKET, MAX_BUCKETS = 1 << 16, 256
BATCH_ROWS = 1 << 16
MAX_TIMEOUT = 366 * 86400
REQUEST_DTYPE = np.dtype(
    [
        ("visitor", "<u8"),
        ("session", "<u8"),
        ("time", "<i8"),
        ("page", "<i4"),
        ("referrer", "<i4"),
        ("host", "<i4"),
        ("input", "<i4"),
    ]
)
CLICK_DTYPE = np.dtype([("row", "<i4"), ("id", "<i4"), ("count", "<i4")])
READ_COLUMNS = ["visitor", "session", "time", "url", "referrer"]
COLUMN_DTYPES = {
    "session_starts": "<i8",
    "visitors": "<u8",
    "referrers": "<i4",
    "pages": "<i4",
    "times": "<i8",
    "inferred": "|u1",
}
USAGE_COUNTS = ("sessions", "visitors", "views", "inferred views", "reloads")
Requests = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class SessionRules:
    """How the requests of a visitor are cut into sessions.

    By `timeout`, a session ends when nothing was requested for longer than
    `timeout` seconds; by `duration`, that long after it began; by `referrer`, a
    request belongs to the session that its referrer was viewed in; by
    `structure`, to one with a page that links to it. With `complete_paths`,
    views that the visitor went back to without a request are inserted.
    """

    rule: SessionRule = "timeout"
    timeout: int = 1800
    complete_paths: bool = True

    def __post_init__(self) -> None:
        """Refuse other rules."""
        if self.rule not in get_args(SessionRule):
            raise UnknownName("session rule", self.rule, get_args(SessionRule))
        if not 0 < self.timeout <= MAX_TIMEOUT:
            cure = "give seconds, or a time such as 45m or 2h"
            raise BadParameter(f"a session timeout of {self.timeout} s is out of range", hint=cure)


class Views(NamedTuple):
    """Sessions with their views, as in `Sessions`; `referrers` are host codes.

    `reloads` is how many requests are no views: the visitor was on the page.
    """

    starts: Offsets
    pages: Ids
    times: Offsets
    inferred: Flags
    visitors: Hashes
    referrers: Ids
    reloads: int


def write_usage(
    folder: Path,
    parts: Sequence[Segment],
    pages_of_urls: Mapping[int, Ids],
    snapshot: Path,
    rules: SessionRules,
) -> dict[str, int]:
    """Write the sessions and transitions of all requests to a new snapshot, and count them.

    `pages_of_urls` has the page of each URL of each segment of requests. Requests
    are sorted on disk by visitor, a range of visitors at a time in memory. Of
    equal requests in several inputs, such as a log and the same log a day later,
    those of the input that has most of them count.
    """
    links, page_count = map_csr(f"{snapshot / 'graph'}/out_"), _page_count(snapshot)
    into = snapshot / "usage"
    into.mkdir()
    with ExitStack() as stack:
        buckets = VisitorBuckets.open(stack, into, sum(part.requests for part in parts))
        hosts = _add_requests(folder, parts, pages_of_urls, buckets)
        has_overlap = len({own for numbers in _number_inputs(parts) for own in numbers}) > 1
        clicks = open_buckets(stack, into / ".clicks", CLICK_DTYPE, page_count, len(buckets.files))
        tables = stack.enter_context(UsageTables(into, page_count, clicks))
        for bucket in track(buckets.iter_buckets(), "sessions", len(buckets.files)):
            ordered = bucket[_visit_order(bucket)]
            if has_overlap:
                ordered = ordered[~find_repeated_requests(ordered)]
            tables.append(build_views(ordered, links, rules))
        tables.write_transitions()
    write_arrow_file(pa.table({"host": hosts}, REFERRER_SCHEMA), into / "referrers.arrow")
    return tables.counts


def _page_count(snapshot: Path) -> int:
    return len(np.load(snapshot / "graph" / "out_starts.npy", mmap_mode="r")) - 1


@dataclass(frozen=True, slots=True, eq=False)
class VisitorBuckets:
    """Requests spilled to disk by ranges of visitors, in the order of their inputs."""

    files: list[IO[bytes]]

    @classmethod
    def open(cls, stack: ExitStack, folder: Path, requests: int) -> "VisitorBuckets":
        """Open buckets for a number of requests; their number is a power of two."""
        count = 1
        while count < MAX_BUCKETS and count * REQUESTS_PER_BUCKET < requests:
            count *= 2
        paths = [folder / f".visitors-{k}.bucket" for k in range(count)]
        return cls([stack.enter_context(path.open("wb")) for path in paths])

    def add(self, requests: Requests) -> None:
        """Append requests to the buckets of their visitors."""
        if len(self.files) == 1:
            self.files[0].write(requests.data)
            return
        shift = np.uint64(65 - len(self.files).bit_length())
        bucket = (requests["visitor"] >> shift).astype(np.uint16)
        ordered = requests[np.argsort(bucket, kind="stable")]
        ends = np.cumsum(np.bincount(bucket, minlength=len(self.files)))
        for file, own in zip(self.files, np.split(ordered, ends[:-1]), strict=True):
            file.write(own.data)

    def iter_buckets(self) -> Iterator[Requests]:
        """Yield the requests of each bucket, visitors ascending from one to the next."""
        for file in self.files:
            file.flush()
            yield np.fromfile(file.name, REQUEST_DTYPE)
            Path(file.name).unlink()


class _Rows(NamedTuple):
    """Adjacent rows of a segment: those of some inputs, one after the other."""

    segment: int
    start: int
    inputs: list[int]
    counts: list[int]


def _order_rows(parts: Sequence[Segment]) -> list[_Rows]:
    """The rows of all requests, input by input."""
    entries = []
    for s, (segment, numbers) in enumerate(zip(parts, _number_inputs(parts), strict=True)):
        starts = accumulate((part.rows for part in segment.inputs), initial=0)
        for part, own, start in zip(segment.inputs, numbers, starts, strict=False):
            entries.append((own, part.part, s, start, part.rows))
    runs: list[_Rows] = []
    for own, _, s, start, count in sorted(entries):
        last = runs[-1] if runs else None
        if last and (s, start) == (last.segment, last.start + sum(last.counts)):
            last.inputs.append(own)
            last.counts.append(count)
        else:
            runs.append(_Rows(s, start, [own], [count]))
    return runs


def _number_inputs(parts: Sequence[Segment]) -> list[list[int]]:
    """The number of the input of each part: by its first time, then by its digest.

    A part of an input that was added again, after a removal had cut it, is one of
    another input: the requests of both are equal.
    """
    first_times: dict[tuple[str, int], int] = {}
    copies: Counter[tuple[str, int]] = Counter()
    keys: list[list[tuple[str, int]]] = []
    for segment in parts:
        keys.append([])
        for part in segment.inputs:
            key = part.input_digest, copies[part.input_digest, part.part]
            copies[part.input_digest, part.part] += 1
            first_times[key] = min(first_times.get(key, part.first_time), part.first_time)
            keys[-1].append(key)
    order = sorted(first_times, key=lambda key: (first_times[key], key))
    number = {key: k for k, key in enumerate(order)}
    return [[number[key] for key in own] for own in keys]


class _Referrers(NamedTuple):
    """The page, or what it is instead, and the host of each URL of a segment as a referrer.

    The last of each stands for no referrer, which is row -1 in requests.
    """

    page: Ids
    host: Ids


def _number_referrers(
    folder: Path, parts: Sequence[Segment], pages_of_urls: Mapping[int, Ids]
) -> tuple[dict[int, _Referrers], list[str]]:
    """Number the referrers of each segment; the names of their hosts.

    A page of a site that no request is to is another site's, also where the
    collection has it.
    """
    from weft.kernels.sessions import NO_REFERRER, OTHER_SITE, UNKNOWN_PAGE  # noqa: PLC0415  compiled

    host_numbers, own_hosts = {"": 0}, set[int]()
    hosts_of_urls: dict[int, Ids] = {}
    for s, pages in pages_of_urls.items():
        urls = segments.read_table(folder / parts[s].name, "urls.parquet", ["url"])["url"]
        hosts = hosts_of(urls.combine_chunks()).dictionary_encode()
        names = hosts.dictionary.to_pylist()
        numbers = [host_numbers.setdefault(name, len(host_numbers)) for name in names]
        hosts_of_urls[s] = np.array(numbers, np.int32)[hosts.indices.to_numpy()]
        requested = segments.requested_urls(folder / parts[s].name, len(pages))
        own_hosts.update(np.unique(hosts_of_urls[s][requested]).tolist())
    is_own = np.isin(np.arange(len(host_numbers)), list(own_hosts))
    referrers = {}
    for s, pages in pages_of_urls.items():
        page = np.where(pages >= 0, pages, UNKNOWN_PAGE)
        page = np.where(is_own[hosts_of_urls[s]], page, OTHER_SITE)
        referrers[s] = _Referrers(
            np.append(page, NO_REFERRER).astype(np.int32),
            np.append(hosts_of_urls[s], np.int32(0)),
        )
    return referrers, list(host_numbers)


def _add_requests(
    folder: Path,
    parts: Sequence[Segment],
    pages_of_urls: Mapping[int, Ids],
    buckets: VisitorBuckets,
) -> list[str]:
    """Add all requests to buckets, in the order of inputs; the hosts of their referrers."""
    referrers, hosts = _number_referrers(folder, parts, pages_of_urls)
    for s, start, inputs, counts in _order_rows(parts):
        input_of_row = np.repeat(np.array(inputs, np.int32), counts)
        at = -start
        for batch in segments.iter_batches(
            folder / parts[s].name, REQUESTS_TABLE, READ_COLUMNS, BATCH_ROWS
        ):
            own = slice(max(-at, 0), max(min(len(batch), len(input_of_row) - at), 0))
            rows = {name: batch[name].to_numpy()[own] for name in READ_COLUMNS}
            requests = np.empty(len(rows["url"]), REQUEST_DTYPE)
            for name in ("visitor", "session", "time"):
                requests[name] = rows[name]
            requests["page"] = pages_of_urls[s][rows["url"]]
            requests["referrer"] = referrers[s].page[rows["referrer"]]
            requests["host"] = referrers[s].host[rows["referrer"]]
            requests["input"] = input_of_row[at + own.start : at + own.start + len(requests)]
            buckets.add(requests)
            at += len(batch)
    return hosts


def _visit_order(requests: Requests) -> Offsets:
    """Sort by visitor, ready-made session and time; ready-made sessions keep their order."""
    time = np.where(requests["session"] == 0, requests["time"], 0)
    return np.lexsort((time, requests["session"], requests["visitor"]))


def find_repeated_requests(requests: Requests) -> Flags:
    """The requests, in visit order, that an earlier input has as well.

    Of equal requests as many stay as the input has that has most of them.
    """
    repeated = np.zeros(len(requests), bool)
    time = np.where(requests["session"] == 0, requests["time"], 0)
    moment = np.cumsum(_differs(requests["visitor"], requests["session"], time)) - 1
    is_mixed = np.zeros(len(requests), bool)  # moments with requests of several inputs
    is_mixed[moment[1:][(moment[1:] == moment[:-1]) & (np.diff(requests["input"]) != 0)]] = True
    rows = np.flatnonzero(is_mixed[moment])
    own = requests[rows]
    keys = moment[rows], own["time"], own["page"], own["referrer"]
    order = np.lexsort((own["input"], *reversed(keys)))
    # How many equal requests of the same input come before each.
    first = _differs(*(key[order] for key in keys), own["input"][order])
    before = np.arange(len(order)) - np.maximum.accumulate(
        np.where(first, np.arange(len(order)), 0)
    )
    request = np.cumsum(_differs(*(key[order] for key in keys)))
    again = np.lexsort((before, request))
    repeated[rows[order[again]]] = ~_differs(request[again], before[again])
    return repeated


def _differs(*columns: npt.NDArray[Any]) -> Flags:
    """Which rows differ from the one before in some column; the first does."""
    differs = np.zeros(len(columns[0]), bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return differs


def build_views(requests: Requests, links: CSR, rules: SessionRules) -> Views:
    """Cut requests in visit order into sessions, drop reloads, and complete paths.

    A request of a log for the page that the visitor is on reloads it, or is for
    a further part of a long download. Ready-made sessions stay as they are.
    """
    from weft.kernels.sessions import complete_paths, cut_sessions  # noqa: PLC0415  compiled

    rule = get_args(SessionRule).index(rules.rule)
    session = cut_sessions(_columns(requests), links, rule, rules.timeout)
    if rules.rule == "referrer":  # a visitor's sessions may alternate
        order = np.argsort(session, kind="stable")
        requests, session = requests[order], session[order]
    is_reload = ~_differs(session, requests["page"]) & (requests["session"] == 0)
    requests, session = requests[~is_reload], session[~is_reload]
    first = np.flatnonzero(_differs(session))
    starts, visits = np.append(first, len(session)), _columns(requests)
    time, page, inferred = visits.time, visits.page, np.zeros(len(session), bool)
    if rules.complete_paths:
        starts, time, page, inferred = complete_paths(starts, visits, links)
    reloads = int(np.count_nonzero(is_reload))
    visitors, hosts = visits.visitor[first], requests["host"][first]
    return Views(starts, page, time, inferred, visitors, hosts, reloads)


def _columns(requests: Requests) -> Any:
    from weft.kernels.sessions import Visits  # noqa: PLC0415  compiled

    return Visits(*(np.ascontiguousarray(requests[name]) for name in Visits._fields))


@dataclass(slots=True, eq=False)
class UsageTables:
    """Writes the tables of sessions and views in parts, and those of clicks at the end."""

    folder: Path
    page_count: int
    clicks: LinkBuckets
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(USAGE_COUNTS, 0))
    visits: dict[str, Offsets] = field(default_factory=dict)
    stack: ExitStack = field(default_factory=ExitStack)
    files: dict[str, NpyWriter] = field(default_factory=dict)
    view_count: int = 0

    def __enter__(self) -> "UsageTables":
        """Open the files."""
        self.visits = {name: np.zeros(self.page_count, np.int64) for name in VISIT_COUNTS}
        for name, dtype in COLUMN_DTYPES.items():
            writer = NpyWriter(self.folder / f"{name}.npy", dtype)
            self.files[name] = self.stack.enter_context(writer)
        self.files["session_starts"].append(np.zeros(1, np.int64))
        return self

    def append(self, views: Views) -> None:
        """Append the sessions of further visitors."""
        ends = views.starts[1:] + self.view_count
        columns = views._asdict() | {"session_starts": ends}
        for name, file in self.files.items():
            file.append(columns[name])
        self.view_count += len(views.pages)
        keys, *visits = find_clicks(views.starts, views.pages, views.inferred)
        for counts, pages in zip(self.visits.values(), visits, strict=True):
            np.add.at(counts, pages, 1)
        keys, times_clicked = np.unique(keys, return_counts=True)
        clicks = np.empty(len(keys), CLICK_DTYPE)
        clicks["row"], clicks["id"] = unpack_pairs(keys)
        clicks["count"] = times_clicked
        self.clicks.add(clicks)
        self.counts["sessions"] += len(views.visitors)
        self.counts["visitors"] += int(np.count_nonzero(_differs(views.visitors)))
        self.counts["views"] += len(visits[-1])
        self.counts["inferred views"] += int(np.count_nonzero(views.inferred))
        self.counts["reloads"] += views.reloads

    def __exit__(self, *_: object) -> None:
        """Close the files."""
        self.stack.close()

    def write_transitions(self) -> None:
        """Write how often pages were viewed, first, last, in all, and after each other."""
        for name, counts in self.visits.items():
            np.save(self.folder / f"{name}.npy", counts, allow_pickle=False)
        degrees = np.zeros(self.page_count, np.int32)
        with (
            NpyWriter(self.folder / "click_ids.npy", "<i4") as ids,
            NpyWriter(self.folder / "click_weights.npy", "<f4") as weights,
        ):
            for clicks in self.clicks.iter_sorted():
                first = np.flatnonzero(_differs(clicks["row"], clicks["id"]))
                if len(first):
                    sums = np.add.reduceat(clicks["count"], first, dtype=np.int64)
                    ids.append(clicks["id"][first])
                    weights.append(to_float32_if_exact(sums))
                    add_row_counts(clicks["row"][first], degrees)
        write_starts(degrees, str(self.folder / "click_starts.npy"))
