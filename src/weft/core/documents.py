"""Values as a JSON document has them."""

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """The same of types that JSON has; where a number is not one, nothing.

    Examples
    --------
    >>> plain({"mean": math.nan, "pages": np.arange(2), "page": ("a", "b")})
    {'mean': None, 'pages': [0, 1], 'page': ['a', 'b']}
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
