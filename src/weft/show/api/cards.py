"""Answers about methods, from their one declaration."""

from typing import Any

from pydantic import BaseModel

from weft.core.dimensions import VALUES
from weft.core.documents import plain
from weft.core.methods import METHODS, find, reference
from weft.core.notes import notes
from weft.show.api.asks import Ask, Kind, MethodCard, Nothing, Rank, Topics, base_fields, for_method
from weft.show.api.desk import Desk
from weft.show.api.questions import Described, Groups, Missing, Nearby
from weft.show.api.shapes import Card, MethodLine, Methods, OptionCard

ASKED: dict[Kind, type[Ask]] = {
    "rank": Rank,
    "topics": Topics,
    "structure": Described,
    "communities": Groups,
    "similar": Nearby,
    "suggest": Missing,
}


def methods(desk: Desk, _ask: Nothing) -> Methods:
    """Every method in a line, the dimensions they are classified by, and the options of base sets.

    Of a dimension the values are in the order in which methods are grouped.
    """
    lines = [
        MethodLine(kind=m.kind, name=m.name, summary=m.summary, cites=m.cites, **m.dimensions.row())
        for _, m in sorted(METHODS.items())
    ]
    values = {dimension: list(known) for dimension, known in VALUES.items()}
    return Methods(snapshot=desk.snapshot, methods=lines, dimensions=values, base=_base())


def _base() -> list[OptionCard]:
    own = for_method(Topics, next(m for m in METHODS.values() if m.kind == "topics"))
    return _options(own, {name: name for name in base_fields()})


def card(desk: Desk, ask: MethodCard) -> Card:
    """What a method is, its formula, cost and pitfalls, its options, and whom it is due to."""
    method, about = find(ask.kind, ask.name), notes(ask.kind, ask.name)
    asked = for_method(ASKED[ask.kind], method)
    return Card(
        snapshot=desk.snapshot,
        kind=method.kind,
        name=method.name,
        summary=method.summary,
        cites=method.cites,
        words=method.words,
        formula=about.formula,
        cost=about.cost,
        fails=about.fails,
        differs=about.differs,
        reference=reference(method.cites),
        **method.dimensions.row(),
        options=_options(asked, asked.method_options),
    )


def _options(asked: type[BaseModel], named: dict[str, str]) -> list[OptionCard]:
    """Options by name, with the schema of the parameter that each is given as."""
    forms: dict[str, Any] = asked.model_json_schema()["properties"]
    return [
        OptionCard(
            name=name,
            parameter=parameter,
            description=forms[parameter].pop("description", ""),
            default=plain(forms[parameter].pop("default", None)),
            form=forms[parameter],
        )
        for name, parameter in named.items()
    ]
