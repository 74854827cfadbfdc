"""The classifier of langid, with its model mapped from a file.

The model has 68 MB, of which a text uses little. py3langid reads all of it into memory, some of it
twice on the way.
"""

import lzma
import shutil
import struct
from functools import cache
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

COPIED_BYTES = 1 << 20
LENGTHS_OFFSET, HEAD_BYTES = 26, 30  # in the head of a member of a ZIP file


@cache
def language_identifier() -> Any:
    """The classifier; the first call unpacks its model to a temporary file without a name."""
    with TemporaryFile() as file:
        with lzma.open(MODEL_DIR / MODEL_FILE) as packed:
            shutil.copyfileobj(packed, file, COPIED_BYTES)
        arrays = _map_arrays(file)
    automaton = (arrays[name] for name in ("nextmove", "nextmove_row", "out_feat"))
    # a view of bytes, since the arrays begin anywhere in the file
    moves, rows, features = (memoryview(a).cast("B").cast(a.dtype.char) for a in automaton)
    classes = arrays["classes"].tolist()
    return LanguageIdentifier(arrays["ptc"], arrays["pc"], classes, moves, features, tk_row=rows)


def _map_arrays(file: IO[bytes]) -> dict[str, Any]:
    """The arrays of an uncompressed NPZ file, which stay in the file."""
    arrays: dict[str, Any] = {}
    with ZipFile(file) as members:
        places = {info.filename: info.header_offset for info in members.infolist()}
    for name, place in places.items():
        file.seek(place + LENGTHS_OFFSET)
        file.seek(place + HEAD_BYTES + sum(struct.unpack("<HH", file.read(4))))
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        arrays[name.removesuffix(".npy")] = np.memmap(file, dtype, "r", file.tell(), shape)
    return arrays
