"""What a score is made of."""

import pytest

from weft.rank import Ranking


def check_parts(ranking: Ranking, within: float = 1e-9) -> None:
    """Every score of every page is what its links bring and the rest, added up."""
    assert set(ranking.parts) == set(ranking.scores)
    for score in ranking.scores:
        for page in ranking.pages:
            why = ranking.why(page, score)
            total = why.amounts.sum() + sum(why.rest.values())
            assert total == pytest.approx(why.score, abs=within)
