"""Information scent: what visitors with a need would do, by the cues of links (WUFIS)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets
from weft.core.errors import BadParameter
from weft.core.params import InformationNeed, ScentFloor, ScentSource, ScentTargets, ShareGoingOn
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM, LinkOperator, Trace, neumann_series, operator_from_csr
from weft.graph.webgraph import WebGraph, csr_to_scipy, transpose
from weft.store.term_weights import StemDictionary, TermWeights
from weft.store.tokens import stem_text, stemmer_code
from weft.usage.link_cues import CueCollector, LinkCues, count_text_stems, is_content_stem
from weft.usage.usage import Usage

ScentBasis = Annotated[
    Literal["auto", "proximal", "distal"],
    Field(description="scent by the cues of a link, its target's text, or cues where it has any"),
]
Clicks = Annotated[
    int, Field(ge=0, le=10_000, description="follow users for this many clicks; 0: to the end")
]
Top = Annotated[int, Field(ge=1, le=100_000, description="how many pages and links to list")]
Basis = Literal["auto", "proximal", "distal"]
NO_PAGES: list[str] = []
USERS = 100.0
TOL, MAX_ITER = 1e-12, 100_000
MAX_TRAIL_CLICKS = 20
HOP_LENGTH = 1e4  # above the length of any path by scent
HOME_PATTERN = r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*/?$"
LINKS_HINT = "give links as (source, target) or (source, target, text of the link)"
LINK_SCHEMA = pa.schema(
    {
        "source": pa.string(),
        "target": pa.string(),
        "probability": pa.float64(),
        "flow": pa.float64(),
    }
)
STEP_SCHEMA = pa.schema(
    {
        "click": pa.int32(),
        "page": pa.string(),
        "link to": pa.string(),
        "probability": pa.float64(),
        "equal share": pa.float64(),
        "place": pa.int32(),
        "links": pa.int32(),
        "strongest link": pa.string(),
        "weak": pa.bool_(),
    }
)


@dataclass(frozen=True, eq=False)
class ScentData:
    """A web with the cues of its links, the terms of its pages, and where users enter it.

    The links are those of `graph.outlinks`, in that order. `entries` has the
    weight of each page as an entry; `entry_note` says where it is from. `clicks`
    are those on each link, where they were measured. The `read_…` functions read
    on first use.
    """

    graph: WebGraph
    read_cues: Callable[[], LinkCues] = field(repr=False)
    read_term_weights: Callable[[], TermWeights] = field(repr=False)
    entries: Floats
    stem_need: Callable[[str], Mapping[str, float]] = field(repr=False)
    read_idf: Callable[[Sequence[str]], Floats] = field(repr=False)
    read_titles: Callable[[Ids], Sequence[str]] | None = field(default=None, repr=False)
    read_word_forms: Callable[[int], Mapping[str, str]] | None = field(default=None, repr=False)
    entry_note: str = ""
    clicks: Floats | None = field(default=None, repr=False)

    @classmethod
    def from_any(cls, data: Any) -> "ScentData":
        """From scent data, a graph, or links with the texts that cue them."""
        if isinstance(data, ScentData):
            return data
        if isinstance(data, str | bytes):
            raise BadParameter(f"{data[:40]!r} holds no links", hint=LINKS_HINT)
        try:
            given = [tuple(link) for link in data] if not isinstance(data, WebGraph) else []
        except TypeError:
            raise BadParameter(f"{type(data).__name__} holds no links", hint=LINKS_HINT) from None
        if isinstance(data, WebGraph):
            ends = data.outlinks.row_ids().tolist(), data.outlinks.ids.tolist()
            names = list(data.pages)
            given = [(names[s], names[t]) for s, t in zip(*ends, strict=True)]
            return cls.from_lists(given, pages=names)
        return cls.from_lists(given)

    @classmethod
    def from_lists(
        cls,
        links: Sequence[tuple[str, ...]],
        texts: Mapping[str, str] | None = None,
        entries: Mapping[str, float] | None = None,
        *,
        titles: Mapping[str, str] | None = None,
        pages: Sequence[str] = (),
        language: str = "",
    ) -> "ScentData":
        """From links (source, target, text of the link), and the texts and entries of pages.

        Term weights are (1 + ln tf) · ln(1 + N / df) over the texts given.

        Examples
        --------
        >>> ScentData.from_lists([("a", "b", "to the cats"), ("a", "c", "")], {"c": "dogs"})
        <ScentData: 3 pages, 2 links>
        """
        if any(not 2 <= len(link) <= 3 or not all(map(_is_text, link)) for link in links):
            raise BadParameter("a link has too few or too many parts", hint=LINKS_HINT)
        names = list(dict.fromkeys([*pages, *(name for link in links for name in link[:2])]))
        number = {name: at for at, name in enumerate(names)}
        ends = [[number[link[side]] for link in links] for side in (0, 1)]
        graph = WebGraph.from_arrays(names, *(np.array(end, np.int32) for end in ends))
        stemmer = stemmer_code(language)
        cues = _collect_list_cues(graph, links, number, stemmer)
        weights, idf = _weigh_texts([(texts or {}).get(name, "") for name in names], stemmer)
        given = np.array([(entries or {}).get(name, 0.0) for name in names])
        at_entry = given if given.any() else home_pages(graph).astype(np.float64)

        def stem_need(need: str) -> Mapping[str, float]:
            return drop_stop_words(Counter(stem_text(need, stemmer)))

        def read_titles(chosen: Ids) -> list[str]:
            return [(titles or {}).get(names[page], "") for page in chosen.tolist()]

        note = "" if given.any() else describe_home_pages(graph)
        return cls(
            graph,
            lambda: cues,
            lambda: weights,
            at_entry,
            stem_need,
            idf,
            read_titles,
            entry_note=note,
        )

    @property
    def level(self) -> str:
        """Always page."""
        return self.graph.level

    @cached_property
    def cues(self) -> LinkCues:
        """The cues of each link."""
        return self.read_cues()

    @cached_property
    def has_cues(self) -> Flags:
        """The links with cues other than stop words."""
        return self.cues.has_words

    @cached_property
    def term_weights(self) -> TermWeights:
        """The term weights of each page."""
        return self.read_term_weights()

    def titles(self, pages: Ids) -> list[str]:
        """The titles of some pages, empty where unknown."""
        if self.read_titles is None:
            return [""] * len(pages)
        return [" ".join(title.split()) for title in self.read_titles(pages)]

    def names(self, pages: Sequence[int] | Ids | Offsets) -> list[str]:
        """The names of some pages."""
        return [self.graph.pages[int(page)] for page in pages]

    def start_vector(self, source: str) -> Floats:
        """A hundred users on the source, or spread over the entries."""
        start = np.zeros(len(self.graph))
        if source:
            start[self.graph.page_numbers([source])[0]] = USERS
            return start
        total = self.entries.sum()
        return self.entries * (USERS / total) if total else start

    def __repr__(self) -> str:
        sizes = pluralise(len(self.graph), "page"), pluralise(self.graph.link_count, "link")
        return f"<ScentData: {', '.join(sizes)}>"


def _is_text(part: Any) -> bool:
    return isinstance(part, str)


def _collect_list_cues(
    graph: WebGraph, links: Sequence[tuple[str, ...]], number: Mapping[str, int], stemmer: str
) -> LinkCues:
    """The cues of links given with a text each; those of parallel links are joined."""
    rows = graph.outlinks
    position = {
        link: at
        for at, link in enumerate(zip(rows.row_ids().tolist(), rows.ids.tolist(), strict=True))
    }
    cued = [
        (at, link[2])
        for link in links
        if len(link) > 2 and (at := position.get((number[link[0]], number[link[1]]), -1)) >= 0
    ]
    collector = CueCollector(len(position), [stemmer])
    texts = pa.array([text for _, text in cued], pa.string())
    at_links = np.array([at for at, _ in cued], np.int64)
    collector.add(at_links, texts, np.zeros(len(cued), np.int32))
    return collector.to_cues()


def _weigh_texts(
    texts: Sequence[str], stemmer: str
) -> tuple[TermWeights, Callable[[Sequence[str]], Floats]]:
    """The weights (1 + ln tf) · ln(1 + N / df) of texts, and the function ln(1 + N / df)."""
    dictionary = StemDictionary()
    page, stem, count = count_text_stems(pa.array(texts, pa.string()), stemmer, dictionary)
    documents = np.bincount(stem, minlength=len(dictionary))
    total = sum(bool(text.strip()) for text in texts)
    frequency = dict(zip(dictionary.stems.to_pylist(), documents.tolist(), strict=True))

    def read_idf(stems: Sequence[str]) -> Floats:
        # without texts every stem counts the same
        return np.array([np.log1p(max(total, 1) / max(frequency.get(s, 0), 1)) for s in stems])

    kept = is_content_stem(dictionary.stems)[stem]
    weights = (1 + np.log(count[kept])) * np.log1p(total / documents[stem[kept]])
    starts = np.searchsorted(page[kept], np.arange(len(texts) + 1)).astype(np.int64)
    return TermWeights(dictionary.stems, CSR(starts, stem[kept], weights)), read_idf


def drop_stop_words(stems: Mapping[str, float]) -> dict[str, float]:
    """Stems with their weights, without stop words unless there are no others."""
    content = is_content_stem(pa.array(stems, pa.string()))
    kept = {s: float(w) for (s, w), keep in zip(stems.items(), content, strict=True) if keep}
    return kept or {stem: float(weight) for stem, weight in stems.items()}


def home_pages(graph: WebGraph) -> Flags:
    """The root pages of hosts that have links; all pages with links where there are none."""
    has_links: Flags = np.diff(graph.outlinks.starts) > 0
    roots = pc.match_substring_regex(graph.names, HOME_PATTERN).to_numpy(zero_copy_only=False)
    homes: Flags = roots & has_links
    return homes if homes.any() else has_links


def describe_home_pages(graph: WebGraph) -> str:
    """Where users start if nothing is known about entries."""
    roots = pc.match_substring_regex(graph.names, HOME_PATTERN).to_numpy(zero_copy_only=False)
    homes = home_pages(graph)
    where = "home page" if (homes & roots).any() else "page"
    count = pluralise(int(homes.sum()), where)
    return f"no entries are known: users start on {count} alike"


class LinkScent(NamedTuple):
    """The scent of each link, and the probability of following it from its page."""

    scent: Floats
    probability: Floats


def smell_links(
    data: ScentData, need: Mapping[str, float], floor: float, basis: Basis
) -> LinkScent:
    """The scent of each link, for a need in stems; without a need all links are alike."""
    rows = data.graph.outlinks
    if need:
        scent = _proximal_scent(data, need) if basis != "distal" else np.zeros(len(rows.ids))
        if basis != "proximal":
            distal = _distal_scent(data, need)[np.asarray(rows.ids)]
            scent = distal if basis == "distal" else np.where(data.has_cues, scent, distal)
        scent = scent + floor
    else:
        scent = np.ones(len(rows.ids))
    source = rows.row_ids()
    sums = np.bincount(source, scent, len(data.graph))[source]
    probability = np.divide(scent, sums, out=np.zeros(len(scent)), where=sums > 0)
    return LinkScent(scent, probability)


def _proximal_scent(data: ScentData, need: Mapping[str, float]) -> Floats:
    """The sum of (1 + ln tf) · idf · weight over the stems of the need in the cues of a link."""
    stems = list(need)
    weights = data.cues.count_stems(stems)
    weights.data = 1 + np.log(weights.data)
    scent: Floats = weights @ (data.read_idf(stems) * np.array(list(need.values())))
    return scent


def _distal_scent(data: ScentData, need: Mapping[str, float]) -> Floats:
    """The sum of term weight · weight over the stems of the need on each page."""
    terms = data.term_weights
    numbers = pc.index_in(pa.array(need, pa.large_string()), terms.stems.cast(pa.large_string()))
    wanted = np.zeros(len(terms.stems))
    for number, weight in zip(numbers.to_pylist(), need.values(), strict=True):
        if number is not None:
            wanted[number] = weight
    products = np.asarray(terms.weights, np.float64) * wanted[np.asarray(terms.matrix.ids)]
    relevance: Floats = np.bincount(terms.matrix.row_ids(), products, len(terms)).astype(float)
    return relevance


@dataclass(frozen=True, slots=True, eq=False)
class ScentFlow:
    """Users who follow links by their scent; each click loses the share 1 - alpha."""

    graph: WebGraph
    probability: Floats
    alpha: float

    def operator(self) -> LinkOperator:
        """The link operator of the probabilities."""
        rows = self.graph.outlinks
        outlinks = CSR(np.asarray(rows.starts), np.asarray(rows.ids), self.probability)
        return operator_from_csr(outlinks, transpose(outlinks, len(self.graph)), weighted=True)

    def visits(self, start: Floats, clicks: int = 0) -> tuple[Floats, Trace]:
        """The expected visits to each page, within some clicks or to the end."""
        if not self.alpha or not start.any():
            return start.copy(), CLOSED_FORM
        operator = self.operator()
        if clicks:
            return _follow_clicks(operator, start, self.alpha, clicks), CLOSED_FORM
        scale = np.full(len(start), self.alpha)
        return neumann_series(operator, start, scale, TOL, MAX_ITER, "scent", damping=self.alpha)

    def link_flow(self, visits: Floats) -> Floats:
        """How many users follow each link."""
        flow: Floats = self.alpha * self.probability * visits[self.graph.outlinks.row_ids()]
        return flow


def _follow_clicks(operator: LinkOperator, start: Floats, alpha: float, clicks: int) -> Floats:
    """A(t) = alpha · S · A(t - 1) + E after some clicks."""
    visits = start.copy()
    for _ in range(clicks):
        visits = alpha * operator.rmatvec(visits) + start
    return visits


class Absorption(NamedTuple):
    """Users who stop at targets: how many at each, after how many clicks in all, and all visits."""

    arrived: Floats
    clicks: float
    visits: Floats
    converged: bool


def absorb(flow: ScentFlow, start: Floats, targets: Ids) -> Absorption:
    """Follow users until they reach a target or leave.

    `clicks` is the sum of clicks over those who arrive.
    """
    operator = flow.operator()
    state, visits, click_sum = start.copy(), start.copy(), 0.0
    is_target = np.zeros(len(start), bool)
    is_target[targets] = True
    limit = TOL * max(float(start.sum()), 1e-300)
    for click in range(1, MAX_ITER + 1):
        state[is_target] = 0.0  # nobody goes on from a target
        if not flow.alpha or state.sum() <= limit:
            return Absorption(visits[targets], click_sum, visits, converged=True)
        state = flow.alpha * operator.rmatvec(state)
        visits += state
        click_sum += click * float(state[targets].sum())
    return Absorption(visits[targets], click_sum, visits, converged=False)


@method(
    "usage",
    "scent",
    cites="chi2001",
    dimensions=Dimensions(
        model="Markov model",
        metric="information scent",
        algorithm="spreading activation",
        scope="whole web",
        applications=("adaptive web sites",),
        data="links, content and usage",
    ),
)
def scent(
    data: ScentData,
    *,
    need: InformationNeed = "",
    source: ScentSource = "",
    target: ScentTargets = NO_PAGES,
    alpha: ShareGoingOn = 0.85,
    floor: ScentFloor = 0.01,
    basis: ScentBasis = "auto",
    clicks: Clicks = 0,
    top: Top = 100,
) -> Usage:
    """Predict where users with a need go (WUFIS).

    Users follow a link in proportion to its scent: how well its cues, or the
    text of its target where it has none, match the need. A share `alpha` goes
    on after each page. Visits and flows are for 100 users, who start on the
    source or on the entries. With targets the result has the share of users who
    reach one, the most likely path there, and the weak links on the shortest
    path. Without a need users follow any link alike. Where clicks were measured,
    the links that smell of the need and that few follow are listed too.

    Examples
    --------
    >>> links = [("a", "b", "python tutorial"), ("a", "c", "cooking")]
    >>> found = scent(links, need="python", source="a", target=["b"])
    >>> found["reach a target"] > 0.8, found.to_table()["page"].to_pylist()
    (True, ['a', 'b', 'c'])
    """
    wanted = data.stem_need(need) if need.strip() else {}
    followed = smell_links(data, wanted, floor, basis)
    flow = ScentFlow(data.graph, followed.probability, alpha)
    start, targets = data.start_vector(source), data.graph.page_numbers(dict.fromkeys(target))
    visits, trace = flow.visits(start, clicks)
    facts: dict[str, Any] = {}
    if target:
        absorbed = absorb(flow, start, targets)
        share = float(absorbed.arrived.sum()) / max(float(start.sum()), 1e-300)
        facts |= {"reach a target": share, "visits to targets": float(visits[targets].sum())}
    facts |= {
        "visits": float(visits.sum()),
        "pages visited": int((visits > 0).sum()),
        "alpha": alpha,
        "users": float(start.sum()),
        "converged": trace.converged,
    }
    tables = {
        "pages": _page_table(data, visits, start, top),
        "links": _link_table(data, followed.probability, flow.link_flow(visits), top),
        **path_tables(data, followed.probability, start, targets),
    }
    if data.clicks is not None and need.strip():
        tables["neglected links"] = _neglected_links(data, followed.probability, top)
    smells = float(followed.scent.max(initial=0.0)) > floor
    return Usage("scent", facts, tables, scent_notes(data, need, source, smells=smells))


def _neglected_links(data: ScentData, probability: Floats, top: int) -> pa.Table:
    """Links that smell of the need and that few follow, most missing clicks first.

    Expected are the clicks on all links of the page, divided as the scent says.
    A link is listed if its clicks are at least three standard deviations below.
    """
    rows = data.graph.outlinks
    source, clicks = rows.row_ids(), np.asarray(data.clicks, np.float64)
    totals = np.bincount(source, clicks, len(data.graph))
    expected = probability * totals[source]
    fair = totals[source] / np.maximum(np.diff(np.asarray(rows.starts))[source], 1)
    missing = expected - clicks
    found = np.flatnonzero((missing > 3 * np.sqrt(expected)) & (expected > fair))
    order = found[np.argsort(-missing[found], kind="stable")][:top]
    return pa.table(
        {
            "source": pa.array(data.names(source[order]), pa.string()),
            "target": pa.array(data.names(np.asarray(rows.ids)[order]), pa.string()),
            "probability": probability[order],
            "measured share": clicks[order] / np.maximum(totals[source[order]], 1),
            "clicks": clicks[order].astype(np.int64),
            "expected clicks": expected[order],
        }
    )


def scent_notes(data: ScentData, need: str, source: str, *, smells: bool) -> tuple[str, ...]:
    """Notes on a need that is missing or unknown, and on where users start."""
    notes = [] if len(data.graph) else ["there are no pages"]
    if not need.strip():
        notes.append("no need was given: users follow any link alike")
    elif not smells:
        notes.append(f"no link smells of {need!r}: users follow any link alike")
    if not source and data.entry_note:
        notes.append(data.entry_note)
    return tuple(notes)


def _page_table(data: ScentData, visits: Floats, start: Floats, top: int) -> pa.Table:
    order = np.argsort(-visits.round(9), kind="stable")[:top].astype(np.int32)
    order = order[visits[order] > 0]
    return pa.table(
        {
            "page": pa.array(data.names(order), pa.string()),
            "title": pa.array(data.titles(order), pa.string()),
            "visits": visits[order],
            "start": start[order],
        }
    )


def _link_table(data: ScentData, probability: Floats, flow: Floats, top: int) -> pa.Table:
    order = np.argsort(-flow.round(9), kind="stable")[:top]
    order = order[flow[order] > 0]
    rows = data.graph.outlinks
    source = np.searchsorted(np.asarray(rows.starts), order, side="right") - 1
    columns = {
        "source": data.names(source),
        "target": data.names(np.asarray(rows.ids)[order]),
        "probability": probability[order],
        "flow": flow[order],
    }
    return pa.table(columns, LINK_SCHEMA)


def path_tables(
    data: ScentData, probability: Floats, start: Floats, targets: Ids
) -> dict[str, pa.Table]:
    """The scent trail, and with targets the shortest path with the links that are weak on it.

    Both begin on the page where most users start. The trail is the most likely
    path to a target, or without targets the strongest link again and again.
    """
    if not start.any():
        return {"trail": STEP_SCHEMA.empty_table()}
    first = int(np.argmax(start))
    if not len(targets):
        return {
            "trail": _step_table(data, probability, _follow_strongest(data, probability, first))
        }
    trail = find_path(data.graph, probability, first, targets)
    shortest = find_path(data.graph, probability, first, targets, hop_length=HOP_LENGTH)
    return {
        "trail": _step_table(data, probability, trail),
        "shortest path": _step_table(data, probability, shortest),
    }


def _follow_strongest(data: ScentData, probability: Floats, first: int) -> list[int]:
    """The page reached by the strongest link to a new page, again and again."""
    rows, path = data.graph.outlinks, [first]
    while len(path) <= MAX_TRAIL_CLICKS:
        inside = slice(int(rows.starts[path[-1]]), int(rows.starts[path[-1] + 1]))
        ids, values = np.asarray(rows.ids[inside]), probability[inside]
        new = ~np.isin(ids, path) & (values > 0)
        if not new.any():
            break
        path.append(int(ids[new][np.argmax(values[new].round(12))]))
    return path


def find_path(
    graph: WebGraph, probability: Floats, source: int, targets: Ids, *, hop_length: float = 0.0
) -> list[int]:
    """The most likely path to a target; with a `hop_length`, of the shortest paths the likeliest.

    Empty where no path leads to a target.
    """
    from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415  slow to load

    rows = graph.outlinks
    # a link of probability p has the length -ln p; lengths of zero would be no links
    lengths = -np.log(np.maximum(probability, 1e-300)) + hop_length + 1e-12
    lengths[probability <= 0] = np.inf
    matrix = csr_to_scipy(CSR(rows.starts, rows.ids, lengths), len(graph))
    sources = np.array([source])
    distances, predecessors = dijkstra(matrix, indices=sources, return_predecessors=True)
    distance, before = distances[0], predecessors[0]
    nearest = int(targets[np.argmin(distance[targets])])
    if not np.isfinite(distance[nearest]):
        return []
    path = [nearest]
    while path[-1] != source:
        path.append(int(before[path[-1]]))
    return path[::-1]


def _step_table(data: ScentData, probability: Floats, path: Sequence[int]) -> pa.Table:
    """The links of a path: how likely each is, beside the other links of its page."""
    rows, steps = data.graph.outlinks, list[dict[str, Any]]()
    for click, (page, following) in enumerate(pairwise(path), 1):
        inside = slice(int(rows.starts[page]), int(rows.starts[page + 1]))
        ids, values = np.asarray(rows.ids[inside]), probability[inside]
        own = float(values[np.searchsorted(ids, following)])
        strongest = int(ids[np.argmax(values.round(12))])
        steps.append(
            {
                "click": click,
                "page": data.graph.pages[page],
                "link to": data.graph.pages[following],
                "probability": own,
                "equal share": 1 / len(ids),
                "place": int((values > own + 1e-12).sum()) + 1,
                "links": len(ids),
                "strongest link": data.graph.pages[strongest],
                "weak": own < 1 / len(ids) - 1e-12,
            }
        )
    return pa.Table.from_pylist(steps, schema=STEP_SCHEMA)
