"""The OpenAPI document is complete and true: answers are held against it."""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from weft.show.api.asks import base_fields
from weft.show.api.facts import defaults
from weft.show.api.routes import ROUTES

PAGE = Path(__file__).parents[3] / "web" / "src" / "ask"
USUAL = defaults()
OF_METHODS = ["rank/", "why/", "topics/", "structure/", "communities/"]
OF_METHODS += ["page/similar/", "page/suggest/"]
TESTED = [path for path in ROUTES if not path.startswith(tuple(OF_METHODS))]
TESTED += ["rank/indegree", "why/hits", "structure/ends"]
TESTED += ["structure/components", "structure/components/picture"]
TESTED += [path for path in ROUTES if path.startswith("structure/bow-tie")]
TESTED += [
    f"topics/{USUAL.topics}{form}" for form in ("", "/map", "/of", "/topic", "/members", "/sites")
]
COMMUNITIES = ("", "/map", "/of", "/community", "/links")
TESTED += [f"communities/{USUAL.communities}{form}" for form in COMMUNITIES]
FAST = ["hits", "indegree", "salsa"]


@pytest.fixture(scope="session")
def document(client: httpx.Client) -> Any:
    return client.get("/api/openapi.json").json()


@pytest.fixture(scope="session")
def described(client: httpx.Client, document: Any) -> Any:
    """What is described of some routes; where methods are chosen, among fast ones.

    The options of a method and of base sets are tried in its first form: others take the same.
    """
    told = deepcopy(document)
    told["paths"] = {f"/api/{path}": told["paths"][f"/api/{path}"] for path in TESTED}
    for path in TESTED:
        asked, get = ROUTES[path].asks, told["paths"][f"/api/{path}"]["get"]
        if asked.method_name and path.rpartition("/")[0] in TESTED:
            options = {*asked.method_options.values(), *base_fields()}
            get["parameters"] = [each for each in get["parameters"] if each["name"] not in options]
    for path in ("/api/compare", "/api/page/scores"):
        for parameter in told["paths"][path]["get"]["parameters"]:
            if parameter["name"] == "method":
                parameter["schema"]["items"]["enum"] = FAST
    refused = {"negative_data_rejection": {"expected-statuses": [400, 404, 414, 422]}}
    config = SchemathesisConfig.from_dict({"base-url": str(client.base_url), "checks": refused})
    return schemathesis.openapi.from_dict(told, config=config)


schema = schemathesis.pytest.from_fixture("described")


@schema.parametrize()
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_described(case: Any) -> None:
    """Not held against it: that some questions, such as a query about hosts, are refused."""
    case.call_and_validate(timeout=60, excluded_checks=[positive_data_acceptance])


def test_every_route_is_described(document: Any) -> None:
    paths = document["paths"]
    assert {f"/api/{path}" for path in ROUTES} < paths.keys()
    jobs = {path for path in paths if path.startswith("/api/jobs/")}
    assert paths.keys() == {f"/api/{path}" for path in ROUTES} | jobs
    names = [verb["operationId"] for verbs in paths.values() for verb in verbs.values()]
    assert len(names) == len(set(names))


def test_problems_and_shapes_are_described(document: Any) -> None:
    told = document["paths"]["/api/search"]["get"]["responses"]
    assert told["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Found")
    for status in ("404", "422", "default"):
        [media] = told[status]["content"]
        assert media == "application/problem+json"


def test_every_shape_has_a_name_of_its_own_which_the_page_uses(document: Any) -> None:
    names = document["components"]["schemas"].keys()
    assert not [name for name in names if "__" in name]
    told = "".join(path.read_text() for path in PAGE.glob("*.ts"))
    answers = re.findall(r"export interface (\w+) extends (?:Answer|Portion)\b", told)
    assert {"Found", "CommunitiesOfPage"} <= {*answers} <= names


def test_parameters_say_what_they_mean(document: Any) -> None:
    for path, verbs in document["paths"].items():
        for verb in verbs.values():
            for parameter in verb.get("parameters", ()):
                assert parameter.get("description"), (path, parameter["name"])
