"""Topics that people renamed, merged and hid."""

import json
import shutil
from pathlib import Path

import pytest

from weft.core.errors import BadParameter, DamagedFile, WeftError
from weft.groups.comparison import compare_groups
from weft.groups.groups import Groups
from weft.store.group_edits import (
    GROUP_EDITS_FILE,
    GroupEdit,
    append_group_edit,
    read_group_edits,
    undo_group_edit,
)
from weft.workspace.workspace import Workspace


@pytest.fixture
def workspace(demo: Workspace, tmp_path: Path) -> Workspace:
    """A copy of the demo web."""
    return Workspace(Path(shutil.copytree(demo.folder, tmp_path / "c.weft")))


def labels(found: Groups) -> list[str]:
    return [group.name for group in found]


def test_a_topic_is_renamed_for_all_methods(workspace: Workspace) -> None:
    before = workspace.topics("jaguar")
    workspace.edit_topic("jaguar", 2, rename="Second")
    after = workspace.topics("jaguar")
    assert labels(after) == [before[0].name, "Second", *labels(before)[2:]]
    assert before[1].name in after[1].note
    assert labels(workspace.topics("  JAGUAR ")) == labels(after)
    assert "Second" in labels(workspace.topics("jaguar", root_size=150))
    assert labels(workspace.topics("jaguar", edited=False)) == labels(before)
    assert "Second" in after.to_table()["label"].to_pylist(), "and in exports"


def test_merged_topics_have_the_pages_of_both(workspace: Workspace) -> None:
    before = workspace.topics("jaguar")
    workspace.edit_topic("jaguar", 3, merge_into=1)
    after = workspace.topics("jaguar")
    assert len(after) == len(before) - 1
    pages = set(before[0].members.tolist()) | set(before[2].members.tolist())
    assert set(after[0].members.tolist()) == pages
    assert after[0].name == before[0].name
    for role in ("authority", "hub"):
        scores = [group.scores_of(role, after[0].members) for group in (before[0], before[2])]
        assert (after[0].scores_of(role, after[0].members) == scores[0].clip(scores[1])).all()
    json.dumps(after.to_document())


def test_hidden_topics_are_set_aside_until_that_is_undone(workspace: Workspace) -> None:
    before = workspace.topics("jaguar")
    workspace.edit_topic("jaguar", 1, hide=True)
    after = workspace.topics("jaguar")
    assert labels(after) == labels(before)[1:]
    assert after.set_aside[-1].reason == "hidden by hand"
    workspace.undo_topic_edit("jaguar")
    assert labels(workspace.topics("jaguar")) == labels(before)
    with pytest.raises(WeftError, match="no change to undo"):
        workspace.undo_topic_edit("jaguar")


def test_changes_follow_one_another(workspace: Workspace) -> None:
    workspace.edit_topic("jaguar", 2, rename="Two")
    workspace.edit_topic("jaguar", 3, merge_into=2)
    workspace.edit_topic("jaguar", 2, rename="Both")
    found = workspace.topics("jaguar")
    assert found[1].name == "Both"
    assert "Two" not in found[1].note.split(";")[0]


def test_a_change_that_fits_nothing_is_noted(workspace: Workspace) -> None:
    edit = GroupEdit("topics", "jaguar", "hide", ("http://gone.example/",))
    append_group_edit(workspace.folder, edit)
    found = workspace.topics("jaguar")
    assert "1 more fit no topic" in found.notes[-1]
    assert len(found) == len(workspace.topics("jaguar", edited=False))


def test_a_cached_answer_of_the_server_is_not_old(workspace: Workspace, tmp_path: Path) -> None:
    from weft.server.session import Session  # noqa: PLC0415

    session = Session(workspace, tmp_path)
    session.refresh_snapshot()
    session.cache["x"] = 1
    workspace.edit_topic("jaguar", 2, rename="Second")
    session.refresh_snapshot()
    assert not session.cache


def test_a_line_that_was_altered_is_an_error(workspace: Workspace) -> None:
    workspace.edit_topic("jaguar", 1, rename="First")
    path = workspace.folder / GROUP_EDITS_FILE
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    assert len(read_group_edits(workspace.folder).edits) == 1, "a line cut by a crash is none"
    path.write_bytes(whole.replace(b"First", b"Worst"))
    with pytest.raises(DamagedFile):
        read_group_edits(workspace.folder)


@pytest.mark.parametrize(
    "edit",
    [
        GroupEdit("topics", "q", "rename", ("a",), label=" "),
        GroupEdit("topics", "q", "rename", (), label="x"),
        GroupEdit("topics", "q", "merge", ("a",)),
        GroupEdit("topics", "q", "rename", ("a",), label="x" * 121),
        GroupEdit("topics", "q", "rename", ("a",), label="\x1b[31m"),
        GroupEdit("topics", "q", "burn", ("a",)),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_kept_is_refused(tmp_path: Path, edit: GroupEdit) -> None:
    with pytest.raises(BadParameter):
        append_group_edit(tmp_path, edit)
    assert not (tmp_path / GROUP_EDITS_FILE).exists()


def test_undoing_names_what_was_undone(tmp_path: Path) -> None:
    for label in ("one", "two"):
        append_group_edit(tmp_path, GroupEdit("topics", "q", "rename", ("a",), label=label))
    assert undo_group_edit(tmp_path, "topics", "Q").label == "two"
    assert undo_group_edit(tmp_path, "topics", "q").label == "one"


def test_two_methods_are_compared(workspace: Workspace) -> None:
    first, other = workspace.topics("jaguar"), workspace.topics("jaguar", "hits")
    found = compare_groups(first, other)
    assert [pair.number for pair in found.pairs][: len(first)] == list(range(1, len(first) + 1))
    matched = [pair for pair in found.pairs if pair.number and pair.other]
    assert matched
    for pair in matched:
        mine, theirs = first[pair.number - 1], other[pair.other - 1]
        shared = set(first.base.page_names(mine.members)) & set(
            other.base.page_names(theirs.members)
        )
        assert pair.shared == len(shared)
        assert pair.jaccard == pytest.approx(
            len(shared) / (len(mine) + len(theirs) - len(shared)), abs=1e-4
        )
    same = compare_groups(first, first)
    assert all(pair.number == pair.other and pair.jaccard == 1 for pair in same.pairs)
    assert same.only_first == same.only_other == 0
    assert found.to_table().num_rows == len(found.pairs)
