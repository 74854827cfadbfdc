"""The register of methods: declared once, shown by library, CLI, API and UI."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from inspect import Parameter, signature
from typing import Any, Protocol, TypeVar

import pyarrow as pa
from pydantic import BaseModel, ValidationError, create_model

from weft.core.errors import BadParameter, UnknownName

F = TypeVar("F", bound="Callable[..., Result]")


class Result(Protocol):
    """What every method returns: it prints as one line and turns into a table."""

    def to_table(self) -> pa.Table:
        """One row per thing found, best first."""


@dataclass(frozen=True)
class Method:
    """A named analysis: what it runs, what it takes, whom it cites."""

    name: str
    kind: str
    run: Callable[..., Result]
    cites: str

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.run.__doc__ or "").partition("\n")[0]

    @property
    def takes(self) -> type:
        """The noun it works on: the type of its first parameter."""
        noun: type = next(iter(signature(self.run).parameters.values())).annotation
        return noun

    @cached_property
    def options(self) -> dict[str, Parameter]:
        """The keyword-only parameters, which are the options of every door."""
        found = signature(self.run).parameters.items()
        return {name: p for name, p in found if p.kind is Parameter.KEYWORD_ONLY}

    @cached_property
    def schema(self) -> type[BaseModel]:
        """A pydantic model of the options: validation and JSON schema in one."""
        fields: dict[str, Any] = {n: (p.annotation, p.default) for n, p in self.options.items()}
        return create_model(self.name, __config__={"extra": "forbid"}, **fields)

    def __call__(self, data: object, **options: object) -> Result:
        """Run with options from outside, checked first."""
        try:
            checked = self.schema(**options)
        except ValidationError as error:
            first = error.errors()[0]
            raise BadParameter(f"{self.name}: {first['loc'][0]}: {first['msg']}") from error
        return self.run(data, **dict(checked))


METHODS: dict[tuple[str, str], Method] = {}


def method(kind: str, name: str, *, cites: str) -> Callable[[F], F]:
    """Register a function as a method; the function itself is left untouched."""

    def register(function: F) -> F:
        if (kind, name) in METHODS:
            raise ValueError(f"{kind} {name} is declared twice")
        METHODS[kind, name] = Method(name, kind, function, cites)
        return function

    return register


def find(kind: str, name: str) -> Method:
    """Look a method up by kind and name."""
    if (kind, name) not in METHODS:
        raise UnknownName(kind, name, [n for k, n in METHODS if k == kind])
    return METHODS[kind, name]


def reference(key: str) -> str:
    """A citation as readers know it, from the register of references."""
    entries = (files("weft.core") / "references.bib").read_text("utf-8")
    found = re.search(rf"@\w+\{{{re.escape(key)},(.*?)\n\}}", entries, re.DOTALL)
    if found is None:
        raise UnknownName("reference", key, re.findall(r"@\w+\{(\w+),", entries))
    field = dict(re.findall(r"(\w+)\s*=\s*\{(.*?)\}(?=,|\s*$)", found[1], re.DOTALL))
    where = field.get("journal") or field.get("booktitle") or field.get("school") or ""
    return f"{field['author']} ({field['year']}). {field['title']}. {where}".strip()
