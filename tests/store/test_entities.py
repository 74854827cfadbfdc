"""Entities: prefixes and the pages they cover, changes, undoing, files, Hyphe's CSV."""

import multiprocessing
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter, MalformedFile, UnknownName, WeftError
from weft.gather.url import sort_key
from weft.store.arrow_files import SortedColumn
from weft.store.entities import (
    ENTITIES_FOLDER,
    Entities,
    change_entities,
    check_prefixes,
    entity_codes,
    lru_to_prefix,
    read_entities,
    read_entities_csv,
    undo_entities,
    write_entities,
)

URLS = sorted(
    [
        "http://example.com/",
        "http://example.com/~ann",
        "http://example.com/~ann?x=1",
        "http://example.com/~ann/",
        "http://example.com/~ann/cv",
        "http://example.com/~ann-marie/",
        "http://example.com/~anna/",
        "http://www.example.com/",
        "http://example.com:8080/",
        "http://examples.com/",
        "http://example.org/",
    ],
    key=sort_key,
)
KEYS = SortedColumn(pa.chunked_array([[sort_key(url) for url in URLS]]))
names = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=20).filter(str.strip)


def covered(entities: Entities, name: str) -> set[str]:
    number = [entity.name for entity in entities.entities].index(name)
    return {
        url for url, code in zip(URLS, entity_codes(entities, KEYS), strict=True) if code == number
    }


def test_a_host_covers_subdomains_and_ports() -> None:
    found = covered(Entities().with_added("x", ["example.com"]), "x")
    assert found == set(URLS) - {"http://examples.com/", "http://example.org/"}


def test_a_folder_covers_the_page_its_queries_and_what_is_below() -> None:
    found = covered(Entities().with_added("ann", ["example.com/~ann/"]), "ann")
    assert found == {
        "http://example.com/~ann",
        "http://example.com/~ann?x=1",
        "http://example.com/~ann/",
        "http://example.com/~ann/cv",
    }


def test_the_longest_prefix_counts() -> None:
    nested = Entities().with_added("z", ["example.com"]).with_added("a", ["example.com/~ann"])
    assert len(covered(nested, "a")) == 4
    assert len(covered(nested, "z")) == 5
    assert (entity_codes(nested, KEYS) < 0).sum() == 2


def test_a_prefix_belongs_to_one_entity() -> None:
    moved = Entities().with_added("a", ["x.org", "y.org"]).with_added("b", ["y.org"])
    assert [(e.name, e.prefixes) for e in moved.entities] == [("a", ("x.org",)), ("b", ("y.org",))]
    emptied = moved.with_added("b", ["x.org"])
    assert [e.name for e in emptied.entities] == ["b"]


def test_merging_and_splitting() -> None:
    both = Entities().with_added("a", ["x.org"]).with_added("b", ["y.org"])
    merged = both.with_merged("all", ["a", "b"])
    assert [(e.name, e.prefixes) for e in merged.entities] == [("all", ("x.org", "y.org"))]
    assert merged.with_split("all").entities == ()
    with pytest.raises(UnknownName):
        both.with_merged("all", ["c"])
    with pytest.raises(UnknownName):
        both.with_split("c")


def test_every_change_is_a_file_and_can_be_undone(tmp_path: Path) -> None:
    assert read_entities(tmp_path) == Entities()
    one = write_entities(tmp_path, Entities().with_added("a", ["x.org"]))
    two = write_entities(tmp_path, one.with_added("b", ["y.org"]))
    assert read_entities(tmp_path) == two
    assert undo_entities(tmp_path).entities == one.entities
    assert read_entities(tmp_path).version == 3
    assert len(list((tmp_path / ENTITIES_FOLDER).iterdir())) == 3


def test_undoing_twice_goes_two_changes_back(tmp_path: Path) -> None:
    rules = Entities()
    for name in ("a", "b", "c"):
        rules = write_entities(tmp_path, rules.with_added(name, [f"{name}.org"]))
    left = [[entity.name for entity in undo_entities(tmp_path).entities] for _ in range(2)]
    assert left == [["a", "b"], ["a"]]
    again = change_entities(tmp_path, lambda rules: rules.with_added("d", ["d.org"]))
    assert [entity.name for entity in again.entities] == ["a", "d"]
    assert [len(undo_entities(tmp_path).entities) for _ in range(2)] == [1, 0]
    with pytest.raises(WeftError, match="no entities"):
        undo_entities(tmp_path)


def test_files_of_earlier_versions_are_undone_too(tmp_path: Path) -> None:
    folder = tmp_path / ENTITIES_FOLDER
    folder.mkdir()
    for number in (1, 2):
        rows = "".join(
            f'[[entity]]\nname = "e{k}"\nprefixes = ["{k}.org"]\n' for k in range(number)
        )
        (folder / f"00000{number}.toml").write_text(f'default = "host"\n{rows}')
    assert [len(undo_entities(tmp_path).entities) for _ in range(2)] == [1, 0]


def add_host(number: int, name: str, rules: Entities) -> Entities:
    return rules.with_added(f"{name}{number}", [f"{name}{number}.org"])


def add_hosts(folder: Path, name: str) -> None:
    for number in range(10):
        change_entities(folder, partial(add_host, number, name))


def test_two_writers_lose_no_entity(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    both = [context.Process(target=add_hosts, args=(tmp_path, name)) for name in "ab"]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert len(read_entities(tmp_path).entities) == 20


def test_nothing_to_undo(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="no entities"):
        undo_entities(tmp_path)
    write_entities(tmp_path, Entities().with_added("a", ["x.org"]))
    assert undo_entities(tmp_path).entities == ()


@given(names, st.sampled_from(["x.org", 'y.org/"q"', "z.org/a\\b", "é.org/ü"]))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, prefix: str
) -> None:
    folder = tmp_path_factory.mktemp("entities")
    written = write_entities(folder, Entities().with_added(name, [prefix]))
    assert read_entities(folder) == written


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "entity = 7",
        "[[entity]]\nname = 1\nprefixes = []",
        '[[entity]]\nname = "a"\nprefixes = "x.org"\n[[entity]]\nname = "a"\nprefixes = []',
        'default = "planet"',
    ],
)
def test_a_damaged_file_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / ENTITIES_FOLDER).mkdir()
    (tmp_path / ENTITIES_FOLDER / "000001.toml").write_text(text)
    with pytest.raises(MalformedFile):
        read_entities(tmp_path)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "a b",
        "/path",
        "x.org/a\nb",
        "x.org/\x7f",
        "x.org/\ud800",
        "*.x.org",
        "u@x.org",
        "x" * 2000,
    ],
)
def test_bad_prefixes_are_refused(bad: str) -> None:
    with pytest.raises(BadParameter):
        check_prefixes([bad])


def test_bad_names_are_refused() -> None:
    for name in ("", "  ", "a\x1bb", "a\nb", "a\ud800", "x" * 201):
        with pytest.raises(BadParameter):
            Entities().with_added(name, ["x.org"])


def test_csv_of_hyphe_and_of_two_columns(tmp_path: Path) -> None:
    file = tmp_path / "e.csv"
    file.write_text(
        "ID,NAME,PREFIXES,STATUS\n"
        "1,Ann,s:http|h:com|h:example|p:~ann| s:https|h:com|h:example|p:~ann|,IN\n"
        "2,Org,http://example.org/ http://www.example.org/,OUT\n"
    )
    found = read_entities_csv(file)
    assert found == {"Ann": ["example.com/~ann"], "Org": ["example.org", "www.example.org"]}
    file.write_text("name,prefix\nA,x.org\nA,y.org\n")
    assert read_entities_csv(file) == {"A": ["x.org", "y.org"]}
    file.write_text("url\nx\n")
    with pytest.raises(WeftError, match="no columns name and prefix"):
        read_entities_csv(file)


def test_what_is_no_lru_stays() -> None:
    assert lru_to_prefix("example.com/a|b") == "example.com/a|b"


def test_the_query_of_an_lru_is_kept() -> None:
    lru = "s:http|t:80|h:com|h:example|p:watch|q:v=1|"
    assert lru_to_prefix(lru) == "example.com/watch?v=1"


def test_the_port_of_an_lru_is_kept_unless_it_is_the_usual_one() -> None:
    assert lru_to_prefix("s:http|t:8080|h:com|h:example|") == "example.com:8080"
    assert lru_to_prefix("s:https|t:443|h:com|h:example|") == "example.com"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("A,", "line 3 of .*: an entity needs a prefix"),
        (",x.org", "line 3 of .*: '' is no name of an entity"),
        ("A", "line 3 of .*: an entity needs a prefix"),
        ("A,*.org", r"line 3 of .*: '\*.org' is no prefix"),
        (f"A,x.org/{'a' * 2000}", "line 3 of .*: 'x.org/a+…' is no prefix"),
        ("A\x1b[2J,x.org", "line 3 of .* is no name of an entity"),
        (f"{'A' * 140_000},x.org", "is not a CSV file"),
    ],
    ids=["no prefix", "no name", "short", "pattern", "long", "control", "very long"],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, row: str, message: str) -> None:
    file = tmp_path / "e.csv"
    file.write_text(f"name,prefix\nFine,a.org\n{row}\n")
    with pytest.raises(WeftError, match=message) as refused:
        read_entities_csv(file)
    assert len(str(refused.value)) < 500


def test_prefixes_are_those_of_canonical_urls() -> None:
    """As a person types them; else they would cover no page, and nothing would say so."""
    typed = ["Müller.example/straße/", "example.com/%7Eann", "example.com/x/../a", "example.com:80"]
    assert check_prefixes(typed) == (
        "xn--mller-kva.example/stra%C3%9Fe",
        "example.com/~ann",
        "example.com/a",
        "example.com",
    )


def test_a_port_covers_its_pages_only() -> None:
    assert covered(Entities().with_added("x", ["example.com:8080"]), "x") == {
        "http://example.com:8080/"
    }


def test_many_entities_are_added_as_one_by_one() -> None:
    """Prefixes that two of them claim belong to the later one."""
    claims = {f"e{k % 7}": [f"h{k % 5}.org", f"h{k}.org"] for k in range(40)}
    one_by_one = Entities().with_added("known", ["h3.org", "own.org"])
    at_once = one_by_one.with_imported(claims)
    for name, prefixes in claims.items():
        one_by_one = one_by_one.with_added(name, prefixes)
    assert at_once == one_by_one
