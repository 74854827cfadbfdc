"""URLs of many segments, each at its place among all."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from weft.store.mapped import Scratch
from weft.store.urls import URLS, all_urls


@given(st.lists(st.sets(st.integers(0, 40), max_size=9), max_size=12))
def test_urls_of_many_segments_are_placed_among_all(parts: list[set[int]]) -> None:
    """Each segment spells the URLs its own way; the first to have one is believed."""
    with TemporaryDirectory() as name:
        folders = [Path(name) / str(k) for k in range(len(parts))]
        for k, (at, part) in enumerate(zip(folders, parts, strict=True)):
            at.mkdir()
            own = sorted(part)
            rows = {"key": [f"{n:03}" for n in own], "url": [f"{n} by {k}" for n in own]}
            schema = pa.schema({"key": pa.string(), "url": pa.string()})
            pq.write_table(pa.table(rows, schema), at / "urls.parquet")
        with Scratch(Path(name), URLS) as once:
            local = all_urls(folders, once)
            found = once.table().to_pydict()
    known = sorted(set().union(*parts))
    assert found["key"] == [f"{n:03}" for n in known]
    first = {n: next(k for k, part in enumerate(parts) if n in part) for n in known}
    assert found["url"] == [f"{n} by {first[n]}" for n in known]
    places = [[known.index(n) for n in sorted(part)] for part in parts]
    assert [ids.tolist() for ids in local] == places
