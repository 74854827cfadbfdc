"""What every usage method returns."""

from dataclasses import dataclass

from weft.core.fact_sheet import FactSheet


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Usage(FactSheet):
    """What visitors do: facts, the tables behind them, and notes.

    The first table is the answer of the method, best rows first; a column that
    holds pages has their names.
    """
