"""Words of hosts and domains: those of their pages, added up."""

from collections.abc import Callable

import numpy as np

from weft.gather.page import Link, Page
from weft.run.analyse import View, look
from weft.run.level_words import MOST, added_up, with_words
from weft.run.workspace import Workspace
from weft.store.telling import Words

Keep = Callable[..., Workspace]


def said(words: Words, row: int) -> set[str]:
    inside = slice(words.rows.starts[row], words.rows.starts[row + 1])
    return {words.stems[int(k)].as_py().rpartition("/")[2] for k in words.rows.ids[inside]}


def shop(keep: Keep) -> Workspace:
    texts = {"a.org/1": "zebra", "a.org/2": "lion", "b.org/": "lion zebra", "c.org/": "tiger"}
    return keep(
        *(
            Page(
                f"http://{url}",
                text=f"{text} word",
                language="en",
                links=(Link("http://x.net/", ""),),
            )
            for url, text in texts.items()
        ),
        Page("http://d.org/", text="tiger and more", language="en"),
    )


def test_a_host_says_what_its_pages_say(keep: Keep) -> None:
    collection = shop(keep).collection
    base = with_words(collection, look(collection, View("host")).base)
    words = {name: said(base.words, k) for k, name in enumerate(base.pages)}
    assert words["a.org"] >= {"zebra", "lion"}
    assert words["b.org"] >= {"zebra", "lion"}
    assert "tiger" in words["c.org"] & words["d.org"]
    assert words["x.net"] == set()


def test_hosts_that_are_left_out_have_no_row(keep: Keep) -> None:
    collection = shop(keep).collection
    base = with_words(collection, look(collection, View.of("host", without=("a.org",))).base)
    assert "a.org" not in base.pages
    words = {name: said(base.words, k) for k, name in enumerate(base.pages)}
    assert "tiger" in words["c.org"]
    assert "tiger" not in words["b.org"]


def test_pages_stay_as_they_are(keep: Keep) -> None:
    collection = shop(keep).collection
    base = look(collection, View()).base
    assert with_words(collection, base) is base


def test_the_weightiest_are_kept() -> None:
    texts = [" ".join(f"w{chr(97 + k % 26)}{chr(97 + j)}" for j in range(20)) for k in range(10)]
    pages = Words.of([""] * 20, texts * 2, ["en"] * 20)
    owner = np.zeros(20, np.int32)
    assert len(added_up(pages, owner, 1).rows.ids) == min(MOST, len(pages.stems))
