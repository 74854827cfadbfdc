"""What titles say of their pages, without what a site puts on many of its own."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.core.arrays import Offsets
from weft.graph.baseset import BaseSet
from weft.graph.filters import owners

LOOKED_AT = 16
FEWEST = 3
MANY = 0.25
BETWEEN = re.compile(r"\s[-\u2013\u2014|\u00b7\u00bb:]+(?:\s|$)|:\s")
AT_END = re.compile(rf"(?:{BETWEEN.pattern})$")
NO_TITLE = re.compile(
    r"\W*(?:(?:(?:empty|no|untitled|new|blank)\W+)?(?:title|document|page)(?: field|\W*\d+)?"
    r"|untitled|index of /.*)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Titles:
    """The titles of a base set, and the parts of them that are usual on their hosts.

    `host` numbers the host of each page; its pages are
    `order[starts[host] : starts[host + 1]]`. Without titles there are no hosts.
    """

    titles: Sequence[str]
    host: Sequence[int]
    order: Offsets
    starts: Sequence[int]
    known: dict[int, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, base: BaseSet) -> "Titles":
        """Those of a base set."""
        none = np.zeros(0, np.int32)
        host = owners(base.graph.names, "host")[0] if len(base.titles) else none
        order = np.argsort(host, kind="stable")
        starts = np.searchsorted(host[order], np.arange(int(host.max(initial=-1)) + 2))
        return cls(base.titles, host.tolist(), order, starts.tolist())

    def __getitem__(self, page: int) -> str:
        """The title of a page, unless it says that there is none."""
        title = spaced(self.titles[page]) if len(self.titles) else ""
        return "" if NO_TITLE.fullmatch(title) else title

    def __len__(self) -> int:
        return len(self.titles)

    def own(self, text: str, page: int) -> str:
        """A text about a page without the parts at its ends that are usual on the page's host."""
        for part in self.usual(self.host[page]) if self.host else ():
            if part in text and (rest := without(text, part)) != text:
                return self.own(rest, page)
        return text

    def usual(self, host: int) -> Sequence[str]:
        """The parts that a quarter of the titles of a host have, and three at least."""
        if host not in self.known:
            first, last = self.starts[host], self.starts[host + 1]
            some = self.order[first : last : max((last - first) // LOOKED_AT, 1)].tolist()
            titles = [title for page in some if (title := spaced(self.titles[page]))]
            parts = Counter(part for title in titles for part in {*BETWEEN.split(title)} - {title})
            least = max(MANY * len(titles), FEWEST)
            self.known[host] = [part for part, many in parts.items() if part and many >= least]
        return self.known[host]


def spaced(text: str) -> str:
    """A text with one space between words."""
    return " ".join(text.split())


def without(text: str, part: str) -> str:
    """A text without a part that a sign sets apart at one of its ends; the same if there is none.

    Examples
    --------
    >>> without("OpenStack Docs: Glance", "OpenStack Docs")
    'Glance'
    >>> without("Glance - Installation", "Installation")
    'Glance'
    >>> without("Installation of Glance", "Installation")
    'Installation of Glance'
    """
    if text == part:
        return ""
    if text.startswith(part) and (gap := BETWEEN.match(text, len(part))):
        return text[gap.end() :]
    if text.endswith(part) and (gap := AT_END.search(text[: -len(part)])):
        return text[: gap.start()]
    return text
