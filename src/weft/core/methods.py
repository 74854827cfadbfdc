"""The register of methods: declared once, shown by library, CLI, API and UI."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from importlib.resources import files
from inspect import Parameter, cleandoc, signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

import pyarrow as pa

from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter, UnknownName
from weft.core.validate import check_options, options_model

if TYPE_CHECKING:
    from pydantic import BaseModel

P = ParamSpec("P")
R = TypeVar("R", bound="Result")


class Result(Protocol):
    """What every method returns: it prints as one line and turns into a table."""

    def to_table(self) -> pa.Table:
        """One row per thing found, best first."""


@dataclass(frozen=True)
class Method:
    """A named analysis: what it runs, what it takes, whom it cites, how it is classified."""

    name: str
    kind: str
    run: Callable[..., Result]
    cites: str
    dimensions: Dimensions

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.run.__doc__ or "").partition("\n")[0]

    @property
    def words(self) -> str:
        """The whole docstring but for its examples."""
        return cleandoc(self.run.__doc__ or "").partition("\n\nExamples\n")[0]

    @property
    def takes(self) -> type:
        """The noun it works on: the type of its first parameter."""
        noun: type = next(iter(signature(self.run).parameters.values())).annotation
        return noun

    @cached_property
    def options(self) -> dict[str, Parameter]:
        """The keyword-only parameters, which are the options of every door."""
        return {option.name: option for option in _options(self.run)}

    @cached_property
    def schema(self) -> "type[BaseModel]":
        """A pydantic model of the options: validation and JSON schema in one."""
        fields = {n: (p.annotation, p.default) for n, p in self.options.items()}
        return options_model(self.name, fields)

    def checked(self, options: Mapping[str, object], *, texts: bool = False) -> dict[str, Any]:
        """The same options, having seen that each is what it may be; `texts` are a command's."""
        found = check_options(self.name, self.schema, options, texts=texts)
        return {name: found[name] for name in options}

    def __call__(self, data: object, **options: object) -> Result:
        """Run with options, which are checked first."""
        return self.run(data, **options)


def options_of(other: Callable[..., Any]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a method that stands on another the other's options, with their defaults.

    Its own options come after these. It is called with all of them, given or not.
    """
    kept = _options(other)
    usual = {option.name: option.default for option in kept}

    def adorn(function: Callable[..., R]) -> Callable[..., R]:
        own = signature(function)
        first = next(iter(own.parameters.values()))

        @wraps(function)
        def run(data: Any, /, **given: Any) -> R:
            return function(data, **{**usual, **given})

        form = own.replace(parameters=[first, *kept, *_options(function)])
        run.__signature__ = form  # type: ignore[attr-defined]
        return run

    return adorn


def _options(function: Callable[..., Any]) -> list[Parameter]:
    every = signature(function).parameters.values()
    return [option for option in every if option.kind is Parameter.KEYWORD_ONLY]


METHODS: dict[tuple[str, str], Method] = {}


def method(
    kind: str, name: str, *, cites: str, dimensions: Dimensions
) -> Callable[[Callable[Concatenate[Any, P], R]], Callable[Concatenate[Any, P], R]]:
    """Register a function as a method.

    It takes what its noun can be made `of`, such as a NetworkX graph for a
    `WebGraph`. Every call checks its options against their declared types and
    ranges first. The result remembers the options used and whether it is
    about pages, hosts or domains.
    """

    def register(
        function: Callable[Concatenate[Any, P], R],
    ) -> Callable[Concatenate[Any, P], R]:
        if (kind, name) in METHODS:
            raise ValueError(f"{kind} {name} is declared twice")

        @wraps(function)
        def run(data: Any, /, *words: P.args, **options: P.kwargs) -> R:
            if words:
                cure = f"write {next(iter(declared.options), 'option')}=..."
                raise BadParameter(f"{name} takes its options by their names", hint=cure)
            used = check_options(name, declared.schema, options)
            taken = noun.of(data) if hasattr(noun, "of") else data
            result: R = function(taken, **used)  # type: ignore[call-arg]
            if "options" not in getattr(result, "__dataclass_fields__", ()):
                return result
            about = {"level": taken.level}
            return replace(result, options=used, provenance=about)  # type: ignore[type-var]

        declared = METHODS[kind, name] = Method(name, kind, run, cites, dimensions)
        noun: Any = declared.takes
        return run

    return register


def find(kind: str, name: str) -> Method:
    """Look a method up by kind and name."""
    if (kind, name) not in METHODS:
        known = [n for k, n in METHODS if k == kind]
        raise UnknownName("method", name, known, hint="`weft methods` lists them")
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
