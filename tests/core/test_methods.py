"""The register of methods: declared once, checked at the door."""

from collections.abc import Iterator
from typing import Annotated

import pyarrow as pa
import pytest
from pydantic import Field

from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter, UnknownName
from weft.core.methods import METHODS, find, method, options_of, reference

INDEGREE = Dimensions(
    model="single node",
    metric="in-degree",
    algorithm="counting",
    scope="single page",
    applications=("web search",),
)
Depth = Annotated[int, Field(ge=1, description="how deep")]
More = Annotated[int, Field(description="how many more")]


class Count:
    """A result of one row."""

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def to_table(self) -> pa.Table:
        """One row."""
        return pa.table({"depth": [self.depth]})


@pytest.fixture
def toy() -> Iterator[None]:
    @method("test", "toy", cites="kleinberg1999", dimensions=INDEGREE)
    def toy(data: str, *, depth: Depth = 2) -> Count:
        """Count."""
        return Count(depth + len(data))

    yield
    del METHODS["test", "toy"]


@pytest.mark.usefixtures("toy")
def test_options_come_from_the_signature() -> None:
    found = find("test", "toy")
    assert found.takes is str
    assert found.schema.model_json_schema()["properties"]["depth"]["minimum"] == 1
    assert found("ab", depth=3).to_table().to_pydict() == {"depth": [5]}
    assert found("ab").to_table().to_pydict() == {"depth": [4]}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("wrong", [{"depth": 0}, {"depth": "deep"}, {"width": 1}])
def test_wrong_options_are_refused_in_words(wrong: dict[str, object]) -> None:
    with pytest.raises(BadParameter, match="toy: ") as caught:
        find("test", "toy")("ab", **wrong)
    [(option, value)] = wrong.items()
    told = "its options: depth" if option == "width" else "depth: how deep (at least 1)"
    assert caught.value.hint == told
    assert (f"no option '{option}'" if option == "width" else repr(value)) in str(caught.value)


@pytest.mark.usefixtures("toy")
def test_options_are_given_by_name() -> None:
    with pytest.raises(BadParameter, match="by their names") as caught:
        find("test", "toy").run("ab", 3)
    assert caught.value.hint == "write depth=..."


@pytest.mark.usefixtures("toy")
def test_texts_of_a_command_become_values() -> None:
    found = find("test", "toy")
    assert found.checked({"depth": "3"}, texts=True) == {"depth": 3}
    with pytest.raises(BadParameter, match="not '3'"):
        found.checked({"depth": "3"})


@pytest.mark.usefixtures("toy")
def test_a_name_is_declared_once() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        method("test", "toy", cites="kleinberg1999", dimensions=INDEGREE)(Count)


def test_an_unknown_name_gets_a_suggestion() -> None:
    import weft.rank  # noqa: F401, PLC0415

    with pytest.raises(UnknownName) as caught:
        find("rank", "indegre")
    assert "indegree" in caught.value.hint


def test_references() -> None:
    assert reference("kleinberg1999").startswith("Kleinberg")
    with pytest.raises(UnknownName):
        reference("nobody2000")


@pytest.mark.usefixtures("toy")
def test_options_are_borrowed_with_their_defaults() -> None:
    @method("test", "borrower", cites="kleinberg1999", dimensions=INDEGREE)
    @options_of(find("test", "toy").run)
    def borrower(data: str, /, *, more: More = 1, **options: int) -> Count:
        """Count one more."""
        return Count(options["depth"] + len(data) + more)

    try:
        found = find("test", "borrower")
        assert found.schema.model_fields["depth"].default == 2
        assert list(found.options) == ["depth", "more"]
        assert found("ab", depth=3).to_table().to_pydict() == {"depth": [6]}
        assert found("ab", more=5).to_table().to_pydict() == {"depth": [9]}
        with pytest.raises(BadParameter, match="depth"):
            found("ab", depth=0)
    finally:
        del METHODS["test", "borrower"]
    assert borrower.__doc__ == "Count one more."
