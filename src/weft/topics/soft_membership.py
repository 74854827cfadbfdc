"""Soft membership: pages belong to the topics that their edges lead to."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets
from weft.kernels.affinity import sum_affinity_by_group

MIN_POSTERIOR = 0.8
MIN_MAIN_SHARE = 0.4
MIN_SECONDARY_SHARE = 1 / 3
MIN_SECONDARY_WEIGHT = 3.0
SMOOTHING_WEIGHT = 0.1


@dataclass(frozen=True, eq=False)
class PageTopicPairs:
    """The members of topics as parallel arrays (page, topic), sorted by page, then topic."""

    page_ids: Ids
    topic_ids: Ids
    page_count: int
    topic_count: int

    @classmethod
    def from_mask(cls, mask: Flags) -> "PageTopicPairs":
        """From a matrix that says for each page (row) and topic (column) whether it is a member."""
        page, topic = np.nonzero(mask)
        return cls(page.astype(np.int32), topic.astype(np.int32), *mask.shape)

    def select(self, mask: Flags) -> "PageTopicPairs":
        """The pairs that a mask selects."""
        return PageTopicPairs(
            self.page_ids[mask], self.topic_ids[mask], self.page_count, self.topic_count
        )

    @cached_property
    def page_starts(self) -> Offsets:
        """The start of the pairs of each page."""
        return np.searchsorted(self.page_ids, np.arange(self.page_count + 1))

    @property
    def kernel_arrays(self) -> tuple[Offsets, Ids, Ids]:
        """Page starts, pages and topics, as the kernels take them."""
        return self.page_starts, self.page_ids, self.topic_ids

    @cached_property
    def topic_order(self) -> Offsets:
        """The order of the pairs by topic, then page."""
        # a small integer type, which is sorted by radix sort
        return np.argsort(
            self.topic_ids.astype(np.min_scalar_type(self.topic_count)), kind="stable"
        )

    @cached_property
    def topic_starts(self) -> Offsets:
        """The start of each topic in `topic_order`, and the number of all pairs."""
        sizes = np.bincount(self.topic_ids, minlength=self.topic_count)
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])

    def indices_of_topic(self, topic: int) -> Offsets:
        """The indices of the pairs of a topic."""
        return self.topic_order[self.topic_starts[topic] : self.topic_starts[topic + 1]]

    def __getitem__(self, topic: int) -> Ids:
        pages: Ids = self.page_ids[self.indices_of_topic(topic)]
        return pages


@dataclass(frozen=True, slots=True, eq=False)
class GroupAffinity:
    """The total edge weight from each node (row) to each group (column).

    The last column is the weight to nodes of no group. The first `page_count`
    nodes are pages. `between_groups` sums the rows of each group.
    """

    page_count: int
    weights: Floats
    between_groups: Floats

    @classmethod
    def from_labels(cls, affinity: CSR, labels: Ids, page_count: int) -> "GroupAffinity":
        """Sum the edges of each node by the label of their other end; -1 is no group."""
        weights = (
            np.ones(len(affinity.ids), np.float32) if affinity.weights is None else affinity.weights
        )
        groups = int(labels.max(initial=-1)) + 1
        return cls(
            page_count,
            *sum_affinity_by_group(affinity.starts, affinity.ids, weights, labels, groups),
        )

    def assign_pages(self) -> PageTopicPairs:
        """Assign pages to groups.

        A page belongs to a group with at least 0.4 of its edge weight, if the
        posterior probability of that group is at least 0.8. It also belongs to
        other groups with a third of its edge weight, if that is at least 3.

        Examples
        --------
        >>> pair = CSR(np.array([0, 1, 2, 2]), np.array([1, 0], np.int32))
        >>> GroupAffinity.from_labels(pair, np.array([0, 0, -1], np.int32), 3).assign_pages()[
        ...     0
        ... ].tolist()
        [0, 1]
        """
        weights = self.weights[: self.page_count]
        share = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        is_main = (share >= MIN_MAIN_SHARE) & (
            group_posterior(weights, self.between_groups) >= MIN_POSTERIOR
        )
        is_secondary = (share >= MIN_SECONDARY_SHARE) & (weights >= MIN_SECONDARY_WEIGHT)
        return PageTopicPairs.from_mask((is_main | is_secondary)[:, :-1])

    def share_in_group(self, group: int, pages: Ids) -> float:
        """The share of the edge weight of some pages that leads to a group."""
        return float(self.weights[pages, group].sum() / max(self.weights[pages].sum(), 1e-12))


def group_posterior(page_weights: Floats, between_groups: Floats) -> Floats:
    """The posterior probability of each group given the edges of a page (naive Bayes).

    Edges are taken as independent draws from the profile of the group, its
    smoothed distribution of edge weight over groups; the prior is its volume.
    """
    volume = between_groups.sum(axis=1) + SMOOTHING_WEIGHT
    prior = volume / volume.sum()
    profile = (between_groups + SMOOTHING_WEIGHT * prior) / volume[:, None]
    log_posterior = page_weights @ np.log(profile / prior).T + np.log(prior)
    unnormalized = np.exp(log_posterior - log_posterior.max(axis=1, keepdims=True))
    posterior: Floats = unnormalized / unnormalized.sum(axis=1, keepdims=True)
    return posterior
