"""What people change in topics and communities: names, merges, what is hidden.

They are a log, `group_edits.jsonl`. It is user data like the tags: nothing but appending to it is
ever done. A group is known by its leading pages, so that a change stays in force when the topics
are found anew, by another method or after pages were added.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from weft.core.errors import BadParameter, WeftError
from weft.core.text import CONTROL_CHARS
from weft.store.append_log import append_to_log, parse_log, read_line

GROUP_EDITS_FILE = "group_edits.jsonl"
Action = Literal["rename", "merge", "hide"]
ACTIONS: tuple[Action, ...] = get_args(Action)
MAX_LABEL_CHARS, MAX_URL_CHARS, MAX_PAGES = 120, 4_000, 10


@dataclass(frozen=True, slots=True)
class GroupEdit:
    """A change of one group of a query at a level.

    `pages` are the leading pages of the group. A renamed group gets a `label`,
    a merged one joins the group whose leading pages are `into`. `number` is
    that of the line in the log.
    """

    kind: str
    query: str
    action: Action
    pages: tuple[str, ...]
    label: str = ""
    into: tuple[str, ...] = ()
    level: str = "page"
    by: str = ""
    time: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class GroupEdits:
    """The changes of a collection, and the numbers of those that were undone."""

    edits: tuple[GroupEdit, ...] = ()
    undone: frozenset[int] = frozenset()

    def in_force(self, kind: str, query: str, level: str = "page") -> list[GroupEdit]:
        """The changes of the groups of a query, in the order in which they were made."""
        wanted = (kind, normalise_query(query), level)
        return [
            edit
            for edit in self.edits
            if edit.number not in self.undone
            and (edit.kind, normalise_query(edit.query), edit.level) == wanted
        ]


def normalise_query(query: str) -> str:
    """A query without case and superfluous spaces."""
    return " ".join(query.lower().split())


def check_edit(edit: GroupEdit) -> GroupEdit:
    """Refuse an unknown action, a group without pages, or an overlong text."""
    if edit.action not in ACTIONS:
        raise BadParameter(f"{edit.action!r} is no change of a topic", hint=", ".join(ACTIONS))
    if not edit.pages or (edit.action == "merge" and not edit.into):
        raise BadParameter("a topic is known by its leading pages", hint="name some of them")
    if len(edit.pages) > MAX_PAGES or len(edit.into) > MAX_PAGES:
        raise BadParameter("too many leading pages", hint=f"at most {MAX_PAGES}")
    if edit.action == "rename" and not edit.label.strip():
        raise BadParameter("a topic needs a name", hint="undo the renaming to have the old one")
    texts = [(edit.label, MAX_LABEL_CHARS), (edit.query, 2_000), (edit.by, 200)]
    texts += [(page, MAX_URL_CHARS) for page in (*edit.pages, *edit.into)]
    for text, limit in texts:
        if len(text) > limit or CONTROL_CHARS.search(text):
            hint = f"at most {limit:,} characters, and no control characters"
            raise BadParameter(f"{text[:40]!r} cannot be kept", hint=hint)
    return edit


def read_group_edits(folder: Path) -> GroupEdits:
    """The changes of topics and communities of a collection."""
    path = folder / GROUP_EDITS_FILE
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return GroupEdits()
    return _parse(data, path)


def _parse(data: bytes, path: Path) -> GroupEdits:
    lines = parse_log(data, path, _parse_line)
    return GroupEdits(
        tuple(line for line in lines if isinstance(line, GroupEdit)),
        frozenset(line for line in lines if isinstance(line, int)),
    )


def _parse_line(line: bytes, number: int) -> GroupEdit | int:
    """A change, or the number of the one that is undone."""
    document = read_line(line)
    if "undoes" in document:
        return int(document["undoes"])
    lists = {name: tuple(map(str, document[name])) for name in ("pages", "into")}
    return check_edit(GroupEdit(**{**document, **lists, "number": number}))


def append_group_edit(folder: Path, edit: GroupEdit) -> int:
    """Keep a change; the number of its line."""
    document = asdict(check_edit(replace(edit, time=edit.time or int(time.time()))))
    del document["number"]
    return append_to_log(folder / GROUP_EDITS_FILE, lambda _log: document)


def undo_group_edit(folder: Path, kind: str, query: str, level: str = "page") -> GroupEdit:
    """Undo the last change of the groups of a query that is in force."""
    chosen = list[GroupEdit]()
    if not read_group_edits(folder).in_force(kind, query, level):
        raise WeftError("there is no change to undo", hint="nothing of these topics was changed")

    def undo(data: bytes) -> dict[str, Any]:
        found = _parse(data, folder / GROUP_EDITS_FILE).in_force(kind, query, level)
        if not found:
            raise WeftError("there is no change to undo")
        chosen.append(found[-1])
        return {"undoes": found[-1].number}

    append_to_log(folder / GROUP_EDITS_FILE, undo)
    return chosen[0]


def leading(pages: Sequence[str]) -> tuple[str, ...]:
    """The leading pages that a group is known by."""
    return tuple(pages[:MAX_PAGES])
