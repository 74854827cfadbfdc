"""Arrays and bytes as files on storage that the driver and all executors see."""

import hashlib
import os
import re
import shutil
import tempfile
import uuid
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import fs

from weft.core.errors import BadParameter

REMOTE = re.compile(r"^[a-z][a-z0-9+.-]+://")


def is_remote(location: str) -> bool:
    """Whether a location is a URL, other than that of a local file."""
    return bool(REMOTE.match(location)) and not location.startswith("file:")


def absolute_location(location: str) -> str:
    """The URL of a location elsewhere, or the absolute path of one on this machine."""
    return location if is_remote(location) else file_system(location)[1]


@lru_cache(maxsize=16)
def file_system(location: str) -> tuple[Any, str]:
    """The file system of a location, and the path in it; `s3a` is Hadoop's name for `s3`."""
    url = re.sub(r"^s3[an]://", "s3://", location)
    if is_remote(url):
        try:
            system, path = fs.FileSystem.from_uri(url)
        except (ValueError, OSError) as error:
            hint = (
                f"{str(error).partition(':')[0]}; what can be read: s3a://, gs://, hdfs://, abfs://"
            )
            raise BadParameter(f"{location} cannot be read", hint=hint) from error
        return system, str(path)
    return fs.LocalFileSystem(), str(Path(location.removeprefix("file://")).absolute())


def _folder_of_copies() -> Path:
    """Where this machine keeps copies: the folder of an executor, which Spark deletes with it."""
    of_executor = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return Path(of_executor or tempfile.gettempdir()) / f"weft-blocks-{os.getuid()}"


def _map_array(path: Path) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:  # an empty file cannot be mapped
        return np.load(path, allow_pickle=False)


@dataclass(frozen=True, slots=True)
class ArrayFolder:
    """A folder of `.npy` files; a file appears complete, and the last writer of a name stays.

    Two attempts of one task write the same bytes, so that it does not matter whose stay.
    """

    location: str

    def subfolder(self, name: str) -> "ArrayFolder":
        """A folder in this one."""
        return ArrayFolder(f"{self.location}/{name}")

    def save(self, name: str, array: Any) -> None:
        """Write an array."""
        content = BytesIO()
        np.save(content, np.ascontiguousarray(array), allow_pickle=False)
        self.save_bytes(f"{name}.npy", content.getbuffer())

    def save_bytes(self, name: str, content: bytes | memoryview) -> None:
        """Write a file."""
        system, path = file_system(self.location)
        if is_remote(self.location):
            # An object is there when it is complete, and needs no folder: making one on S3
            # writes an empty object for each of its parents.
            with system.open_output_stream(f"{path}/{name}") as file:
                file.write(content)
            return
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / f".{uuid.uuid4().hex}"
        unfinished.write_bytes(content)
        unfinished.replace(folder / name)

    def load(self, name: str) -> Any:
        """Map an array; one on remote storage is read into memory."""
        if is_remote(self.location):
            system, path = file_system(self.location)
            with system.open_input_stream(f"{path}/{name}.npy") as file:
                return np.load(BytesIO(file.read()), allow_pickle=False)
        return _map_array(Path(file_system(self.location)[1]) / f"{name}.npy")

    def load_kept(self, name: str) -> Any:
        """Map an array that is read again and again; one on remote storage is copied once."""
        if not is_remote(self.location):
            return self.load(name)
        digest = hashlib.sha256(f"{self.location}/{name}".encode()).hexdigest()[:32]
        copy = _folder_of_copies() / f"{digest}.npy"
        if not copy.exists():
            system, path = file_system(self.location)
            copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished = copy.with_name(f".{uuid.uuid4().hex}")
            with (
                system.open_input_stream(f"{path}/{name}.npy") as source,
                unfinished.open("wb") as to,
            ):
                shutil.copyfileobj(source, to)
            unfinished.replace(copy)
        return _map_array(copy)

    def exists(self, name: str) -> bool:
        """Whether there is a file of this name."""
        system, path = file_system(self.location)
        return bool(system.get_file_info(f"{path}/{name}").type == fs.FileType.File)

    def remove(self) -> None:
        """Delete the folder and all that is in it."""
        system, path = file_system(self.location)
        if system.get_file_info(path).type == fs.FileType.Directory:
            system.delete_dir(path)
