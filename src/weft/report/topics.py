"""The report on topics, as an HTML page: its contents, prose, and the command to repeat it."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.core.arrays import Floats
from weft.core.json import JsonObject
from weft.core.register import find_method
from weft.core.text import join_with_and, pluralise, shorten, strip_scheme
from weft.graph.baseset.baseset import GIVEN, LINKED_FROM, LINKS_TO, ROOT
from weft.graph.selection import DEFAULT_SELECTION
from weft.groups.group import Group
from weft.groups.groups import SEEN_PER_RESULT, Groups, explain_no_groups
from weft.report.render import number_citations, render_report, selection_words
from weft.store.collection import Collection

MAX_DRAWN_PAGES = 8
ORIGIN_LABELS = {
    ROOT: "search results",
    GIVEN: "given pages",
    LINKED_FROM: "linked from these",
    LINKS_TO: "linking to these",
}
MAX_OVERLAP_ROWS = 20
MAX_QUERY_CHARS = 120
BETWEEN_SENTENCES = {
    "auto": "Links within a domain do not count, unless few others are left.",
    "any": "All links count, links of a page to itself too.",
    "page": "Links within a site count like all others.",
    **dict.fromkeys(("host", "domain", "site"), "Links within a {} do not count."),
}


@dataclass(frozen=True, slots=True, eq=False)
class HubAuthorityLinks:
    """The best hubs and authorities of a topic, and the links between them.

    `weights` has a row per hub and a column per authority: the product of their
    scores as a share of the largest, zero where there is no link.
    """

    hubs: Sequence[JsonObject]
    authorities: Sequence[JsonObject]
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TopicSection:
    """A topic of the report, with its best pages as its document has them."""

    number: int
    topic: Group
    authorities: Sequence[JsonObject]
    hubs: Sequence[JsonObject]
    uncaptured: Sequence[JsonObject]
    hub_authority_links: HubAuthorityLinks


@dataclass(frozen=True, slots=True)
class PageShare:
    """A part of the base set; `topic_number` is 0 if it is not a topic."""

    label: str
    page_count: int
    topic_number: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class TopicsReport:
    """Everything in a topics report.

    `topics` are all topics, `results` the search results that lead the answer,
    `sections` the topics that are shown, and `overlaps` the pairs of these with
    common pages, largest share first. `origin_shares` count the pages of the
    base set by how they came in, `topic_shares` by topic; a page of several
    topics counts for the first.
    """

    topics: Groups
    results: Sequence[JsonObject]
    sections: Sequence[TopicSection]
    overlaps: Sequence[dict[str, Any]]
    origin_shares: Sequence[PageShare]
    topic_shares: Sequence[PageShare]
    collection_name: str
    collection_size: int
    history: Sequence[dict[str, Any]]
    top: int
    max_topics: int

    @property
    def base_set_size(self) -> int:
        """The number of pages in the base set."""
        return len(self.topics.base)

    @property
    def level(self) -> str:
        """What the topics consist of: pages, hosts or domains."""
        return self.topics.base.level


def build_topics_report(
    collection: Collection, topics: Groups, top: int, max_topics: int
) -> TopicsReport:
    """Collect the contents of the report on some topics."""
    document = topics.to_document(max(top, MAX_DRAWN_PAGES), max_topics, max_evidence=0)
    sections = [
        TopicSection(
            shown["number"],
            topic,
            shown["authorities"][:top],
            shown["hubs"][:top],
            shown["uncaptured"][:top],
            weigh_hub_authority_links(
                topics, shown["hubs"][:MAX_DRAWN_PAGES], shown["authorities"][:MAX_DRAWN_PAGES]
            ),
        )
        for topic, shown in zip(topics, document["topics"], strict=False)
    ]
    return TopicsReport(
        topics,
        document["results"][: top * SEEN_PER_RESULT if topics.results_first else top],
        sections,
        sorted(document["overlap"], key=lambda row: -row["share"]),
        count_by_origin(topics),
        count_by_topic(topics, max_topics),
        collection.folder.resolve().name,
        collection.manifest.counts["captured"] + collection.manifest.counts["listed"],
        collection.manifest.history,
        top,
        max_topics,
    )


def weigh_hub_authority_links(
    topics: Groups, hubs: Sequence[JsonObject], authorities: Sequence[JsonObject]
) -> HubAuthorityLinks:
    """Weigh the links from some hubs to some authorities."""
    graph = topics.base.graph
    sources, targets = (
        [graph.page_number(page["url"]) for page in pages] for pages in (hubs, authorities)
    )
    weights = np.outer([page["score"] for page in hubs], [page["score"] for page in authorities])
    rows = graph.outlinks
    for position, source in enumerate(sources):
        linked = rows.ids[rows.starts[source] : rows.starts[source + 1]]
        weights[position] *= np.isin(targets, linked)
    largest = max(weights.max(initial=0), np.finfo(float).tiny)
    return HubAuthorityLinks(hubs, authorities, weights / largest)


def count_by_origin(topics: Groups) -> list[PageShare]:
    """Count the pages of the base set by how they came into it."""
    counts = np.bincount(topics.base.origin, minlength=len(ORIGIN_LABELS))
    return [
        PageShare(label, int(counts[code])) for code, label in ORIGIN_LABELS.items() if counts[code]
    ]


def count_by_topic(topics: Groups, max_topics: int) -> list[PageShare]:
    """Count the pages of the base set by topic; the others as further, set aside, or in none."""
    further, aside, none = max_topics + 1, max_topics + 2, max_topics + 3
    codes = np.full(len(topics.base), none)
    for topic in topics.set_aside:
        codes[topic.members] = aside
    # from the last topic to the first, so that a page of several counts for the first
    for number, topic in reversed(list(enumerate(topics, start=1))):
        codes[topic.members] = min(number, further)
    counts = np.bincount(codes, minlength=none + 1)
    shares = [
        PageShare(topic.name or "(no label)", int(counts[number]), number)
        for number, topic in enumerate(topics[:max_topics], start=1)
    ]
    others = {further: "in further topics", aside: "set aside", none: "in no topic"}
    shares += [PageShare(label, int(counts[code])) for code, label in others.items()]
    return [share for share in shares if share.page_count]


def render_topics_report(report: TopicsReport) -> str:
    """Render a report as an HTML page that runs no script and loads nothing."""
    topics = report.topics
    sentences = describe_methods(topics)
    return render_report(
        "topics.html.j2",
        title=_report_title(report),
        collection_name=report.collection_name,
        lead=_lead_sentence(report),
        version=topics.provenance["weft"],
        report=report,
        base_set=_describe_base_set(report),
        max_overlap_rows=MAX_OVERLAP_ROWS,
        left_out=topics.provenance["left_out"],
        sentences=sentences,
        works=number_citations(sentence.cites for sentence in sentences),
        provenance=_provenance_facts(report),
        command=reproduction_command(topics, report.collection_name, report.top, report.max_topics),
    )


def _report_title(report: TopicsReport) -> str:
    base = report.topics.base
    if base.query:
        return f"Topics of “{shorten(base.query, MAX_QUERY_CHARS)}”"
    pages = [strip_scheme(page) for page in report.topics.provenance["selection"]["pages"]]
    if pages:
        return f"Topics around {join_with_and(pages[:3])}"
    return f"Topics of {report.collection_name}"


def _lead_sentence(report: TopicsReport) -> str:
    topics = report.topics
    if not topics.groups:
        reason, hint = explain_no_groups(topics)
        return f"{reason[0].upper()}{reason[1:]}. What may help: {hint}."
    pages = pluralise(report.base_set_size, report.level)
    shown = ""
    if len(report.sections) < len(topics):
        shown = f"; the first {len(report.sections):,} are shown"
    return f"{pluralise(len(topics), 'topic')} in {pages}{shown}."


def _describe_base_set(report: TopicsReport) -> str:
    """Say how the base set was built, and how large it is."""
    counts, base, level = report.topics.base.counts(), report.topics.base, report.level
    pages, links = pluralise(counts["pages"], level), pluralise(counts["links"], "link")
    size = f"{pages}, with {links} that count"
    search = f"The search for “{shorten(base.query, MAX_QUERY_CHARS)}” found"
    if counts["root"] and base.query:
        some = counts["found"] > counts["root"]
        roots = f"{counts['root']:,} of the first of these" if some else "These"
        text = (
            f"{search} {pluralise(counts['found'], level)}."
            f" {roots} and the {level}s around them make the base set: {size}."
        )
    elif base.query:
        text = f"{search} nothing."
    elif len(report.origin_shares) > 1:
        text = f"The given {level}s and those around them make the base set: {size}."
    else:
        text = f"The base set is the whole collection, except what was left out: {size}."
    if counts["uncaptured"]:
        text += f" {pluralise(counts['uncaptured'], level)} of it are linked, not captured."
    return text


def _provenance_facts(report: TopicsReport) -> dict[str, str]:
    topics, provenance = report.topics, report.topics.provenance
    date = f", of {report.history[-1]['time'][:10]}" if report.history else ""
    selection = provenance["selection"] if report.level == "page" else {}
    return {
        "collection": f"{report.collection_name}: {pluralise(report.collection_size, 'page')}",
        "snapshot": f"{provenance['snapshot']}{date}",
        "digest": f"sha256:{provenance['digest']}",
        "version": f"Weft {provenance['weft']}",
        "method": f"{topics.method}: {_format_options(topics.options)}",
        "base set": _format_options(selection),
    }


def _format_options(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items() if value or value == 0)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the BibTeX key of the work that it cites, if any."""

    text: str
    cites: str = ""


SCORE_AND_NAME_SENTENCES = (
    Sentence(
        "Scores compare pages of one topic in one role; the bar of a score is relative to the best"
        " of them, that of a topic's strength to the strongest topic."
    ),
    Sentence(
        "A topic is named by phrases from the titles of its best hubs, from the anchor texts of"
        " links to its best authorities and from the titles of these; phrases of many topics"
        " weigh less."
    ),
)


def describe_methods(topics: Groups) -> list[Sentence]:
    """Describe how the base set was built, and how topics, scores and names were found."""
    sentences = [*_root_set_sentences(topics)]
    if topics.base.level == "page":
        sentences += _filter_sentences(topics.provenance["selection"])
    return [*sentences, *_method_sentences(topics), *SCORE_AND_NAME_SENTENCES]


def _root_set_sentences(topics: Groups) -> Iterator[Sentence]:
    base, options = topics.base, topics.provenance["selection"]
    if base.query and not options["pages"]:
        yield Sentence(
            f"The root set is the first {pluralise(options['root_size'], 'page')}, or fewer if"
            " there are not as many, of a full-text search by BM25 in titles, texts, URLs and"
            " anchor texts."
        )
    elif options["pages"]:
        yield Sentence(f"The root set is {pluralise(len(options['pages']), 'page')} given by URL.")
    else:
        yield Sentence(f"All {base.level}s of the collection were analysed.")
        return
    if options["steps"]:
        yield Sentence(
            f"It was expanded by {pluralise(options['steps'], 'step')} along links, to the pages"
            f" linked from it and to at most {options['max_inlinks']:,} of those that link to each"
            " page, sampled by a hash of their URLs.",
            "chakrabarti1998" if options["steps"] > 1 else "kleinberg1999",
        )
    if options["selective"]:
        yield Sentence(
            f"It was expanded only around its {options['selective']:,} best hubs and authorities."
        )


def _filter_sentences(options: Mapping[str, Any]) -> Iterator[Sentence]:
    between = options["between"]
    yield Sentence(
        BETWEEN_SENTENCES[between].format(between),
        "" if between in ("page", "any") else "bharat1998",
    )
    if options["per_domain"]:
        pages = pluralise(options["per_domain"], "page")
        yield Sentence(f"At most {pages} of one domain may link to a page.")
    left_out = {
        "portals, counters and advertisers on a stop-list": options["stoplist"] != "none",
        "mirrors of other pages": options["mirrors"] != "keep",
        "links marked nofollow": options["nofollow"] == "drop",
        "links that most pages of a site carry": options["boilerplate"] == "drop",
    }
    if any(left_out.values()):
        names = [name for name, is_left_out in left_out.items() if is_left_out]
        yield Sentence(f"Left out were {join_with_and(names)}.")


def _method_sentences(topics: Groups) -> Iterator[Sentence]:
    method = find_method("topics", topics.method)
    summary = f"{method.summary[0].lower()}{method.summary[1:]}"
    yield Sentence(f"The method is {method.name}: {summary}", method.cites)
    trace = topics.trace
    iterations = pluralise(trace.iterations, "iteration")
    if not trace.converged:
        yield Sentence(
            f"Its scores had not converged after {iterations}: the order of pages may still change."
        )
    elif trace.iterations:
        yield Sentence(f"Its scores converged after at most {iterations}.")


def reproduction_command(topics: Groups, collection_name: str, top: int, max_topics: int) -> str:
    """The command that writes the same report on the same collection."""
    level, selection = topics.base.level, topics.provenance["selection"]
    method_options = find_method("topics", topics.method).options
    words = ["weft", "report", collection_name, *filter(None, [topics.base.query])]
    words += ["--method", topics.method, "--top", str(top), "--topics", str(max_topics)]
    words += ["--level", level] if level != "page" else []
    keep = topics.provenance.get("uncaptured", "drop")
    words += ["--uncaptured", keep] if keep != "drop" else []
    for option, value in topics.options.items():
        if value != method_options[option].default:
            words += [word for item in _as_list(value) for word in ("--option", f"{option}={item}")]
    default = replace(DEFAULT_SELECTION.for_topics(), query=selection["query"], level=level)
    words += selection_words(selection, default)
    return shlex.join(words)


def _as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
