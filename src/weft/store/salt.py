"""The salts that visitors are hashed with: one per collection, outside of it."""

import os
import secrets
from pathlib import Path

from weft.core.errors import WeftError

SALT_BYTES = 32


def salt_folder() -> Path:
    """The folder of salts in the user's configuration folder."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    configuration = Path(home) if Path(home).is_absolute() else Path.home() / ".config"
    return configuration / "weft" / "salts"


def read_salt(salt_id: str) -> bytes | None:
    """The salt of an id; None where this user does not have it."""
    path = salt_folder() / salt_id
    try:
        salt = bytes.fromhex(path.read_text("ascii"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise WeftError(f"{path} is no salt", hint="restore it from a copy") from error
    if len(salt) != SALT_BYTES:
        raise WeftError(f"{path} is no salt", hint="restore it from a copy")
    return salt


def create_salt() -> str:
    """Create a salt that only this user can read; its id."""
    folder, salt_id = salt_folder(), secrets.token_hex(16)
    temporary = folder / f".{salt_id}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(SALT_BYTES))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / salt_id)
    except OSError as error:
        cure = "set XDG_CONFIG_HOME to a folder that can be written"
        raise WeftError(f"{folder} cannot be written ({error.strerror})", hint=cure) from error
    return salt_id
