"""What every ranking method returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.engine import Trace
from weft.graph.webgraph import Names


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Pages with one or more scores; the first score orders them."""

    method: str
    pages: Sequence[str]
    scores: Mapping[str, Floats]
    trace: Trace

    def order(self, by: str = "") -> Ids:
        """Page numbers from best to worst; ties (to twelve digits) keep page order."""
        values = self.scores[by or next(iter(self.scores))]
        digits = np.round(values / max(values.max(initial=0), np.finfo(float).tiny), 12)
        return np.argsort(-digits, kind="stable").astype(np.int32)

    def to_table(self, by: str = "") -> pa.Table:
        """One row per page, best first: the page, then a column per score."""
        names = (
            self.pages.array if isinstance(self.pages, Names) else pa.array(self.pages, pa.string())
        )
        columns = {name: pa.array(values) for name, values in self.scores.items()}
        return pa.table({"page": names, **columns}).take(pa.array(self.order(by)))

    def to_pandas(self) -> Any:
        """The table as a pandas data frame."""
        return self.to_table().to_pandas()

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        first = next(iter(self.scores.values()))
        lead = f", led by {self.pages[int(first.argmax())]}" if len(self) else ""
        state = "" if self.trace.converged else ", not converged"
        return f"<Ranking of {len(self):,} pages by {self.method}{lead}{state}>"
