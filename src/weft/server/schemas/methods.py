"""Responses about the registered methods and their options."""

from typing import Any

from pydantic import Field

from weft.core.register import (
    Algorithm,
    AnalysisScope,
    Application,
    Dimension,
    InputData,
    KnowledgeModel,
    Metric,
)
from weft.server.schemas.responses import ApiResponse, Schema


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
