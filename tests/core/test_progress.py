"""Progress is told to whoever listens, and to nobody else."""

from weft.core.progress import listener, track


def test_a_listener_hears_of_each_item() -> None:
    heard: list[tuple[str, int, int | None]] = []
    token = listener.set(lambda *told: heard.append(told))
    try:
        assert list(track("ab", "letters", 2)) == ["a", "b"]
    finally:
        listener.reset(token)
    assert heard == [("letters", 1, 2), ("letters", 2, 2)]
    assert list(track("ab", "letters")) == ["a", "b"]
