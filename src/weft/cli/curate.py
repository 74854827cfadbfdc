"""`weft tag`, `weft tags`, `weft entities` and `weft edit-topics`: curate a collection."""

import getpass
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.kinds import Folder, QueryArgument, join_query, reject_conflicting_options
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    with_examples,
    write_csv,
    write_rows,
)
from weft.core.errors import BadParameter
from weft.core.text import pluralise

if TYPE_CHECKING:
    import pyarrow as pa

    from weft.store.entities import Entities
    from weft.store.group_edits import GroupEdit

MAX_SHOWN_CONFLICTS = 10
ByOption = Annotated[
    str, typer.Option(help="who decides; default: your login name", show_default=False)
]
FileArgument = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="a CSV file, or -", show_default=False)
]


class Scopes(StrEnum):
    """What a tag can be set on."""

    page = "page"
    host = "host"
    domain = "domain"
    entity = "entity"
    pattern = "pattern"


class TagsAction(StrEnum):
    """What to do with all tags."""

    list = "list"
    import_ = "import"
    export = "export"
    undo = "undo"


class EntitiesAction(StrEnum):
    """What to do with the entities."""

    list = "list"
    add = "add"
    merge = "merge"
    split_ = "split"
    import_ = "import"
    export = "export"
    undo = "undo"


@with_examples(
    "weft tag mine.weft --set decision=in example.com",
    "weft tag mine.weft --set topic=science/physics https://example.org/a '*/physics/*'",
    "weft tag mine.weft --set decision= example.com",
)
def tag(
    folder: Folder,
    targets: Annotated[
        list[str],
        typer.Argument(metavar="URL…", help="pages, hosts, domains, entities, or patterns with *"),
    ],
    set_: Annotated[
        str,
        typer.Option("--set", metavar="FACET=VALUE", help="the tag; an empty value takes it away"),
    ],
    scope: Annotated[
        Scopes | None, typer.Option(help="what the URLs are; default: by their form")
    ] = None,
    by: ByOption = "",
    why: Annotated[str, typer.Option(help="a note on the reason", show_default=False)] = "",
) -> None:
    """Tag pages, hosts, domains, entities or patterns.

    Tags are inherited: a page has the tag of its domain, unless its host, its
    entity, a pattern or the page itself has another. `decision` is in, out or
    undecided; other facets are your own. Search with `tag:FACET=VALUE`; analyses
    take --only-tag and --exclude-tag.
    """
    from weft.store.tags import parse_facet_value
    from weft.workspace.workspace import Workspace

    facet, value = parse_facet_value(set_)
    count = Workspace(folder).tag(
        targets,
        facet,
        value,
        scope=scope.value if scope else None,
        by=by or login_name(),
        why=why,
    )
    print_note(f"{pluralise(count, 'tag')} set (weft tags undo {escape_for_terminal(folder)})")


@with_examples(
    "weft tags list mine.weft",
    "weft tags export mine.weft tags.csv",
    "weft tags import mine.weft others.csv",
    "weft tags undo mine.weft",
)
def tags(
    action: Annotated[TagsAction, typer.Argument(metavar="ACTION", help="what to do")],
    folder: Folder,
    file: FileArgument = None,
    theirs: Annotated[
        bool, typer.Option("--theirs", help="where imported tags differ, take them")
    ] = False,
    by: Annotated[str, typer.Option(help="undo the last tags of this person")] = "",
    format_: FormatOption = Format.table,
) -> None:
    """List, import, export or undo the tags of a collection.

    Imports are CSV files with the columns of an export, or url, facet and value;
    or other collections. Where they differ from the tags here, both are shown and
    yours stay, unless --theirs is given.
    """
    from weft.workspace.workspace import Workspace

    workspace = Workspace(folder)
    if action is TagsAction.list:
        table = workspace.tags.to_table()
        write_rows(table, format_)
        if not len(table):
            print_note("nothing is tagged")
    elif action is TagsAction.export:
        export_csv(workspace.tags.to_table(), file)
    elif action is TagsAction.import_:
        if file is None:
            raise BadParameter("there is no file to import", hint="name a CSV file")
        count, conflicts = workspace.import_tags(file, keep_ours=not theirs)
        for ours, other in conflicts[:MAX_SHOWN_CONFLICTS]:
            what = f"{ours.target} {ours.facet}: {ours.value} here, {other.value} there"
            print_note(escape_for_terminal(what))
        taken = "theirs are taken" if theirs else "yours stay"
        note = f", {pluralise(len(conflicts), 'conflict')}: {taken}" if conflicts else ""
        print_note(f"{pluralise(count, 'tag')} imported{note}")
    else:
        print_note(f"{pluralise(workspace.undo_tags(by), 'tag')} undone")


@with_examples(
    "weft entities list mine.weft",
    "weft entities add mine.weft 'University of X' x.edu x-hospital.org",
    "weft entities merge mine.weft 'All of X' 'University of X' 'Hospital of X'",
    "weft entities import mine.weft hyphe.csv",
    "weft entities undo mine.weft",
)
def entities(
    action: Annotated[EntitiesAction, typer.Argument(metavar="ACTION", help="what to do")],
    folder: Folder,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORDS]…", help="a name and prefixes, names, or a file"),
    ] = None,
    default: Annotated[
        str, typer.Option(help="how other pages are grouped: host, domain or site")
    ] = "",
    format_: FormatOption = Format.table,
) -> None:
    """List or change entities: named groups of hosts and folders.

    They are the nodes of --level entity. `add NAME PREFIX…` adds prefixes to an
    entity, `merge NAME OTHER…` moves those of others to it, `split NAME` takes it
    away; `import FILE` reads CSV with name and prefix, an export of Hyphe, or
    another collection.
    """
    from weft.workspace.workspace import Workspace

    workspace, given = Workspace(folder), words or []
    if action is EntitiesAction.undo:
        workspace.undo_entities()
    elif action not in (EntitiesAction.list, EntitiesAction.export):
        workspace.change_entities(
            lambda rules: with_default(change_entities(rules, action, given), default)
        )
    elif default:
        workspace.change_entities(lambda rules: with_default(rules, default))
    table = workspace.entities.to_table()
    if action is EntitiesAction.export:
        export_csv(table, Path(given[0]) if given else None)
        return
    if action is EntitiesAction.list:
        write_rows(table, format_)
    count = len(workspace.entities.entities)
    noun = "entity" if count == 1 else "entities"
    print_note(f"{count:,} {noun}; other pages by {workspace.entities.default}")


def change_entities(rules: "Entities", action: EntitiesAction, words: list[str]) -> "Entities":
    """The entities after a change."""
    from weft.store.entities import read_prefixes

    if action is EntitiesAction.import_:
        if len(words) != 1:
            raise BadParameter(
                "an import needs one file", hint="name a CSV file, or another collection"
            )
        return rules.with_imported(read_prefixes(Path(words[0])))
    if not words:
        raise BadParameter("there is no name of an entity", hint="`weft entities --help`")
    name, *others = words
    if action is EntitiesAction.add:
        return rules.with_added(name, others)
    if action is EntitiesAction.merge:
        return rules.with_merged(name, others)
    for each in words:
        rules = rules.with_split(each)
    return rules


def with_default(rules: "Entities", default: str) -> "Entities":
    """The rules with another grouping for the pages of no entity."""
    if not default:
        return rules
    if default not in ("host", "domain", "site"):
        raise BadParameter(f"{default!r} is no default", hint="host, domain or site")
    return replace(rules, default=default)  # type: ignore[arg-type]


def login_name() -> str:
    """The login name, empty where there is none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def export_csv(table: "pa.Table", file: Path | None) -> None:
    """Write a table as CSV, to a file or to standard output."""
    if file is None or str(file) == "-":
        write_csv(table)
        return
    with file.open("w", encoding="utf-8", newline="") as stream:
        write_csv(table, stream)
    print_note(f"{escape_for_terminal(file)}: {pluralise(len(table), 'row')}")


@with_examples(
    'weft edit-topics mine.weft jaguar --rename 2 "Video games"',
    "weft edit-topics mine.weft jaguar --merge 6 2",
    "weft edit-topics mine.weft jaguar --hide 5",
    "weft edit-topics mine.weft jaguar --undo",
)
def edit_topics(
    folder: Folder,
    query: QueryArgument = None,
    rename: Annotated[
        tuple[int, str] | None,
        typer.Option(metavar="NUMBER NAME", help="give a topic a name", show_default=False),
    ] = None,
    merge: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="NUMBER INTO", help="merge a topic into another", show_default=False),
    ] = None,
    hide: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="set a topic aside", show_default=False)
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="undo the last change")] = False,
    method: Annotated[str, typer.Option(help="method whose topics are numbered")] = "auto",
    by: ByOption = "",
    format_: FormatOption = Format.table,
) -> None:
    """Rename, merge or hide topics, or list the changes.

    Without an option the changes are listed. They are kept with the collection.
    They hold for every method, and when pages are added: a topic is known by its
    leading authorities. `weft topics` shows them, and so do reports and exports;
    with --found it does not.
    """
    from weft.workspace.workspace import Workspace

    given: dict[str, object] = {
        "--rename": rename,
        "--merge": merge,
        "--hide": hide,
        "--undo": undo,
    }
    reject_conflicting_options(given)
    workspace, words = Workspace(folder), join_query(query)
    if undo:
        edit = workspace.undo_topic_edit(words)
        print_note(f"undone: {edit.action} {escape_for_terminal(edit.label or edit.pages[0])}")
        return
    if rename or merge or hide:
        number = (rename or merge or (hide or 0,))[0]
        edit = workspace.edit_topic(
            words,
            number,
            rename=rename[1] if rename else "",
            merge_into=merge[1] if merge else 0,
            hide=bool(hide),
            by=by or login_name(),
            method=method,
        )
        print_note(f"topic {number}: {edit.action} (weft edit-topics … --undo)")
        return
    edits = workspace.topic_edits(words)
    write_rows(edits_table(edits), format_)
    if not edits:
        print_note("no topic is renamed, merged or hidden")


def edits_table(edits: "list[GroupEdit]") -> "pa.Table":
    """One row per change of a topic."""
    import pyarrow as pa

    rows = [
        {"action": edit.action, "topic": edit.pages[0], "name": edit.label, "by": edit.by}
        for edit in edits
    ]
    names = ("action", "topic", "name", "by")
    return pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in names]))


COMMANDS = (tag, tags, edit_topics, entities)
