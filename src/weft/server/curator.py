"""Writes of the server: tags, entities, changes of topics.

One thread at a time; other processes may write too.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from weft.core.errors import WeftError
from weft.server.schemas.curate import (
    MAX_CONFLICTS,
    BatchSchema,
    EntitiesVersion,
    TagConflict,
    TagSchema,
    TagsImported,
    TagsImportWords,
    TagsWords,
    UndoWords,
)
from weft.server.schemas.groups import GroupEditNumber, GroupEditWords, UndoGroupEditWords
from weft.store.entities import Entities, change_entities, undo_entities
from weft.store.group_edits import GroupEdit, append_group_edit, undo_group_edit
from weft.store.manifest import CommitStamp, read_commit_stamp
from weft.store.tags import Tag, append_tags, parse_tags_csv, undo_tags
from weft.workspace.curate import add_tags_of_others, find_target
from weft.workspace.workspace import Workspace


@dataclass(slots=True, eq=False)
class Curator:
    """Sets tags and entities of a collection; what is done is on disk when a call returns."""

    folder: Path
    _workspace: Workspace = field(init=False)
    _stamp: CommitStamp = (0, 0, 0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._workspace = Workspace(self.folder)

    @contextmanager
    def _writing(self) -> Iterator[Workspace]:
        """The collection at its last commit, for one writer at a time."""
        with self._lock:
            stamp = read_commit_stamp(self.folder)
            if stamp != self._stamp:
                self._workspace.refresh()
                self._stamp = stamp
            try:
                yield self._workspace
            except OSError as error:
                hint = "see that there is space, and that the folder can be written"
                raise WeftError(f"the disk fails: {error.strerror}", hint=hint) from error

    def tag(self, words: TagsWords) -> BatchSchema:
        """Set tags as one batch."""
        with self._writing() as workspace:
            tags = [
                Tag(
                    *find_target(workspace.collection, each.target, each.scope),
                    each.facet,
                    each.value,
                    words.by,
                    each.why,
                )
                for each in words.tags
            ]
            return BatchSchema(batch=append_tags(self.folder, tags), tags=len(tags))

    def import_tags(self, words: TagsImportWords) -> TagsImported:
        """Add the tags of others, and say where they differ."""
        theirs = parse_tags_csv(words.csv, "the file")
        with self._writing() as workspace:
            count, conflicts = add_tags_of_others(
                workspace.collection, theirs, keep_ours=not words.theirs
            )
        pairs = [
            TagConflict(ours=TagSchema(**ours.to_row()), theirs=TagSchema(**other.to_row()))
            for ours, other in conflicts[:MAX_CONFLICTS]
        ]
        return TagsImported(tags=count, conflicts=len(conflicts), theirs=words.theirs, rows=pairs)

    def undo(self, words: UndoWords) -> BatchSchema:
        """Undo a batch of tags."""
        with self._writing():
            batch = undo_tags(self.folder, words.by, words.batch)
            return BatchSchema(batch=batch.number, tags=len(batch.tags))

    def change_entities(self, change: Callable[[Entities], Entities]) -> EntitiesVersion:
        """Change the rules for entities."""
        with self._writing():
            return _describe(change_entities(self.folder, change))

    def edit_group(self, words: GroupEditWords) -> GroupEditNumber:
        """Rename, merge or hide a topic or community."""
        with self._writing():
            edit = GroupEdit(
                **{**words.model_dump(), "pages": tuple(words.pages), "into": tuple(words.into)}
            )
            return GroupEditNumber(number=append_group_edit(self.folder, edit))

    def undo_group_edit(self, words: UndoGroupEditWords) -> GroupEditNumber:
        """Undo the last change of the topics or communities of a query."""
        with self._writing():
            edit = undo_group_edit(self.folder, words.kind, words.query, words.level)
            return GroupEditNumber(number=edit.number)

    def undo_entities(self) -> EntitiesVersion:
        """Put the rules before the last change in force again."""
        with self._writing():
            return _describe(undo_entities(self.folder))


def _describe(rules: Entities) -> EntitiesVersion:
    return EntitiesVersion(version=rules.version, entities=len(rules.entities))
