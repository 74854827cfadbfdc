"""Merging sorted lists: each distinct key once, and where every row went."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.store import arrow_files as module
from weft.store.arrow_files import ScratchTable, merge_distinct_rows
from weft.store.numbering import URL_SCHEMA, merge_segment_urls


@given(st.lists(st.sets(st.integers(0, 40), max_size=9), max_size=12))
def test_urls_of_many_segments_are_merged(parts: list[set[int]]) -> None:
    """Segments spell URLs differently; the spelling of the first segment is taken."""
    with TemporaryDirectory() as name:
        folders = [Path(name) / str(k) for k in range(len(parts))]
        for k, (at, part) in enumerate(zip(folders, parts, strict=True)):
            at.mkdir()
            own = sorted(part)
            rows = {"key": [f"{n:03}" for n in own], "url": [f"{n} by {k}" for n in own]}
            schema = pa.schema({"key": pa.string(), "url": pa.string()})
            pq.write_table(pa.table(rows, schema), at / "urls.parquet")
        with ScratchTable(Path(name), URL_SCHEMA) as once:
            local = merge_segment_urls(folders, once)
            found = once.to_table().to_pydict()
    known = sorted(set().union(*parts))
    assert found["key"] == [f"{n:03}" for n in known]
    first = {n: next(k for k, part in enumerate(parts) if n in part) for n in known}
    assert found["url"] == [f"{n} by {first[n]}" for n in known]
    places = [[known.index(n) for n in sorted(part)] for part in parts]
    assert [ids.tolist() for ids in local] == places


SCHEMA = pa.schema({"word": pa.large_string(), "of": pa.int32()})
words = st.text(st.characters(codec="utf-8"), max_size=3)


@given(st.lists(st.sets(words, max_size=9), max_size=9), st.sampled_from([64, 128, 512, 1 << 24]))
def test_every_key_once_as_in_the_first_list(lists: list[set[str]], letters: int) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "RANGE_BYTES", letters)
        with ScratchTable(Path(name), SCHEMA) as every, ScratchTable(Path(name), SCHEMA) as once:
            starts = np.cumsum([0, *map(len, lists)])
            for k, own in enumerate(lists):
                every.append({"word": sorted(own), "of": [k] * len(own)})
            places = merge_distinct_rows(every, starts, once)
            found = once.to_table().to_pydict()
    known = sorted(set().union(*lists))
    first = [next(k for k, own in enumerate(lists) if word in own) for word in known]
    assert found == {"word": known, "of": first}
    where = [[known.index(word) for word in sorted(own)] for own in lists]
    assert [ids.tolist() for ids in places] == where
