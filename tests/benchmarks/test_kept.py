"""Results that outlive a run, as long as nothing they depend on changes."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("graspologic_native")

from benchmarks.topics import kept, tables
from benchmarks.topics.tasks import Extent, part_methods, tasks, topic_methods


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "RESULTS", tmp_path)


def test_results_are_kept() -> None:
    kept.Kept.of("mixed", "atd").add("web | 0", {"found": 1.0})
    again = kept.Kept.of("mixed", "atd")
    assert again.cases == {"web | 0": {"found": 1.0}}
    assert again.before == {}
    assert kept.Kept.of("mixed", "tgm").cases == {}


def test_results_of_other_sources_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept.Kept.of("mixed", "atd").add("web | 0", {"found": 1.0})
    monkeypatch.setattr(kept, "digest_of", lambda _: "other")
    again = kept.Kept.of("mixed", "atd")
    assert (again.cases, again.before) == ({}, {"web | 0": {"found": 1.0}})
    again.add("web | 1", {"found": 0.0})
    assert kept.Kept.of("mixed", "atd").cases == {"web | 1": {"found": 0.0}}


def test_a_method_depends_on_what_it_stands_on() -> None:
    names = {path.name for path in kept.depends("mixed", "atd?min_size=5")}
    assert {"atd.py", "group.py", "case.py", "mixed.py"} <= names
    assert "tgm.py" not in names
    assert "expand.py" not in names
    assert "expand.py" in {path.name for path in kept.depends("demo", "atd")}


def test_variants_are_listed() -> None:
    kept.Kept.of("mixed", "atd").add("web | 0", {})
    kept.Kept.of("mixed", "atd?min_size=5").add("web | 0", {})
    assert kept.variants("mixed") == ["atd?min_size=5"]


def test_every_method_is_measured() -> None:
    names = topic_methods()
    assert {"hits", "tgm", "atd", "leiden", "text clusters", "phits"} <= set(names)
    assert len(part_methods("drift", [])) > len(names)
    assert part_methods("demo", ["atd"]) == ["atd"]


def test_tables_tell_mean_and_spread_and_what_is_missing() -> None:
    extent = Extent(seeds=2, paths=[Path("one"), Path("two")])
    drift = [task for task in tasks("drift", extent) if task.name == "one"]
    atd = kept.Kept.of("drift", "atd")
    for task, ten in zip(drift, (4.0, 8.0), strict=True):
        atd.add(task.key, {"on topic": ten, "support": 1.0, "seconds": 0.5})
    text = tables.Tables.of("drift", extent, [atd]).text()
    assert "| atd | 6.0 ± 2.0 | 1.00 ± 0.00 | 0.50 |" in text
    assert text.endswith("Not measured yet: atd (4 webs).")
    assert "two" not in text
    changed = replace(atd, cases={}, before=atd.cases)
    text = tables.Tables.of("drift", extent, [changed]).text()
    assert "| atd | 6.0 ± 2.0 |" in text
    assert text.endswith("Measured before the sources changed: atd.")
