"""Entities: named groups of URL prefixes, such as all sites of one organisation.

The rules are a small TOML file of the collection. Every change writes the next file of the folder
`entities`; the last one is in force. Undoing writes the one before again, which remembers what was
before it, so that undoing again goes one change further back.
"""

import os
import re
import threading
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.core.csv_columns import parse_csv, read_csv_text
from weft.core.errors import BadParameter, CollectionBusy, MalformedFile, UnknownName, WeftError
from weft.core.text import is_one_line, shorten
from weft.gather.url import PORT_SUFFIX, UrlPolicy, canonicalize_url, reverse_host
from weft.store.arrow_files import SortedColumn
from weft.store.manifest import fsync_folder

ENTITIES_FOLDER = "entities"
FILE_NAME = re.compile(r"([0-9]{6})\.toml")
MAX_NAME_CHARS, MAX_PREFIX_CHARS = 200, 1_000
MAX_FILE_BYTES = 64 << 20
MAX_ATTEMPTS = 100
DefaultEntity = Literal["host", "domain", "site"]
SCHEME = re.compile(r"^[a-z]+://", re.IGNORECASE)
PREFIX_POLICY = UrlPolicy(index=False, session=False, tracking=False)
PREFIX = re.compile(r"[^\s/?#@*]+(?:/[^\s*#]*)?")
Specificity = tuple[int, int]  # of a longer host, then of a longer path
PageRanges = Sequence[tuple[int, int]]
LRU_STEM = re.compile(r"([sthpqf]):([^|]*)\|")


@dataclass(frozen=True, slots=True)
class Entity:
    """A named group of prefixes: hosts with their subdomains, or folders of a host."""

    name: str
    prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entities:
    """The entities of a collection; pages of none are grouped by `default`.

    `version` is the number of the file that they are from, zero where there is
    none, and `before` that of the rules that undoing puts in force. A longer
    prefix wins over a shorter one, so that entities may be nested.
    """

    entities: tuple[Entity, ...] = ()
    default: DefaultEntity = "host"
    version: int = 0
    before: int = 0

    def find(self, name: str) -> Entity:
        """The entity of a name."""
        for entity in self.entities:
            if entity.name == name:
                return entity
        raise UnknownName("entity", name, [entity.name for entity in self.entities])

    def to_table(self) -> pa.Table:
        """A row for each prefix, with the name of its entity."""
        rows = [
            {"name": entity.name, "prefix": prefix}
            for entity in self.entities
            for prefix in entity.prefixes
        ]
        schema = pa.schema([("name", pa.string()), ("prefix", pa.string())])
        return pa.Table.from_pylist(rows, schema)

    def with_added(self, name: str, prefixes: Iterable[str]) -> "Entities":
        """Add prefixes to an entity, which is new or known; others lose them."""
        return self.with_imported({name: prefixes})

    def with_imported(self, prefixes: Mapping[str, Iterable[str]]) -> "Entities":
        """Add the prefixes of many entities, by name."""
        owners = {prefix: entity.name for entity in self.entities for prefix in entity.prefixes}
        for name, given in prefixes.items():
            added = check_prefixes(given)
            check_name(name)
            for prefix in added:
                if owners.get(prefix) != name:
                    owners.pop(prefix, None)
                    owners[prefix] = name
        grouped: dict[str, list[str]] = {}
        for prefix, name in owners.items():
            grouped.setdefault(name, []).append(prefix)
        return replace(self, entities=_sorted(Entity(n, tuple(own)) for n, own in grouped.items()))

    def with_merged(self, name: str, others: Sequence[str]) -> "Entities":
        """Move the prefixes of others to an entity; the others are gone."""
        prefixes = [prefix for other in others for prefix in self.find(other).prefixes]
        if not prefixes:
            raise BadParameter("there is nothing to merge", hint="name the entities to merge")
        return self.with_added(name, prefixes)

    def with_split(self, name: str) -> "Entities":
        """Take an entity away: its pages are grouped by default again."""
        self.find(name)
        return replace(self, entities=tuple(e for e in self.entities if e.name != name))


def _sorted(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple(sorted(entities, key=lambda entity: (entity.name.casefold(), entity.name)))


def check_name(name: str) -> str:
    """Refuse an empty or overlong name, and one with line breaks or control characters."""
    if not name.strip() or len(name) > MAX_NAME_CHARS or not is_one_line(name):
        raise BadParameter(
            f"{name!r} is no name of an entity", hint="give a short text on one line"
        )
    return name


def check_prefixes(prefixes: Iterable[str]) -> tuple[str, ...]:
    """The prefixes in one form: without scheme, the host in lower case, no slash at the end.

    Examples
    --------
    >>> check_prefixes(["https://www.Example.com/", "example.org/~Ann/"])
    ('www.example.com', 'example.org/~Ann')
    """
    found: dict[str, None] = {}
    for given in prefixes:
        bare = SCHEME.sub("", given.strip())
        is_short = len(bare) <= MAX_PREFIX_CHARS and is_one_line(bare)
        if not is_short or not PREFIX.fullmatch(bare):
            hint = "write example.com, which covers its subdomains, or example.com/a"
            raise BadParameter(f"{shorten(given, MAX_NAME_CHARS)!r} is no prefix", hint=hint)
        found[_normalize_prefix(bare)] = None
    if not found:
        raise BadParameter("an entity needs a prefix", hint="such as example.com/blog")
    return tuple(found)


def _normalize_prefix(given: str) -> str:
    """A prefix as it begins canonical URLs, or as it is where it begins none."""
    bare = SCHEME.sub("", given.strip())
    url = canonicalize_url(f"http://{bare}", PREFIX_POLICY)
    return SCHEME.sub("", url or bare).rstrip("/")


def read_entities(folder: Path) -> Entities:
    """The entities in force; none where there are no rules."""
    versions = _versions(folder)
    return _read_file(folder / ENTITIES_FOLDER, max(versions)) if versions else Entities()


def _versions(folder: Path) -> list[int]:
    place = folder / ENTITIES_FOLDER
    names = [path.name for path in place.iterdir()] if place.is_dir() else []
    return sorted(int(match[1]) for name in names if (match := FILE_NAME.fullmatch(name)))


def _read_file(folder: Path, version: int) -> Entities:
    path = folder / f"{version:06d}.toml"
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise MalformedFile(path, "it is too large for a list of entities")
        document = tomllib.loads(path.read_text("utf-8"))
        entities = tuple(
            Entity(row["name"] + "", tuple(map(_normalize_prefix, row["prefixes"])))
            for row in document.get("entity", [])
        )
        default = document.get("default", "host")
        before = int(document.get("before", version - 1))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise MalformedFile(path, f"it does not list entities ({error})") from error
    if default not in get_args(DefaultEntity) or len({e.name for e in entities}) < len(entities):
        raise MalformedFile(path, "it has an unknown default, or a name twice")
    return Entities(_sorted(entities), default, version, before)


def change_entities(folder: Path, change: Callable[[Entities], Entities]) -> Entities:
    """Put changed rules in force; if another process changes them meanwhile, start again."""
    for _ in range(MAX_ATTEMPTS):
        rules = read_entities(folder)
        with suppress(FileExistsError):
            return write_entities(folder, change(rules), rules.version + 1)
    raise CollectionBusy("others change the entities all the time", hint="try again")


def write_entities(folder: Path, entities: Entities, version: int = 0) -> Entities:
    """Write the rules as the next version; they are in force when this returns.

    If a version is given, it must be new: `FileExistsError` says that it is not.
    """
    version = version or max(_versions(folder), default=0) + 1
    return _write_file(folder, replace(entities, version=version, before=version - 1))


def _write_file(folder: Path, entities: Entities) -> Entities:
    """Write the rules as the file of their version, which must be new."""
    place, version = folder / ENTITIES_FOLDER, entities.version
    place.mkdir(exist_ok=True)
    lines = [f"before = {entities.before}", f"default = {_quote(entities.default)}", ""]
    for entity in entities.entities:
        prefixes = ", ".join(map(_quote, entity.prefixes))
        lines += ["[[entity]]", f"name = {_quote(entity.name)}", f"prefixes = [{prefixes}]", ""]
    temporary = place / f".{version:06d}-{os.getpid()}-{threading.get_ident()}.toml"
    with temporary.open("w", encoding="utf-8") as file:
        file.write("\n".join(lines))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(temporary, place / f"{version:06d}.toml")  # fails if another writer was faster
    finally:
        temporary.unlink()
    fsync_folder(place)
    return entities


def undo_entities(folder: Path) -> Entities:
    """Put the rules before the last change in force again; before the first, there are none."""
    for _ in range(MAX_ATTEMPTS):
        rules = read_entities(folder)
        if not rules.version or (not rules.before and rules == _none_as(rules)):
            raise WeftError("there are no entities to undo", hint="`weft entities add` makes one")
        before = Entities()
        if rules.before:
            before = _read_file(folder / ENTITIES_FOLDER, rules.before)
        with suppress(FileExistsError):
            return _write_file(folder, replace(before, version=rules.version + 1))
    raise CollectionBusy("others change the entities all the time", hint="try again")


def _none_as(rules: Entities) -> Entities:
    return Entities(version=rules.version, before=rules.before)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def read_prefixes(source: Path) -> dict[str, list[str]]:
    """Prefixes by name from a CSV file, or from another collection."""
    if not source.is_dir():
        return read_entities_csv(source)
    theirs = read_entities(source).entities
    if not theirs:
        raise WeftError(f"{source} has no entities", hint="name a CSV file or a collection")
    return {entity.name: list(entity.prefixes) for entity in theirs if entity.prefixes}


def read_entities_csv(path: Path) -> dict[str, list[str]]:
    """Prefixes by name from CSV: columns name and prefix, or an export of Hyphe.

    Hyphe's columns are NAME and PREFIXES, which are URLs or LRUs separated by
    spaces; the case of headings does not matter.
    """
    return parse_entities_csv(read_csv_text(path), str(path))


def parse_entities_csv(text: str, path: str) -> dict[str, list[str]]:
    """Prefixes by name from the text of a CSV file, whose name is for messages."""
    rows = parse_csv(text, path)
    found: dict[str, list[str]] = {}
    for line, row in rows.items():
        if "name" not in row or not {"prefix", "prefixes"} & row.keys():
            raise WeftError(f"{path} has no columns name and prefix", hint="or name and prefixes")
        given = (row.get("prefixes") or row.get("prefix") or "").split()
        try:
            prefixes = check_prefixes(map(lru_to_prefix, given))
            found.setdefault(check_name(row["name"]), []).extend(prefixes)
        except WeftError as error:
            raise WeftError(f"line {line} of {path}: {error}", hint=error.hint) from error
    return found


def lru_to_prefix(text: str) -> str:
    """The prefix that an LRU of Hyphe stands for; other texts stay as they are.

    Examples
    --------
    >>> lru_to_prefix("s:http|h:com|h:example|h:www|p:blog|")
    'www.example.com/blog'
    """
    stems = LRU_STEM.findall(text)
    if not stems or "".join(f"{kind}:{value}|" for kind, value in stems) != text:
        return text
    values = {kind: [value for other, value in stems if other == kind] for kind in "thpq"}
    port = "".join(f":{value}" for value in values["t"] if value not in ("80", "443"))
    bare = "/".join([".".join(reversed(values["h"])) + port, *values["p"]])
    return f"{bare}?{values['q'][0]}" if values["p"] and values["q"] else bare


def entity_ranges(entity: Entity, keys: SortedColumn) -> list[tuple[Specificity, PageRanges]]:
    """The pages that each prefix of an entity covers, and how specific the prefix is.

    They are ranges of page numbers; what is nested in an entity is in its ranges too.
    """
    return [(_specificity(p), prefix_ranges(p, keys)) for p in entity.prefixes]


def entity_codes(entities: Entities, keys: SortedColumn) -> Ids:
    """The entity of each page by its place in the list, -1 for none; the longest prefix counts."""
    codes = np.full(len(keys), -1, np.int32)
    prefixes = [(p, k) for k, entity in enumerate(entities.entities) for p in entity.prefixes]
    prefixes.sort(key=lambda pair: (_specificity(pair[0]), pair[0]))
    for prefix, code in prefixes:
        for first, last in prefix_ranges(prefix, keys):
            codes[first:last] = code
    return codes


def _specificity(prefix: str) -> Specificity:
    host, _, path = prefix.partition("/")
    return host.count("."), len(path)


def prefix_ranges(prefix: str, keys: SortedColumn) -> PageRanges:
    """The page numbers of a host with its subdomains, or of a page, its folder and its queries."""
    authority, _, path = prefix.partition("/")
    host = PORT_SUFFIX.sub("", authority)
    key, port = reverse_host(host), authority[len(host) :]
    if not path and not port:
        return [(keys.insertion_point(f"{key[:-1]}."), keys.insertion_point(f"{key[:-1]}0"))]
    start = f"{key}{port}/{path}" if path else f"{key}{port}"
    ends = ((" ", "!"), ("/", "0"), ("?", "@"))  # each sign and the one after it
    return [(keys.insertion_point(start + a), keys.insertion_point(start + b)) for a, b in ends]
