"""Hands are lent one at a time, in turn, and first to whom they know."""

import asyncio
from pathlib import Path

from weft.show.api.crew import Crew, Hand


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
