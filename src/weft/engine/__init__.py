"""Run the few loops that need speed, on plain arrays."""

from weft.engine.iterate import Trace, unit

__all__ = ["Trace", "unit"]
