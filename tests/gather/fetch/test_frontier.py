"""The order of the frontier, its politeness, its limits, and what survives a crash."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import CollectionBusy
from weft.gather.fetch.frontier import (
    MAX_IN_FLIGHT,
    Capture,
    Claim,
    Content,
    Frontier,
    ScoredUrl,
)
from weft.gather.fetch.frontier_status import read_status
from weft.gather.fetch.scope import Scope
from weft.gather.fetch.warc_writer import ArchivePosition

links = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 12), st.sampled_from([0.0, 0.25, 0.5, 1.0])),
    max_size=40,
)


@pytest.fixture
def frontier(tmp_path: Path) -> Iterator[Frontier]:
    with Frontier(tmp_path / "f.sqlite") as opened:
        yield opened


def scored(*pairs: tuple[str, float]) -> list[ScoredUrl]:
    return [ScoredUrl(f"http://{url}", score) for url, score in pairs]


def drain(frontier: Frontier, now: float = 0.0) -> list[str]:
    """The URLs in the order in which they are popped, each server free at once."""
    order = []
    while (claim := frontier.pop(now)) is not None:
        order.append(claim.url.removeprefix("http://"))
        frontier.finish(claim)
        frontier.release(claim, now)
    return order


def pop(frontier: Frontier, now: float = 0.0) -> Claim:
    claim = frontier.pop(now)
    assert claim is not None
    return claim


def test_best_first_then_order_of_discovery(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/1", 0.5), ("b.x/2", 0.9), ("a.x/3", 0.5), ("c.x/4", 0.5)))
    assert drain(frontier) == ["b.x/2", "a.x/1", "a.x/3", "c.x/4"]
    assert frontier.is_empty


@given(links)
def test_order_is_that_of_a_priority_queue(pages: list[tuple[int, int, float]]) -> None:
    """With servers free at once: by score, the highest of all parents, then by discovery."""
    best: dict[str, float] = {}
    with TemporaryDirectory() as folder, Frontier(Path(folder) / "f") as frontier:
        for host, page, score in pages:
            url = f"h{host}.x/{page}"
            best[url] = max(score, best.get(url, score))
            frontier.add(scored((url, score)))
        assert drain(frontier) == sorted(best, key=lambda url: -best[url])


def test_a_better_parent_raises_the_score_and_a_worse_one_does_not(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/1", 0.5), ("a.x/2", 0.6)))
    frontier.add(scored(("a.x/1", 0.7), ("a.x/2", 0.1)))
    assert drain(frontier) == ["a.x/1", "a.x/2"]


def test_a_url_that_is_done_is_not_enqueued_again(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/1", 0.5)))
    drain(frontier)
    assert frontier.add(scored(("a.x/1", 0.9))) == 0
    assert frontier.pop(0.0) is None


def test_politeness_before_score(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/1", 1.0), ("a.x/2", 0.9), ("b.x/1", 0.1)))
    first, second = pop(frontier), pop(frontier)
    assert (first.url, second.url) == ("http://a.x/1", "http://b.x/1")
    frontier.release(first, 5.0)
    assert frontier.pop(4.9) is None
    assert frontier.next_ready() == 5.0
    assert pop(frontier, 5.0).url == "http://a.x/2"


def test_hosts_of_one_server_are_asked_in_turn(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/1", 1.0), ("b.x/1", 0.9), ("c.x/1", 0.8)))
    first = pop(frontier)
    assert frontier.join_group(first, "192.0.2.1")
    second = pop(frontier)
    assert second.url == "http://b.x/1"
    assert not frontier.join_group(second, "192.0.2.1")
    third = pop(frontier)
    assert third.url == "http://c.x/1"
    assert frontier.join_group(third, "192.0.2.2")
    assert frontier.pop(0.0) is None
    frontier.release(first, 3.0)
    assert frontier.pop(2.0) is None
    assert pop(frontier, 3.0).url == "http://b.x/1"


def test_at_most_sixteen_in_flight(frontier: Frontier) -> None:
    frontier.add(scored(*((f"h{k}.x/", 1.0) for k in range(40))))
    claims = [pop(frontier) for _ in range(MAX_IN_FLIGHT)]
    assert frontier.pop(0.0) is None
    frontier.refuse(claims[0], "robots.txt")
    assert frontier.pop(0.0) is not None
    assert frontier.status().refused == {"robots.txt": 1}


def test_rescoring_all_that_waits(frontier: Frontier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.gather.fetch.frontier.RESCORE_BATCH", 2)
    frontier.add(scored(("a.x/1", 0.9), ("b.x/2", 0.5), ("a.x/3", 0.1)))
    assert frontier.rescore(lambda urls: [url.id for url in urls]) == 3
    assert drain(frontier) == ["a.x/3", "b.x/2", "a.x/1"]


def test_rescoring_with_a_rebuilt_index(
    frontier: Frontier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.gather.fetch.frontier.MIN_INDEX_REBUILD", 1)
    frontier.add(scored(("a.x/1", 0.9), ("a.x/2", 0.5)))
    claim = pop(frontier)
    frontier.rescore(lambda urls: [1.0 for _ in urls])
    frontier.finish(claim, scored(("a.x/3", 2.0)))
    frontier.release(claim, 0.0)
    assert drain(frontier) == ["a.x/3", "a.x/2"]


def test_scores_are_replaced_also_by_lower_ones(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/1", 0.9), ("b.x/2", 0.5), ("a.x/3", 0.7)))
    claim = pop(frontier)
    new = scored(("a.x/1", 9.0), ("b.x/2", 0.1), ("a.x/3", 0.2), ("c.x/4", 1.0))
    assert frontier.replace_scores(new) == 2
    frontier.finish(claim, scored(("b.x/2", 0.15)))
    frontier.release(claim, 0.0)
    assert drain(frontier) == ["a.x/3", "b.x/2"]


@pytest.mark.parametrize("all_at_once", [True, False])
def test_a_score_that_was_lowered_can_rise_again(frontier: Frontier, *, all_at_once: bool) -> None:
    """A link that was worth less than the old score, and is worth more than the new one."""
    frontier.add(scored(("a.x/0", 1.0), ("a.x/1", 0.9), ("a.x/2", 0.5)))
    claim = pop(frontier)
    if all_at_once:
        frontier.rescore(lambda urls: [0.1 if url.score == 0.9 else url.score for url in urls])
    else:
        frontier.replace_scores(scored(("a.x/1", 0.1)))
    frontier.finish(claim, scored(("a.x/1", 0.7)))
    frontier.release(claim, 0.0)
    assert drain(frontier) == ["a.x/1", "a.x/2"]


def test_a_page_that_is_done_is_visited_again(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/1", 0.9), ("a.x/2", 0.5)))
    claim = pop(frontier)
    frontier.finish(claim)
    frontier.release(claim, 0.0)
    assert frontier.revisit(["http://a.x/1", "http://a.x/2", "http://a.x/3"], 0.7) == 1
    assert drain(frontier) == ["a.x/1", "a.x/2"]
    assert frontier.counts == (0, 0, 2, 0, 0)


def test_depth_parent_and_redirects(frontier: Frontier) -> None:
    frontier.add_seeds(["http://a.x/"])
    seed = pop(frontier)
    frontier.finish(seed, scored(("a.x/moved", 1.0)), is_redirect=True)
    frontier.release(seed, 0.0)
    moved = pop(frontier)
    assert (moved.depth, moved.redirects, frontier.url_of(moved.parent)) == (0, 1, "http://a.x/")
    frontier.finish(moved, scored(("a.x/link", 1.0)))
    frontier.release(moved, 0.0)
    link = pop(frontier)
    assert (link.depth, link.redirects) == (1, 0)


def test_endless_redirects_end(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f", Scope(max_redirects=3)) as frontier:
        frontier.add_seeds(["http://a.x/0"])
        for k in range(4):
            claim = pop(frontier)
            frontier.finish(claim, scored((f"a.x/{k + 1}", 1.0)), is_redirect=True)
            frontier.release(claim, 0.0)
        assert frontier.is_empty
        assert frontier.refusals.counts == {"too many redirects": 1}


def test_a_seed_that_moved_to_another_host_is_in_scope(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f", Scope(within="host")) as frontier:
        frontier.add_seeds(["http://a.x/"])
        claim = pop(frontier)
        frontier.finish(claim, scored(("www.a.x/", 1.0)), is_redirect=True)
        assert frontier.add(scored(("www.a.x/more", 1.0), ("b.x/", 1.0))) == 1
    with Frontier(tmp_path / "f", Scope(within="host")) as frontier:
        assert frontier.add(scored(("www.a.x/again", 1.0), ("c.x/", 1.0))) == 1


def test_budget_of_a_host(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f", Scope(per_host=2)) as frontier:
        frontier.add(scored(*((f"a.x/{k}", 1 / (k + 1)) for k in range(5)), ("b.x/", 0.0)))
        assert drain(frontier) == ["a.x/0", "a.x/1", "b.x/"]
        assert frontier.status().refused == {"host limit": 3}
        assert frontier.add(scored(("a.x/more", 1.0))) == 0
    with Frontier(tmp_path / "f", Scope(per_host=2)) as frontier:
        assert frontier.add(scored(("a.x/again", 1.0))) == 0


def test_a_host_that_cannot_be_reached_rests_and_is_given_up(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/1", 1.0), ("a.x/2", 0.5)))
    for rest in (3.0, 9.0, 0.0):
        claim = pop(frontier)
        assert claim.url == "http://a.x/1"
        assert frontier.postpone(claim, "connection refused", (3.0, 9.0)) == rest
        frontier.release(claim, 0.0)
    assert frontier.status().refused == {"unreachable: connection refused": 2}
    assert frontier.is_empty
    assert frontier.add(scored(("a.x/3", 1.0))) == 0
    frontier.add(scored(("b.x/1", 1.0), ("b.x/2", 0.5)))
    claim = pop(frontier)
    frontier.postpone(claim, "connection refused", (3.0,))
    frontier.release(claim, 0.0)
    assert drain(frontier) == ["b.x/1", "b.x/2"]


def test_unreachable_hosts_are_tried_again_by_the_next_run(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f") as frontier:
        frontier.add(scored(("a.x/1", 1.0), ("b.x/1", 0.5)))
        frontier.postpone(pop(frontier), "connection refused", ())
        frontier.refuse(pop(frontier), "robots.txt")
        assert frontier.is_empty
    with Frontier(tmp_path / "f") as frontier:
        assert drain(frontier) == ["a.x/1"]


def test_budget_of_a_pattern_takes_the_best_of_it(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f", Scope(per_pattern=2)) as frontier:
        frontier.add(scored(*((f"a.x/page/{k}", k / 10) for k in range(5)), ("a.x/about", 0.0)))
        assert drain(frontier) == ["a.x/page/4", "a.x/page/3", "a.x/about"]


def test_budget_of_a_calendar(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f", Scope(per_calendar=2)) as frontier:
        days = [(f"a.x/cal?year={2000 + k}&month=1", 1.0) for k in range(5)]
        frontier.add(scored(*days, *((f"a.x/page/{k}", 0.5) for k in range(5))))
        assert len(drain(frontier)) == 7


def test_content_is_known_once_its_page_is_done(frontier: Frontier) -> None:
    frontier.add(scored(("a.x/", 1.0)))
    claim = pop(frontier)
    assert frontier.first_capture("sha1:A") is None
    assert frontier.is_new_text("Some text")
    frontier.finish(claim, content=Content("sha1:A", Capture("http://a.x/", 5), "Some text"))
    assert frontier.first_capture("sha1:A") == ("http://a.x/", 5)
    assert not frontier.is_new_text("Some text")
    assert frontier.is_new_text("Some other text")


def test_reopening_requeues_what_was_in_flight(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f") as frontier:
        frontier.add(scored(("a.x/1", 1.0), ("b.x/2", 0.5), ("c.x/3", 0.4)))
        done, _ = pop(frontier), pop(frontier)
        frontier.finish(done, archived=ArchivePosition("weft-00001.warc.gz", 77))
    with Frontier(tmp_path / "f") as frontier:
        assert frontier.archived == ("weft-00001.warc.gz", 77)
        assert frontier.counts == (2, 0, 1, 0, 2)
        assert drain(frontier) == ["b.x/2", "c.x/3"]


KILLED = """
import os, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from weft.gather.fetch.frontier import Frontier, ScoredUrl
frontier = Frontier(Path(sys.argv[1]))
frontier.add(ScoredUrl(f"http://h{k % 50}.x/{k}", 1.0) for k in range(1000))
claims = [frontier.pop(0.0) for _ in range(16)]
for k, claim in enumerate(claims[:10]):
    frontier.finish(claim, [ScoredUrl(f"http://new.x/{k}", 1.0)])
os.kill(os.getpid(), 9)
"""


def test_kill_loses_nothing(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "f")], check=False)
    assert run.returncode == -9
    with Frontier(tmp_path / "f") as frontier:
        assert frontier.counts[:4] == (1000, 0, 10, 0)


def test_status_also_while_another_process_uses_it(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f") as frontier:
        frontier.add(scored(("a.x/1", 0.9), ("b.x/1", 0.1)))
        claim = pop(frontier)
        frontier.finish(claim, scored(("a.x/2", 0.5), ("a.x/3", 0.7)))
        frontier.release(claim, 0.0)
        refused = pop(frontier)
        frontier.refuse(refused, "robots.txt")
        status = read_status(tmp_path / "f")
        assert status == frontier.status()
        assert status.counts == frontier.counts == (2, 0, 1, 1, 2)
        assert status.hosts == (("a.x", 1, 0.5, 1), ("b.x", 1, 0.1, 0))
        assert status.best[0] == ("http://a.x/2", 0.5, 1 + 1, "http://a.x/1")
        assert status.refused == {"robots.txt": 1}
        assert read_status(tmp_path / "f", 1).best == status.best[:1]


def test_two_crawls_cannot_use_one_frontier(tmp_path: Path) -> None:
    with Frontier(tmp_path / "f"), pytest.raises(CollectionBusy, match="another crawl"):
        Frontier(tmp_path / "f")
    with Frontier(tmp_path / "f") as again:
        assert again.is_empty


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.floats(0, 1)), max_size=60))
def test_every_url_is_popped_once(steps: list[tuple[int, bool, float]]) -> None:
    """Whatever the order of insertions, pops and delays, no URL is lost or popped twice."""
    popped: list[str] = []
    with TemporaryDirectory() as folder, Frontier(Path(folder) / "f") as frontier:
        now, flying = 0.0, list[Claim]()
        for number, (host, adds, score) in enumerate(steps):
            now += score
            if adds:
                frontier.add(scored((f"h{host}.x/{number}", score)))
            elif (claim := frontier.pop(now)) is not None:
                if frontier.join_group(claim, f"server{host % 2}"):
                    flying.append(claim)
            elif flying:
                claim = flying.pop(0)
                frontier.finish(claim)
                frontier.release(claim, now + host)
                popped.append(claim.url)
        for claim in flying:
            frontier.finish(claim)
            frontier.release(claim, now)
            popped.append(claim.url)
        popped += [f"http://{url}" for url in drain(frontier, now + 100)]
        assert sorted(popped) == sorted(
            f"http://h{h}.x/{n}" for n, (h, a, _) in enumerate(steps) if a
        )
