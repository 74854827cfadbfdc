"""An access log to be read, and what is kept of it."""

from dataclasses import dataclass
from typing import Literal

from weft.gather.page import Problems

RobotRule = Literal["drop", "keep", "drop-suspects"]


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How an access log is read and cleaned.

    `log_format` is a format of Apache or nginx, for logs that are not recognised.
    `keep_users` tells visitors apart by user name where the log has one. Robots
    that declare themselves are dropped by default, suspects are marked. `salt`
    is the key of visitor hashes; without one, every run has its own.
    """

    log_format: str = ""
    keep_queries: bool = False
    keep_users: bool = False
    keep_assets: bool = False
    keep_errors: bool = False
    robots: RobotRule = "drop"
    salt: bytes = b""


@dataclass(frozen=True, slots=True)
class LogInput:
    """Where the rows of a log come from, and what is asked of them."""

    display_name: str
    base_url: str
    input_digest: str
    options: LogOptions
    problems: Problems
