"""What is asked of an address-space limit."""

import resource

import pytest

from weft.core.errors import WeftError
from weft.run.memory import NEEDED, live_within_limit


@pytest.mark.parametrize(
    ("limit", "enough"),
    [(resource.RLIM_INFINITY, True), (1 << 50, True), (NEEDED, False), (0, False)],
)
def test_a_limit_is_enough_or_told(
    monkeypatch: pytest.MonkeyPatch, limit: int, *, enough: bool
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    if enough:
        live_within_limit()
        return
    with pytest.raises(WeftError, match="MB of address space"):
        live_within_limit()
