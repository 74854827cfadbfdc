"""Groups as people changed them: renamed, merged, hidden."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from weft.core.arrays import Floats
from weft.core.text import pluralise
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups, count_links
from weft.store.group_edits import MAX_PAGES, GroupEdit

HIDDEN_REASON = "hidden by hand"


def apply_edits(groups: Groups, edits: Sequence[GroupEdit]) -> Groups:
    """The groups with the changes made to them; hidden ones are set aside.

    A change applies to the group that shares most leading pages with it, at
    least half of them; one that fits no group is noted. What the method called
    a renamed group stays in its note.
    """
    kept, hidden, missed = list(groups.groups), list[Group](), 0
    for edit in edits:
        at = _find(groups, kept, edit.pages)
        if at is None:
            missed += 1
        elif edit.action == "rename":
            kept[at] = _rename(kept[at], edit.label)
        elif edit.action == "hide":
            hidden.append(replace(kept.pop(at), reason=HIDDEN_REASON))
        else:
            other = _find(groups, kept, edit.into)
            if other is None or other == at:
                missed += 1
                continue
            kept[other] = _merge(groups, kept[other], kept[at])
            del kept[at]
    done = f"{pluralise(len(edits) - missed, 'change')} made by hand"
    note = f"{done}; {missed} more fit no {groups.noun}" if missed else done
    return replace(
        groups,
        groups=tuple(kept),
        set_aside=(*groups.set_aside, *hidden),
        notes=(*groups.notes, note),
    )


def leading_pages(groups: Groups, group: Group) -> list[str]:
    """The names of the leading authorities of a group, or of its hubs where it has none."""
    best = group.authorities(MAX_PAGES)
    return list(groups.base.page_names(best if len(best) else group.hubs(MAX_PAGES)))


def _find(groups: Groups, kept: Sequence[Group], pages: Sequence[str]) -> int | None:
    shared = [len(set(pages).intersection(leading_pages(groups, group))) for group in kept]
    best = int(np.argmax(shared)) if shared else 0
    return best if shared and 2 * shared[best] >= len(pages) else None


def _rename(group: Group, label: str) -> Group:
    was = f"renamed from {group.name}" if group.name else "named by hand"
    note = group.note if group.note.startswith("renamed from") else was
    return replace(group, label=(label,), note=note)


def _merge(groups: Groups, group: Group, other: Group) -> Group:
    """All members of two groups, each with the better of its scores; the name of the first."""
    members = np.union1d(group.members, other.members).astype(np.int32)

    def better(read: Callable[[Group], Floats | None]) -> Floats | None:
        values = [read(each) for each in (group, other)]
        if any(value is None for value in values):
            return None
        looked_up = [
            each.look_up(value, members)
            for each, value in zip((group, other), values, strict=True)
            if value is not None
        ]
        return np.maximum(*looked_up)

    authority, hub = better(lambda each: each.authority), better(lambda each: each.hub)
    assert authority is not None
    assert hub is not None
    uncaptured, first = np.unique(
        np.concatenate([group.uncaptured, other.uncaptured]), return_index=True
    )
    votes = np.concatenate([group.uncaptured_votes, other.uncaptured_votes])[first]
    order = np.argsort(-votes, kind="stable")
    merged = replace(
        group,
        members=members,
        authority=authority,
        hub=hub,
        strength=max(group.strength, other.strength),
        note="; ".join(filter(None, (group.note, f"merged with {other.name}"))),
        links=count_links(groups.base.graph, members) if group.links else None,
        stability=None,
        evidence={},
        micro_hubs=(*group.micro_hubs, *other.micro_hubs),
        trust=better(lambda each: each.trust),
        vote_score=better(lambda each: each.vote_score),
        uncaptured=uncaptured[order],
        uncaptured_votes=votes[order],
        subgroups=(*group.subgroups, *other.subgroups),
    )
    return add_site_diversity(groups.base, [merged])[0] if group.sites else merged
