"""Convert any value of a result to what JSON can hold."""

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

import numpy as np

JsonObject = dict[str, Any]


def to_json_value(value: Any) -> Any:
    """Convert to the types of JSON; NaN and infinite numbers become null.

    Examples
    --------
    >>> to_json_value({"mean": math.nan, "pages": np.arange(2), "page": ("a", "b")})
    {'mean': None, 'pages': [0, 1], 'page': ['a', 'b']}
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(name): to_json_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json_value(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_json_value(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
