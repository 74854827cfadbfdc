"""Progress is reported to the current listener only."""

from weft.core.progress import listener, track


def test_a_listener_gets_each_item() -> None:
    reports: list[tuple[str, int, int | None]] = []
    token = listener.set(lambda *report: reports.append(report))
    try:
        assert list(track("ab", "letters", 2)) == ["a", "b"]
    finally:
        listener.reset(token)
    assert reports == [("letters", 1, 2), ("letters", 2, 2)]
    assert list(track("ab", "letters")) == ["a", "b"]
