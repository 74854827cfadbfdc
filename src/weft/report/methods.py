"""The methods section of a topics report: prose with citations, and the command to repeat it."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weft.core.register import find_method
from weft.core.text import join_with_and, pluralise
from weft.graph.selection import DEFAULT_SELECTION
from weft.groups.group import Groups


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the BibTeX key of the work that it cites, if any."""

    text: str
    cites: str = ""


BETWEEN_SENTENCES = {
    "auto": "Links within a domain do not count, unless few others are left.",
    "any": "All links count, links of a page to itself too.",
    "page": "Links within a site count like all others.",
    **dict.fromkeys(("host", "domain", "site"), "Links within a {} do not count."),
}
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
    defaults = asdict(DEFAULT_SELECTION.for_topics())
    for option in sorted(defaults.keys() - {"level", "query"}, key=list(defaults).index):
        default = defaults[option]
        value, flag = selection[option], f"--{option.replace('_', '-')}"
        if value != default:
            words += [word for item in _as_list(value) for word in (flag, str(item))]
    return shlex.join(words)


def _as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
