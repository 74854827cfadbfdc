"""A web with known topics, and the agreement of found topics with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from weft.core.arrays import Flags, Floats, Ids
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import Group
from weft.groups.groups import Groups

FIRST = 10


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A base set, and the sets of pages that a method should find in it.

    A page may belong to several sets or to none. `right` marks the good
    authorities of the sets, if these are known. `known` marks the pages whose
    sets are known; a known page in no set belongs in no topic.
    """

    name: str
    base: BaseSet
    sets: Mapping[str, Flags]
    right: Flags
    known: Flags
    seed: int = 0

    @classmethod
    def of(cls, name: str, base: BaseSet, sets: Mapping[str, Flags], seed: int = 0) -> "Case":
        """A case where all is known, and every page of a set is a good authority of it."""
        every = np.ones(len(base), bool)
        return cls(name, base, sets, every, every, seed)

    @property
    def judged(self) -> Flags:
        """The known pages that have a link; the others count in no measure."""
        linked: Flags = self.base.graph.indegrees() + self.base.graph.outdegrees() > 0
        return linked & self.known

    def __repr__(self) -> str:
        return f"<Case {self.name}, seed {self.seed}: {self.base!r}, sets {', '.join(self.sets)}>"


@dataclass(frozen=True, slots=True)
class Score:
    """How well topics agree with known sets; each measure lies between 0 and 1.

    The first 2K topics count, where K is how many sets there are, and of their
    pages those with a link of which it is known where they belong. A topic's
    main set is the one that more than half of its pages belong to.

    `found` is the share of sets that are the main set of a topic. `purity` is
    the share of pages in topics that belong to the set with most pages in
    their topic. `coverage` is the share of a set's pages that are in topics
    whose main set it is, mean over sets. `precision` is the share of good
    authorities of the set among the first ten authorities of the first topic
    whose main set it is, zero where there is none, mean over sets; where a set
    has fewer than ten good authorities, as many count. `nmi` is the mutual
    information of topics and sets over the mean of their entropies; pages in
    no topic are a group of their own, as are pages in no set, a page in
    several topics is in the first of them, and pages in several sets are left
    out.

    `inside` is `precision` with every page of a set as a good authority; it is
    reported, but not part of the mean.
    """

    found: float
    purity: float
    coverage: float
    precision: float
    nmi: float
    inside: float = field(default=0.0)

    @property
    def combined(self) -> float:
        """The plain mean of the five measures."""
        return (self.found + self.purity + self.coverage + self.precision + self.nmi) / 5

    def to_dict(self) -> dict[str, float]:
        """The measures by name, `combined` among them."""
        own = {each.name: float(getattr(self, each.name)) for each in fields(self)}
        return {**own, "combined": self.combined}


def score(case: Case, topics: Groups | Sequence[Group]) -> Score:
    """Evaluate the topics that were found for a case."""
    kept = list(topics)[: 2 * len(case.sets)]
    judged = case.judged
    sets = np.array([flags & judged for flags in case.sets.values()]).reshape(-1, len(judged))
    members = [topic.members[judged[topic.members]] for topic in kept]
    counts = np.array([sets[:, own].sum(axis=1) for own in members]).reshape(-1, len(sets))
    sizes = np.array([len(own) for own in members], int)
    main = main_sets(counts, sizes)
    return Score(
        found=float(np.isin(np.arange(len(sets)), main).mean()),
        purity=float(counts.max(axis=1, initial=0).sum() / max(sizes.sum(), 1)),
        coverage=float(np.mean([covered(own, members, main == k) for k, own in enumerate(sets)])),
        precision=precision(kept, sets & case.right, main),
        nmi=shared_information(placed(members, len(judged))[judged], home(sets)[judged]),
        inside=precision(kept, sets, main),
    )


def main_sets(counts: np.ndarray, sizes: np.ndarray) -> Ids:
    """The set that more than half of a topic's pages belong to; -1 where there is none."""
    if not counts.size:
        return np.full(len(counts), -1, np.int32)
    best = counts.argmax(axis=1)
    return np.where(2 * counts.max(axis=1) > sizes, best, -1).astype(np.int32)


def covered(own: Flags, members: Sequence[Ids], chosen: Flags) -> float:
    """The share of a set's pages that are in some topics."""
    inside = np.zeros(len(own), bool)
    for pages, wanted in zip(members, chosen, strict=True):
        inside[pages] |= wanted
    return float((inside & own).sum() / max(own.sum(), 1))


def precision(topics: Sequence[Group], sets: np.ndarray, main: Ids) -> float:
    """How many of the first authorities of the first topic of each set are good, mean over sets."""
    shares = []
    for k, good in enumerate(sets):
        wanted = min(FIRST, int(good.sum()))
        at = np.flatnonzero(main == k)
        first = topics[at[0]].authorities(wanted) if len(at) else np.zeros(0, np.int32)
        shares.append(good[first].sum() / max(wanted, 1))
    return float(np.mean(shares))


def placed(members: Sequence[Ids], n: int) -> Ids:
    """The first topic that each page is in; -1 where it is in none."""
    found = np.full(n, -1, np.int32)
    for number in reversed(range(len(members))):
        found[members[number]] = number
    return found


def home(sets: np.ndarray) -> Ids:
    """The one set of each page; -1 where it is in none, -2 where it is in several."""
    several = sets.sum(axis=0)
    return np.where(several > 1, -2, np.where(several, sets.argmax(axis=0), -1)).astype(np.int32)


def shared_information(first: Ids, second: Ids) -> float:
    """Normalised mutual information of two partitions; pages with -2 in the second are left out.

    Two partitions with one group each share no information: the result is zero.
    """
    first, second = first[second != -2], second[second != -2]
    if not len(first):
        return 0.0
    _, rows = np.unique(first, return_inverse=True)
    _, columns = np.unique(second, return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1 / len(first))
    parts = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    mutual = sum(parts) - entropy(table.ravel())
    return float(max(2 * mutual / sum(parts), 0.0)) if sum(parts) > 0 else 0.0


def entropy(shares: Floats) -> float:
    """Shannon entropy in nats."""
    some = shares[shares > 0]
    return float(-(some * np.log(some)).sum())
