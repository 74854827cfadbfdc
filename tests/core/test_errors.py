"""Errors say what is wrong and how to fix it."""

import pytest

from weft.core import errors
from weft.core.errors import (
    MAX_LISTED_NAMES,
    MAX_NAME_CHARS,
    CollectionBusy,
    DamagedFile,
    UnknownName,
    WeftError,
)


def test_a_similar_name_is_suggested_and_all_are_listed() -> None:
    error = UnknownName("method", "hitz", ["pagerank", "hits"])
    assert str(error) == "no method is called 'hitz'"
    assert error.hint == "did you mean 'hits'? known: pagerank, hits"


def test_a_long_list_is_cut_to_the_most_similar_names() -> None:
    known = [f"method-{k}" for k in range(500)]
    hint = UnknownName("method", "method-42x", known).hint
    assert hint.startswith("did you mean 'method-42'? known: ")
    listed = hint.partition("known: ")[2].split(", ")
    assert len(listed) == MAX_LISTED_NAMES + 1
    assert (listed[0], listed[-1]) == ("method-42", "…")
    assert UnknownName("method", "?", known).hint.startswith("known: method-")


def test_a_dissimilar_name_gets_the_hint_or_the_list() -> None:
    assert UnknownName("page", "xyz", ["hits"], hint="look around").hint == "look around"
    assert UnknownName("page", "hit", ["hits"], hint="look").hint == "did you mean 'hits'?"
    assert UnknownName("rank", "xyz", ["hits", "salsa"]).hint == "known: hits, salsa"
    assert UnknownName("page", "xyz", []).hint == "check the name"


def test_a_long_name_is_cut() -> None:
    message = str(UnknownName("page", "x" * 1000, []))
    assert "x" * MAX_NAME_CHARS + "…" in message
    assert "x" * (MAX_NAME_CHARS + 1) not in message


def test_all_errors_share_one_base_class() -> None:
    for error in (DamagedFile("a file is gone"), CollectionBusy("busy", hint="wait")):
        with pytest.raises(WeftError):
            raise error
    assert DamagedFile("a file is gone").hint.startswith("`weft doctor")


def test_the_docstring_shows_the_class_tree() -> None:
    def tree(parent: type[Exception], indent: str = "    ") -> list[str]:
        lines = [f"{indent}{'- ' if indent > '    ' else ''}{parent.__name__}"]
        for child in parent.__subclasses__():
            lines += tree(child, indent + "  ")
        return lines

    assert "\n".join(tree(WeftError)) in (errors.__doc__ or "")
