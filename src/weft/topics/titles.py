"""Titles of pages without the boilerplate that hosts repeat in many titles."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.core.arrays import Offsets
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.filters import encode_owners

MAX_SAMPLED_TITLES = 16
MIN_REPEATS = 3
MIN_REPEAT_SHARE = 0.25
SEPARATOR = re.compile(r"\s[-\u2013\u2014|\u00b7\u00bb:]+(?:\s|$)|:\s")
SEPARATOR_AT_END = re.compile(rf"(?:{SEPARATOR.pattern})$")
PLACEHOLDER_TITLE = re.compile(
    r"\W*(?:(?:(?:empty|no|untitled|new|blank)\W+)?(?:title|document|page)(?: field|\W*\d+)?"
    r"|untitled|index of /.*)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Titles:
    """The titles of a base set, and the title parts that are boilerplate on their hosts.

    `host_ids` is the host of each page; its pages are
    `pages_by_host[host_starts[host] : host_starts[host + 1]]`. Without titles
    there are no hosts.
    """

    titles: Sequence[str]
    host_ids: Sequence[int]
    pages_by_host: Offsets
    host_starts: Sequence[int]
    boilerplate_cache: dict[int, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def from_base_set(cls, base: BaseSet) -> "Titles":
        """The titles of a base set."""
        no_ids = np.zeros(0, np.int32)
        host_ids = encode_owners(base.graph.names, "host")[0] if len(base.titles) else no_ids
        order = np.argsort(host_ids, kind="stable")
        starts = np.searchsorted(host_ids[order], np.arange(int(host_ids.max(initial=-1)) + 2))
        return cls(base.titles, host_ids.tolist(), order, starts.tolist())

    def __getitem__(self, page: int) -> str:
        """The title of a page; empty for a placeholder such as "Untitled"."""
        title = collapse_spaces(self.titles[page]) if len(self.titles) else ""
        return "" if PLACEHOLDER_TITLE.fullmatch(title) else title

    def __len__(self) -> int:
        return len(self.titles)

    def strip_boilerplate(self, text: str, page: int) -> str:
        """Remove the boilerplate of the page's host from both ends of a text."""
        for part in self.host_boilerplate(self.host_ids[page]) if self.host_ids else ():
            if part in text and (shorter := remove_title_part(text, part)) != text:
                return self.strip_boilerplate(shorter, page)
        return text

    def host_boilerplate(self, host: int) -> Sequence[str]:
        """The parts that a quarter of the titles of a host share, and at least three."""
        if host not in self.boilerplate_cache:
            first, last = self.host_starts[host], self.host_starts[host + 1]
            sample = self.pages_by_host[
                first : last : max((last - first) // MAX_SAMPLED_TITLES, 1)
            ].tolist()
            titles = [title for page in sample if (title := collapse_spaces(self.titles[page]))]
            parts = Counter(
                part for title in titles for part in {*SEPARATOR.split(title)} - {title}
            )
            min_count = max(MIN_REPEAT_SHARE * len(titles), MIN_REPEATS)
            self.boilerplate_cache[host] = [
                part for part, count in parts.items() if part and count >= min_count
            ]
        return self.boilerplate_cache[host]


def collapse_spaces(text: str) -> str:
    """Replace runs of white space by one space."""
    return " ".join(text.split())


def remove_title_part(text: str, part: str) -> str:
    """Remove a part that a separator sets off at one end of a text.

    Examples
    --------
    >>> remove_title_part("OpenStack Docs: Glance", "OpenStack Docs")
    'Glance'
    >>> remove_title_part("Glance - Installation", "Installation")
    'Glance'
    >>> remove_title_part("Installation of Glance", "Installation")
    'Installation of Glance'
    """
    if text == part:
        return ""
    if text.startswith(part) and (separator := SEPARATOR.match(text, len(part))):
        return text[separator.end() :]
    if text.endswith(part) and (separator := SEPARATOR_AT_END.search(text[: -len(part)])):
        return text[: separator.start()]
    return text
