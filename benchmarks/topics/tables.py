"""Results as tables: one row per method, means over seeds with standard deviations."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from benchmarks.side_by_side import table
from benchmarks.topics.kept import Kept
from benchmarks.topics.tasks import Extent, Measures, tasks

HEADS = ("found", "purity", "coverage", "precision", "nmi", "inside", "combined", "seconds")
DRIFT_HEADS = ("on topic", "support", "seconds")


@dataclass(frozen=True, slots=True)
class Tables:
    """The measures of one part: by group of webs and method, one for each seed or query."""

    part: str
    groups: Mapping[str, Mapping[str, Sequence[Measures]]]

    notes: Sequence[str] = ()

    @classmethod
    def of(cls, part: str, extent: Extent, kept: Sequence[Kept]) -> "Tables":
        """The saved results of a part, within an extent."""
        groups: dict[str, dict[str, list[Measures]]] = {}
        missing: Counter[str] = Counter()
        for task in tasks(part, extent):
            group = groups.setdefault(group_of(part, task.name), {})
            for each in kept:
                cases = each.cases or each.before
                if task.key in cases:
                    group.setdefault(each.method, []).append(cases[task.key])
                else:
                    missing[each.method] += 1
        left = [f"{name} ({count} webs)" for name, count in missing.items()]
        old = [each.method for each in kept if each.before and not each.cases]
        notes = {"Not measured yet": left, "Measured before the sources changed": old}
        lines = [f"{what}: {', '.join(names)}." for what, names in notes.items() if names]
        return cls(part, {name: group for name, group in groups.items() if group}, lines)

    def text(self) -> str:
        """All tables, with an overview first if the groups are comparable."""
        several = [self.overview()] if len(self.groups) > 1 and self.part != "drift" else []
        return "\n\n".join([*several, *(self.group(name) for name in self.groups), *self.notes])

    def overview(self) -> str:
        """The combined score of each method in each group."""
        names = dict.fromkeys(name for group in self.groups.values() for name in group)
        rows = [
            [name, *(spread(group.get(name, []), "combined") for group in self.groups.values())]
            for name in names
        ]
        return f"Combined score\n\n{table(['method', *self.groups], rows)}"

    def group(self, name: str) -> str:
        """All measures of one group of webs."""
        heads = list(DRIFT_HEADS if self.part == "drift" else HEADS)
        rows = []
        for method, measured in self.groups[name].items():
            cells = [spread(measured, head) for head in heads]
            if self.part != "drift":
                whole = sum(each["found"] == 1 for each in measured)
                cells.insert(1, f"{whole}/{len(measured)}")
            rows.append([method, *cells])
        if self.part != "drift":
            heads.insert(1, "all found")
        return f"*{name}*\n\n{table(['method', *heads], rows)}"


def group_of(part: str, name: str) -> str:
    """The group of a web: its collection for queries, otherwise the web itself."""
    return name.partition(":")[0] if part == "partitions" else name


def spread(measured: Sequence[Measures], head: str) -> str:
    """Mean and standard deviation; the latter only of several values, and not of time."""
    values = [each[head] for each in measured]
    if not values:
        return ""
    digits = 1 if head == "on topic" else 2
    mean = f"{fmean(values):.{digits}f}"
    return mean if len(values) < 2 or head == "seconds" else f"{mean} ± {pstdev(values):.{digits}f}"
