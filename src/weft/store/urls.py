"""The URLs of many segments as one list, in the order of reversed host and path."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.core.progress import track
from weft.store import segment as segments
from weft.store.distinct import distinct
from weft.store.mapped import Scratch

URLS = pa.schema({"key": pa.large_string(), "url": pa.large_string()})
BATCH = 1 << 17


def all_urls(folders: Sequence[Path], urls: Scratch) -> list[Ids]:
    """Add every URL once in the order of keys; each segment's URLs as places among them.

    A URL is taken as the first segment has it.
    """
    with Scratch(urls.folder, URLS) as every:
        starts = [0]
        for folder in track(folders, "urls", len(folders)):
            for batch in segments.batches(folder, "urls.parquet", URLS.names, BATCH):
                every.add(batch)
            starts.append(every.rows)
        return distinct(every, np.array(starts), urls)
