"""Hands are lent one at a time, in turn, and first to whom they know."""

import asyncio
import os
from pathlib import Path

import pytest

from weft.run.workspace import Workspace
from weft.show.api.crew import CUT_SHORT, JSON, Crew, Hand, Reply


def crew(count: int) -> Crew:
    return Crew([Hand(Path(), Path()) for _ in range(count)])


def test_whoever_comes_first_is_served_first() -> None:
    async def script() -> None:
        some = crew(1)
        hand = await some.borrow("a")
        turns = [asyncio.create_task(some.borrow(word)) for word in "bc"]
        await asyncio.sleep(0)
        some.give_back(hand)
        assert await turns[0] is hand
        assert not turns[1].done()
        some.give_back(hand)
        assert await turns[1] is hand

    asyncio.run(script())


def test_a_hand_goes_back_to_the_subject_it_knows() -> None:
    async def script() -> None:
        some = crew(2)
        one, two = await some.borrow("jaguar"), await some.borrow("atari")
        some.give_back(one)
        some.give_back(two)
        assert await some.borrow("atari") is two

    asyncio.run(script())


def test_a_hand_that_was_stopped_knows_nothing() -> None:
    async def script() -> None:
        some = crew(2)
        one, two = await some.borrow("jaguar"), await some.borrow("atari")
        some.give_back(two)
        await one.stop()
        some.give_back(one)
        assert await some.borrow("jaguar") is two

    asyncio.run(script())


def test_whoever_leaves_the_line_takes_no_hand_along() -> None:
    async def script() -> None:
        some = crew(1)
        hand = await some.borrow("a")
        leaving = asyncio.create_task(some.borrow("b"))
        await asyncio.sleep(0)
        some.give_back(hand)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        assert some.idle == [hand]

    asyncio.run(script())


def test_hands_that_cannot_start_say_so_and_keep_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refuse(*_words: str, **_options: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)

    async def script() -> None:
        some = crew(2)
        await asyncio.gather(*await some.call_in())
        hand = await asyncio.wait_for(some.borrow("a"), 5)
        assert await hand.answer("search", {}, print) == CUT_SHORT
        await some.stop()

    asyncio.run(script())


def test_hands_are_lent_once_they_are_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    doors: dict[Hand, asyncio.Event] = {}

    async def answer(hand: Hand, *_asked: object) -> Reply:
        await doors[hand].wait()
        return Reply(200, JSON)

    async def start(_hand: Hand) -> None:
        pass

    async def script() -> None:
        some = crew(2)
        doors.update((hand, asyncio.Event()) for hand in some.hands)
        first, second = await some.call_in()
        turn = asyncio.create_task(some.borrow("a"))
        doors[some.hands[1]].set()
        assert await turn is some.hands[1]
        assert (first.done(), second.done()) == (False, True)
        assert not some.idle, "the other is not there yet"
        doors[some.hands[0]].set()
        await first
        assert some.idle == [some.hands[0]]

    monkeypatch.setattr(Hand, "answer", answer)
    monkeypatch.setattr(Hand, "start", start)
    asyncio.run(script())


def test_hands_start_all_at_once(demo: Workspace, tmp_path: Path) -> None:
    """Each is a process by the time that all are called, and ready a while later."""

    async def script() -> None:
        some = Crew([Hand(demo.folder, tmp_path) for _ in range(2)])
        coming = await some.call_in()
        assert all(hand.process is not None for hand in some.hands)
        assert not some.idle
        await asyncio.gather(*coming)
        assert {id(hand) for hand in some.idle} == {id(hand) for hand in some.hands}
        await some.stop()

    asyncio.run(script())


def test_hands_yield_to_the_server_and_hear_no_ctrl_c(demo: Workspace, tmp_path: Path) -> None:
    """Of one session, so that Linux heeds how nice they are, and of a group of their own."""

    async def script() -> None:
        process = await Hand(demo.folder, tmp_path).start()
        assert os.getsid(process.pid) == os.getsid(0)
        assert os.getpgid(process.pid) == process.pid
        process.kill()
        await process.wait()

    asyncio.run(script())
