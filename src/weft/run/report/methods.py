"""How a report came about, in prose with citations, and the command that repeats it."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weft.core.methods import find
from weft.core.wording import count, listed
from weft.graph.options import PER_DOMAIN, USUAL
from weft.topics.topic import Topics


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the key of the work that it cites, if any."""

    words: str
    cites: str = ""


def methods(found: Topics) -> list[Sentence]:
    """How the base set was made, and how topics, scores and names were found in it."""
    made = [*_start(found)]
    if found.base.level == "page":
        made += _filters(found.provenance["base_options"])
    return [*made, *_topics(found), *NAMES]


def _start(found: Topics) -> Iterator[Sentence]:
    base, options = found.base, found.provenance["base_options"]
    if base.query and not options["pages"]:
        yield Sentence(
            f"The root set is the first {count(options['root'], 'page')}, or as many as there are,"
            " of a full-text search by BM25 over titles, texts, addresses and the words of links"
            " to a page."
        )
    elif options["pages"]:
        yield Sentence(f"The root set is {count(len(options['pages']), 'page')} named by hand.")
    else:
        yield Sentence(f"All {base.level}s of the collection were looked at.")
        return
    if options["steps"]:
        yield Sentence(
            f"It was grown by {count(options['steps'], 'step')} along links, to the pages linked"
            f" from it and to at most {options['inlinks']:,} of those that link to each page,"
            " chosen by a hash of their addresses.",
            "chakrabarti1998" if options["steps"] > 1 else "kleinberg1999",
        )
    if options["selective"]:
        yield Sentence(
            f"It was grown around its {options['selective']:,} best hubs and authorities alone."
        )


BETWEEN = {
    "auto": "Links inside one domain do not count, unless hardly any others are left.",
    "page": "Links inside one site count as all others do.",
    **dict.fromkeys(("host", "domain", "site"), "Links inside one {} do not count."),
}


def _filters(options: Mapping[str, Any]) -> Iterator[Sentence]:
    between = options["between"]
    yield Sentence(BETWEEN[between].format(between), "" if between == "page" else "bharat1998")
    if options["per_domain"]:
        most = count(options["per_domain"], "page")
        yield Sentence(f"Of one domain at most {most} may speak for another page.")
    gone = {
        "portals, counters and advertisers on a stop-list": options["stoplist"] != "none",
        "mirrors of other pages": options["mirrors"] != "keep",
        "links marked nofollow": options["nofollow"] == "drop",
        "links that most pages of a site carry": options["boilerplate"] == "drop",
    }
    if any(gone.values()):
        named = [what for what, left in gone.items() if left]
        yield Sentence(f"Left out were {listed(named)}.")


def _topics(found: Topics) -> Iterator[Sentence]:
    method = find("topics", found.method)
    yield Sentence(
        f"The method, {method.name}, is to {method.summary[0].lower()}{method.summary[1:]}",
        method.cites,
    )
    trace = found.trace
    if not trace.converged:
        yield Sentence(
            f"Its scores had not settled after {count(trace.rounds, 'round')}:"
            " the order of pages may still change."
        )
    elif trace.rounds:
        yield Sentence(f"Its scores settled after {count(trace.rounds, 'round')} at most.")


NAMES = (
    Sentence(
        "A score compares pages of one topic in one role; its bar is drawn against the best of"
        " these, and that of a topic's strength against the strongest topic."
    ),
    Sentence(
        "A topic is named by phrases from the titles of its best hubs, from the links into its"
        " best authorities and from the titles of these, the less the more other topics use them."
    ),
)


def repeat(found: Topics, name: str, top: int, most: int) -> str:
    """The command that writes the same report on the same collection."""
    level, told = found.base.level, found.provenance["base_options"]
    own = find("topics", found.method).options
    words = ["weft", "report", name, *filter(None, [found.base.query])]
    words += ["--method", found.method, "--top", str(top), "--topics", str(most)]
    words += ["--level", level] if level != "page" else []
    for option, value in found.options.items():
        if value != own[option].default:
            words += [word for one in _each(value) for word in ("--option", f"{option}={one}")]
    for option, usual in asdict(USUAL.capped(PER_DOMAIN)).items():
        if told[option] != usual:
            spelled = f"--{option.replace('_', '-')}"
            words += [word for one in _each(told[option]) for word in (spelled, str(one))]
    return shlex.join(words)


def _each(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
