"""Handlers for the methods: the list of all, and the card of one."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from weft.core.json import to_json_value
from weft.core.register import (
    DIMENSION_VALUES,
    METHODS,
    Algorithm,
    AnalysisScope,
    Application,
    Dimension,
    InputData,
    KnowledgeModel,
    Metric,
    find_method,
    format_citation,
    method_notes,
    methods_of,
)
from weft.server.params import (
    ClassifyParams,
    CommunitiesParams,
    NoParams,
    Params,
    RankingParams,
    SimilarPagesParams,
    StructureParams,
    SuggestedLinksParams,
    TopicsParams,
    UsageParams,
    params_for_method,
    selection_fields,
)
from weft.server.schemas.responses import ApiResponse, Schema
from weft.server.session import Session

MethodKind = Literal[
    "rank",
    "topics",
    "structure",
    "communities",
    "similar",
    "suggest",
    "classify",
    "crawl",
    "usage",
]


class MethodCardParams(Params):
    """Kind and name of a method."""

    kind: Annotated[MethodKind, Field(description="kind of the method")]
    name: Annotated[str, Field(max_length=50, description="name of the method")]


PARAMS_BY_KIND: dict[MethodKind, type[Params]] = {
    "rank": RankingParams,
    "topics": TopicsParams,
    "structure": StructureParams,
    "communities": CommunitiesParams,
    "similar": SimilarPagesParams,
    "suggest": SuggestedLinksParams,
    "classify": ClassifyParams,
    "crawl": NoParams,
    "usage": UsageParams,
}


class MethodOption(Schema):
    """An option of a method."""

    name: str
    parameter: str = Field(description="its name as a parameter of the method's routes")
    description: str
    default: Any
    json_schema: dict[str, Any] = Field(description="its JSON schema")


class MethodSummary(Schema):
    """A method in one line, with the dimensions that classify it."""

    kind: str
    name: str
    summary: str
    cites: str
    model: KnowledgeModel
    metric: Metric
    algorithm: Algorithm
    scope: AnalysisScope
    data: InputData
    applications: list[Application]


class MethodsResponse(ApiResponse):
    """All methods, the values of each dimension, and the options of base sets."""

    methods: list[MethodSummary]
    dimensions: dict[Dimension, list[str]]
    base_options: list[MethodOption]


class MethodCardResponse(ApiResponse, MethodSummary):
    """A method in full: description, formula, cost, limitations, options."""

    description: str
    formula: str
    cost: str
    limitations: str
    differences: str = Field(description="differences from the paper; empty if none are known")
    reference: str
    options: list[MethodOption]


def get_methods(session: Session, _params: NoParams) -> MethodsResponse:
    """All methods with their dimensions, and the options of base sets.

    The values of a dimension are in the order in which methods are grouped.
    """
    summaries = [
        MethodSummary(
            kind=m.kind, name=m.name, summary=m.summary, cites=m.cites, **m.dimensions.to_dict()
        )
        for _, m in sorted(METHODS.items())
    ]
    return MethodsResponse(
        snapshot=session.snapshot_number,
        methods=summaries,
        dimensions={name: list(values) for name, values in DIMENSION_VALUES.items()},
        base_options=_base_set_options(),
    )


def _base_set_options() -> list[MethodOption]:
    any_topics_method = next(iter(methods_of("topics").values()))
    params_class = params_for_method(TopicsParams, any_topics_method)
    return _describe_options(params_class, {name: name for name in selection_fields()})


def get_method_card(session: Session, params: MethodCardParams) -> MethodCardResponse:
    """A method with its formula, cost, limitations, options and reference."""
    method, notes = find_method(params.kind, params.name), method_notes(params.kind, params.name)
    params_class = params_for_method(PARAMS_BY_KIND[params.kind], method)
    return MethodCardResponse(
        snapshot=session.snapshot_number,
        kind=method.kind,
        name=method.name,
        summary=method.summary,
        cites=method.cites,
        description=method.description,
        formula=notes.formula,
        cost=notes.cost,
        limitations=notes.limitations,
        differences=notes.deviations,
        reference=format_citation(method.cites),
        **method.dimensions.to_dict(),
        options=_describe_options(params_class, params_class.parameter_by_option),
    )


def _describe_options(
    params_class: type[BaseModel], parameter_by_option: dict[str, str]
) -> list[MethodOption]:
    """Options with the JSON schema of the parameters that set them."""
    properties: dict[str, Any] = params_class.model_json_schema()["properties"]
    return [
        MethodOption(
            name=name,
            parameter=parameter,
            description=properties[parameter].pop("description", ""),
            default=to_json_value(properties[parameter].pop("default", None)),
            json_schema=properties[parameter],
        )
        for name, parameter in parameter_by_option.items()
    ]
