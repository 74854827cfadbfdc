"""Where a page stands among topics: in which, as what, through whom, or why in none."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from weft.core.tabular import Tabular
from weft.core.wording import address, count
from weft.gather.url import spellings
from weft.graph.baseset import Origin
from weft.topics.evidence import COLUMNS, ROLES, Case, Evidence, row
from weft.topics.topic import Topic, Topics

SAID = 2


@dataclass(frozen=True, slots=True, eq=False)
class Standing(Tabular):
    """What topics say of one page.

    `origin` tells how it came into the base set, and is none where it is not
    in it; `absent` tells why. `found` has the evidence for each topic and role
    of the page, and `aside` the same for what was set aside, whose numbers
    count on. `alone` says why a page of the base set is in no topic.
    """

    page: str
    topics: Topics
    origin: Origin | None
    absent: str
    found: tuple[Evidence, ...]
    aside: tuple[Evidence, ...]
    alone: str = ""

    def lines(self) -> Iterator[str]:
        """All of it in words, a line each."""
        yield str(self.origin) if self.origin else f"{self.page}: {self.absent}"
        if self.alone:
            yield self.alone
        for one in (*self.found, *self.aside):
            yield self._told(one)
            sign = "←" if one.role == "authority" else "→"
            for link in one.links:
                said = ", ".join(f'"{words}"' for words in link.anchors[:SAID])
                yield f"  {sign} {address(link.page)} {link.amount:.3g} {said}".rstrip()

    def _told(self, one: Evidence) -> str:
        """One role in one topic: its place and score, and who speaks for it."""
        topic = self._topic(one)
        where = f"topic {one.topic}" if one in self.found else f"set aside, {topic.reason}"
        named = f" ({topic.name})" if topic.name else ""
        way, end = ("from", "hub") if one.role == "authority" else ("to", "authority")
        linked = f"{way} {count(one.count, end)} on {count(one.sites, 'site')}"
        return f"{where}{named}: {one.role}, place {one.place:,}, {one.score:.3g}; {linked}"

    def to_table(self) -> pa.Table:
        """One row per topic and role of the page, with who or what speaks for it."""
        rows = [row(one, self._topic(one).name) for one in (*self.found, *self.aside)]
        links = [" | ".join(link.page for link in one.links) for one in (*self.found, *self.aside)]
        table = pa.Table.from_pylist(rows, schema=COLUMNS)
        return table.append_column("ends", pa.array(links, pa.string()))

    def _topic(self, one: Evidence) -> Topic:
        return (*self.topics.topics, *self.topics.aside)[one.topic - 1]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        roles = [f"{one.role} {one.place:,} of topic {one.topic}" for one in self.found]
        return f"<{self.page}: {', '.join(roles) or self.absent or self.alone or 'set aside'}>"


def standing(topics: Topics, page: str) -> Standing:
    """Where a page stands, by its name; scheme, `www.` and a last slash may be left out."""
    base = topics.base
    forms = [f"{form}{end}" for form in (page, *spellings(page)) for end in ("", "/")]
    names = [form for form in forms if base.graph.number(form) >= 0]
    if not names:
        gone = [form for form in forms if form in base.absent]
        return Standing((gone or [page])[0], topics, None, _absence(topics, forms), (), ())
    number = base.graph.number(names[0])
    case, cut = Case(topics), len(topics)
    found = [
        one
        for k, topic in enumerate((*topics.topics, *topics.aside), start=1)
        for role in ROLES
        for one in case.about(k, topic, role, number)
    ]
    inside = tuple(one for one in found if one.topic <= cut)
    rest = tuple(one for one in found if one.topic > cut)
    alone = "" if found else _solitude(topics, number)
    return Standing(names[0], topics, base.why(names[0]), "", inside, rest, alone)


def _solitude(topics: Topics, number: int) -> str:
    """Why a page of the base set is in no topic."""
    ways = topics.base.graph.inlinks, topics.base.graph.outlinks
    if any(rows.starts[number + 1] > rows.starts[number] for rows in ways):
        return f"in no topic: by {topics.method} no page that it is linked with is in one with it"
    return "in no topic: no link that counts leads to it or from it"


def _absence(topics: Topics, forms: list[str]) -> str:
    """Why a page is not in the base set, in the words of the base set."""
    for form in forms:
        if form in topics.base.absent:
            return f"not in the base set: {topics.base.absent[form]}"
    if topics.base.query and not topics.base.found:
        return "not in the base set: the search finds no page at all"
    return (
        "not in the base set: no page found by the search is it, links to it or is linked from it"
    )
