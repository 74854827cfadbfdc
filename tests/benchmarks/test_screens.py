"""Screens are timed on a collection without cached results, which is still one."""

from benchmarks.screens import without_cache

from weft.workspace.workspace import Workspace


def test_a_collection_without_its_cache_answers_as_before(demo: Workspace) -> None:
    before = demo.rank("pagerank").to_table()
    (demo.folder / "results").mkdir(exist_ok=True)
    (demo.folder / "results" / "cached.npz").touch()
    with without_cache(demo.folder) as folder:
        other = Workspace(folder)
        assert not (folder / "results" / "cached.npz").exists()
        assert other.rank("pagerank").to_table() == before
        assert other.counts == demo.counts
    assert (demo.folder / "results" / "cached.npz").exists()
    (demo.folder / "results" / "cached.npz").unlink()
