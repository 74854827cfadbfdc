"""Votes, against adding up one link after the other."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats, Ids, Offsets
from weft.kernels.votes import (
    recount_without_owners,
    score_members,
    split_votes_by_owner,
    topic_trust,
)

N, TOPICS = 6, 2
links = st.sets(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), min_size=1)
tables = st.lists(st.lists(st.booleans(), min_size=TOPICS, max_size=TOPICS), min_size=N, max_size=N)
owners = st.lists(st.integers(0, 3), min_size=N, max_size=N)


def members_of(inside: list[list[bool]]) -> tuple[Offsets, Ids, Ids]:
    page, topic = np.nonzero(np.array(inside))
    starts = np.searchsorted(page, np.arange(N + 1))
    return starts, page.astype(np.int32), topic.astype(np.int32)


def ends_of(pairs: set[tuple[int, int]]) -> tuple[Ids, Ids, Floats]:
    source, target = np.array(sorted(pairs), np.int32).T
    return source, target, np.linspace(0.5, 1, len(source))


@given(links, owners)
def test_the_links_of_one_owner_to_a_page_share_a_vote(
    pairs: set[tuple[int, int]], owner: list[int]
) -> None:
    out, back = sorted(pairs), sorted((b, a) for a, b in pairs)
    starts, in_starts = (
        np.searchsorted([a for a, _ in ends], np.arange(N + 1)) for ends in (out, back)
    )
    sources = np.array([a for _, a in back], np.int32)
    shared = Counter((owner[a], b) for a, b in pairs)
    found = split_votes_by_owner(starts, in_starts, sources, np.array(owner, np.int32))
    assert found.tolist() == [1 / shared[owner[a], b] for a, b in out]


@given(links, tables, st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=N, max_size=N))
def test_trust_is_the_share_of_good_members(
    pairs: set[tuple[int, int]], inside: list[list[bool]], relevance: list[float]
) -> None:
    known = ~np.isnan(relevance)
    goodness = np.where(known, relevance, 0.0)
    reached = np.eye(N)
    for a, b in pairs:
        reached[a, b] += 1
    good, known_targets = reached @ (goodness[:, None] * np.array(inside)), reached @ known
    mean_share = good.sum(axis=0) / max(known_targets.sum(), 1)
    found = topic_trust(ends_of(pairs), members_of(inside), goodness, known, 2.0, TOPICS)
    assert found == pytest.approx((good + 2 * mean_share) / (known_targets[:, None] + 2))


@given(links, tables)
def test_scores_are_means_with_prior_votes(
    pairs: set[tuple[int, int]], inside: list[list[bool]]
) -> None:
    trust = np.arange(1.0, N * TOPICS + 1).reshape(N, TOPICS)
    ends, members = ends_of(pairs), members_of(inside)
    votes = np.zeros((N, N))
    votes[ends[0], ends[1]] = ends[2]
    authority = votes.T @ trust / (votes.sum(axis=0)[:, None] + 10) * inside
    hub = (votes > 0) @ authority / ((votes > 0).sum(axis=1)[:, None] + 10)
    found = score_members(ends, members, trust, 10.0)
    assert found[0] == pytest.approx(authority[members[1:]])
    assert found[1] == pytest.approx(hub[members[1:]])


@given(links, tables, owners, st.lists(st.booleans(), min_size=8, max_size=8))
def test_votes_are_recounted_without_lost_owners(
    pairs: set[tuple[int, int]], inside: list[list[bool]], owner: list[int], gone: list[bool]
) -> None:
    ends, (starts, page, topic) = ends_of(pairs), members_of(inside)
    trust, lost = np.arange(1.0, N * TOPICS + 1).reshape(N, TOPICS), np.array(gone).reshape(4, 2)
    chosen = np.arange(0, len(page), 2)
    place = np.full(len(page), -1, np.int32)
    place[chosen] = np.arange(len(chosen))
    leading = np.arange(len(chosen)) % 3 == 0
    cast, left, votes = recount_without_owners(
        ends, (starts, page, topic), (place, leading), trust, np.array(owner, np.int32), lost
    )
    for k, at in enumerate(chosen.tolist()):
        mine = [(s, v) for s, t, v in zip(*ends, strict=True) if t == page[at]]
        for loss in range(2):
            stays = [(s, v) for s, v in mine if not lost[owner[s], loss]]
            assert left[loss, k] == pytest.approx(sum(v for _, v in stays))
            assert cast[loss, k] == pytest.approx(sum(v * trust[s, topic[at]] for s, v in stays))
    voters = {
        (int(topic[at]), owner[s])
        for k, at in enumerate(chosen.tolist())
        for s, t, _ in zip(*ends, strict=True)
        if leading[k] and t == page[at]
    }
    assert set(zip(*map(np.ndarray.tolist, np.nonzero(votes)), strict=True)) == voters
