"""A check that the contributions to every score add up to it."""

import pytest

from weft.rank import Ranking


def check_contributions(ranking: Ranking, within: float = 1e-9) -> None:
    """Every score of every page is the sum of its links and other sources."""
    assert set(ranking.contributions) == set(ranking.scores)
    for score in ranking.scores:
        for page in ranking.pages:
            breakdown = ranking.explain(page, score)
            total = breakdown.amounts.sum() + sum(breakdown.other_sources.values())
            assert total == pytest.approx(breakdown.score, abs=within)
