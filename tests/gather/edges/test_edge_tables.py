"""Bad rows are reported and left out; other rows are kept."""

import pytest
from tests.gather.graphs import BAD, Write, read, read_detected, read_edges

from weft.gather.page import Problems


@pytest.mark.parametrize(
    "weight",
    [
        b"nan",
        b"inf",
        b"-inf",
        b"-1",
        b"0",
        b"x",
        b"1e999",
        b"9" * 4300,
        b"1_0",
        b"1e-999",
        b"1e301",
    ],
)
def test_bad_weights_are_reported_and_other_rows_kept(write: Write, weight: bytes) -> None:
    path = write(b"source,target,weight\na,b,2\nc,d,%b\n\ne,f,\ng,h, +.5 \n" % weight)
    graph = read(path, "csv")
    assert graph.links == [("a", "b", 2, ""), ("e", "f", 1, ""), ("g", "h", 0.5, "")]
    assert graph.problems.locations == {BAD: [f"{path}:3"]}
    assert graph.problems.damage_count == 1


@pytest.mark.parametrize("row", [b",b", b"a,", b"a", b"a,b,c", b"a,\0b", b"a," + b"b" * 4001])
def test_bad_rows_are_reported_and_other_rows_kept(write: Write, row: bytes) -> None:
    path = write(b"source,target\nx,y\n%b\nx,z\n" % row)
    graph = read(path, "csv")
    assert graph.pairs == [("x", "y"), ("x", "z")]
    assert graph.problems.locations == {BAD: [f"{path}:3"]}


def test_bad_names_are_in_no_dictionary(write: Write) -> None:
    [part] = read_edges(write(b"a\tb\nc\t%b\n" % (b"d" * 5000)), "snap", "digest", Problems())
    assert part.links["source"].combine_chunks().dictionary.to_pylist() == ["a"]
    assert part.links["target"].combine_chunks().dictionary.to_pylist() == ["b"]


def test_many_bad_rows_are_all_counted(write: Write) -> None:
    graph = read(write(b"a\tb\n" * 20 + b"c\n" * 9), "snap")
    assert graph.problems.counts == {BAD: 9}
    assert len(graph.problems.locations[BAD]) == 5


def test_negative_huge_and_sparse_ids_are_names(write: Write) -> None:
    long = "9" * 4000
    graph = read_detected(write(f"-5 0\n18446744073709551617 -5\n{long} 007\n7 {2**62}\n".encode()))
    assert graph.pairs == [
        ("-5", "0"),
        ("18446744073709551617", "-5"),
        (long, "007"),
        ("7", str(2**62)),
    ]


def test_numbers_of_4300_digits_are_overlong_names(write: Write) -> None:
    graph = read(write(b"1 2\n%b 3\n4 5\n" % (b"9" * 4300)), "snap")
    assert graph.pairs == [("1", "2"), ("4", "5")]
    assert graph.problems.counts == {BAD: 1}
