"""URLs of many segments, each at its place among all."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from weft.store.urls import all_urls


@given(st.lists(st.sets(st.integers(0, 40), max_size=9), min_size=1, max_size=12))
def test_urls_of_many_segments_are_placed_among_all(parts: list[set[int]]) -> None:
    """Each segment spells the URLs its own way; the first to have one is believed."""
    with TemporaryDirectory() as folder:
        folders = [Path(folder) / str(k) for k in range(len(parts))]
        for k, (at, part) in enumerate(zip(folders, parts, strict=True)):
            at.mkdir()
            rows = {"key": [f"{n:03}" for n in part], "url": [f"{n} by {k}" for n in part]}
            schema = pa.schema({"key": pa.string(), "url": pa.string()})
            pq.write_table(pa.table(rows, schema), at / "urls.parquet")
        keys, urls, local = all_urls(folders)
    known = sorted(set().union(*parts))
    assert keys.to_pylist() == [f"{n:03}" for n in known]
    first = {n: next(k for k, part in enumerate(parts) if n in part) for n in known}
    assert urls.to_pylist() == [f"{n} by {first[n]}" for n in known]
    assert [ids.tolist() for ids in local] == [[known.index(n) for n in part] for part in parts]
