"""The reference of the library, from the signatures and docstrings of its public names."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cached_property
from inspect import Parameter, Signature, cleandoc, formatannotation, getattr_static, signature
from pkgutil import resolve_name
from typing import Any, Literal, Self, get_args, get_origin

from weft.core import errors

VERBS = {
    "Bring pages in, take them out": "add remove compact doctor refresh",
    "Look around": "search links page_table counts history collection",
    "Rank, and ask why": "rank why compare stability known_for",
    "Topics": "topics standing report",
    "Communities, structure, sites": "communities structure structure_report compare_sites",
    "Pages like a page, links it lacks": "similar suggest",
    "Graphs and files": "graph load export",
}
NOUNS = {
    "What a collection holds": "weft.store.collection:Collection weft.store.collection:Hits "
    "weft.run.ingest:Added weft.gather.page:Problems weft.graph.webgraph:WebGraph "
    "weft.graph.baseset:BaseSet",
    "Rankings": "weft.rank:Ranking weft.engine:Trace weft.rank:Certainty weft.rank:Why "
    "weft.run.explain:Explanation weft.rank:Comparison weft.rank:Stability weft.rank:KnownFor "
    "weft.rank:Judgements weft.rank:Evaluation weft.rank:Evaluations",
    "Topics": "weft.topics:Topics weft.topics:Topic weft.topics.evidence:Case "
    "weft.topics.evidence:Evidence weft.topics.standing:Standing",
    "Communities": "weft.communities:Communities weft.communities:Community weft.communities:Agora "
    "weft.communities.place:Place weft.communities:Agreement",
    "Structure": "weft.structure:Shape weft.structure:BowTie",
    "Likeness and links": "weft.suggest:Similar weft.suggest:Likeness weft.suggest:Suggestions "
    "weft.suggest:Suggestion weft.suggest:Witness",
    "Options": "weft.graph.options:BaseOptions weft.store.search:Span weft.gather.html:Reading "
    "weft.gather.url:Policy",
}
FUNCTIONS = (
    "weft.rank:compare weft.rank:evaluate weft.rank:read_ratings weft.rank:stability "
    "weft.rank:known_for weft.communities:agreement "
    "weft.communities:friends_of weft.communities:find_cores weft.topics.evidence:overlap "
    "weft.topics.labels:labelled weft.graph.views:subgraph weft.graph.views:from_pages "
    "weft.rank.measures:count_pairs weft.rank.measures:geometric weft.rank.measures:overlap "
    "weft.rank.measures:rbo weft.gather.url:canonical weft.gather.url:host weft.gather.url:domain "
    "weft.gather.url:site weft.gather.url:sort_key"
)
INNER = {  # what methods and doors use among themselves
    "Collection": "files once open path segment_folder text_index words",
    "Problems": "merge tell",
    "WebGraph": "flow once",
    "BaseSet": "named of read_anchors read_blocks read_said read_texts read_titles read_words said "
    "terms whole words",
    "Ranking": "look parts",
    "Explanation": "read_said",
    "Case": "about holding scoring",
    "BaseOptions": "checked",
}
LIBRARY = """
# Library

Written by `docs/library.py` from signatures and docstrings. [How to use it](../how-to/library.md).

`import weft`, then `weft.open(folder)` gives a `Workspace`, which reads nothing until asked;
`weft.__version__` is the version. `**options` are those of the [method](../methods.md). Tables are
Arrow tables; `to_pandas` and `to_polars`, where there are any, take what `to_table` takes.
"""
METHODS_TOO = """
These need no collection. Methods do not either: `from weft.rank import hits`, then `hits(links)`,
where links are a `WebGraph`, a SciPy matrix, a NetworkX graph, an Arrow or pandas table with the
columns `source` and `target`, or pairs of names.
"""


def library() -> str:
    """Every public name of the library, with what it takes and what it says of itself."""
    workspace = resolve_name("weft.run.workspace:Workspace")
    told = [name for names in VERBS.values() for name in names.split()]
    if missed := set(told) ^ set(_calls(workspace)):
        raise SystemExit(f"VERBS and Workspace do not agree on {', '.join(missed)}")
    parts = [LIBRARY.strip(), "## Workspace", _said(workspace)]
    for heading, names in VERBS.items():
        parts += [f"### {heading}", _members(workspace, names.split())]
    for heading, paths in NOUNS.items():
        parts.append(f"## {heading}")
        for path in paths.split():
            parts += _noun(path, resolve_name(path))
    parts += [
        "## Functions",
        METHODS_TOO.strip(),
        _table(map(_function, FUNCTIONS.split())),
    ]
    parts += ["## Errors", "In `weft.core.errors`.", _table(_errors())]
    return "\n\n".join(parts) + "\n"


def _errors() -> Iterator[tuple[str, str]]:
    for name, error in vars(errors).items():
        if isinstance(error, type) and issubclass(error, Exception):
            yield f"`{name}`", _said(error)


def _fields(noun: Any) -> dict[str, Field[Any]]:
    inner = INNER.get(noun.__name__, "").split()
    return {f.name: f for f in fields(noun) if not f.name.startswith("_") and f.name not in inner}


def _calls(noun: type) -> list[str]:
    """The public names of a class that are no fields, nor what every table can become."""
    known = {f.name for f in fields(noun)} | {"to_pandas", "to_polars"}
    known |= set(INNER.get(noun.__name__, "").split())
    return [name for name in dir(noun) if not name.startswith("_") and name not in known]


def _noun(path: str, noun: type) -> Iterator[str]:
    """A class: what it says of itself, its fields, and what it can do."""
    own, calls, parent = _fields(noun), _calls(noun), noun.__mro__[1]
    yield f"### {noun.__name__}"
    if is_dataclass(parent):
        own = {name: field for name, field in own.items() if name not in _fields(parent)}
        calls = [name for name in calls if name in vars(noun)]
        yield f"`{path.replace(':', '.')}`, a `{parent.__name__}`. {_said(noun)}"
    else:
        yield f"`{path.replace(':', '.')}`. {_said(noun)}"
    if any(field.metadata for field in own.values()):
        rows = own.items()
        yield _table((f"`{n}={f.default!r}`", f.metadata["description"]) for n, f in rows)
    elif not is_dataclass(parent) and next(iter(own.values())).default is not MISSING:
        usual = ", ".join(f"{name}={_Plain(getattr(noun(), name))!r}" for name in own)
        yield f"`{noun.__name__}({usual})`"
    else:
        yield f"Fields: {', '.join(f'`{name}`' for name in own)}."
    if calls:
        yield _members(noun, calls)


def _members(noun: type, names: list[str]) -> str:
    """Some properties and methods of a class, and what their words may be."""
    rows, choices = [], dict[str, str]()
    for name in names:
        found = getattr_static(noun, name)
        if isinstance(found, property | cached_property):
            rows.append((f"`{name}`", _said(found)))
            continue
        called = signature(getattr(noun, name))
        own = [word for word in called.parameters.values() if word.name != "self"]
        choices |= {word.name: _choice(word) for word in own if _choice(word)}
        gives = called.return_annotation
        words = _spelled(own, noun.__name__ if gives is Self else gives)
        rows.append((f"`{name}{words}`", _said(found)))
    told = [f"`{name}` is {words}" for name, words in choices.items()]
    return "\n\n".join([_table(rows), *([f"{'; '.join(told)}."] if told else [])])


def _function(path: str) -> tuple[str, str]:
    found = resolve_name(path)
    called = signature(found)
    words = _spelled(called.parameters.values(), called.return_annotation)
    return f"`{path.replace(':', '.')}{words}`", _said(found)


def _spelled(words: Iterable[Parameter], gives: Any) -> str:
    """A signature without its types: names, defaults, and what comes back."""
    told = [
        word.replace(annotation=Parameter.empty, default=_Plain(word.default))
        if word.default is not Parameter.empty
        else word.replace(annotation=Parameter.empty)
        for word in words
    ]
    named = gives if isinstance(gives, str) else formatannotation(gives)
    plain = re.sub(r"(?:\w+\.)+(?=\w)", "", named)
    plain = re.sub(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[\w+\]\]", "array", plain)
    return f"{Signature(told)} -> {plain}".replace("'", '"')


class _Plain:
    """A default, spelled short: of options that are all as usual, the name alone."""

    def __init__(self, default: object) -> None:
        self.default = default

    def __repr__(self) -> str:
        told = repr(self.default)
        return f"{type(self.default).__name__}()" if is_dataclass(self.default) else told


def _choice(word: Parameter) -> str:
    """The words that an argument may be, where these are known."""
    kind = word.annotation
    known = get_args(kind) if get_origin(kind) is Literal else ()
    return " or ".join(filter(None, (", ".join(known[:-1]), *known[-1:])))


def _said(thing: Any) -> str:
    """What something says of itself, in one line, without its examples."""
    words = cleandoc(thing.__doc__ or "").partition("\n\nExamples\n")[0]
    return " ".join(words.split())


def _table(rows: Iterable[tuple[str, str]]) -> str:
    told = [f"| {call.replace('|', chr(92) + '|')} | {words} |" for call, words in rows]
    return "\n".join(["| name | meaning |", "|---|---|", *told])
