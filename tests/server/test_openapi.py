"""The OpenAPI document is complete, and responses conform to it."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from copy import deepcopy
from pathlib import Path
from subprocess import run
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from weft.server.collection import default_methods
from weft.server.routes import ROUTES
from weft.workspace.workspace import Workspace

Serving = Callable[[Path], AbstractContextManager[httpx.Client]]
WEB = Path(__file__).parents[2] / "web"
GENERATOR = WEB / "node_modules" / "openapi-typescript"
DEFAULTS = default_methods()
OF_METHODS = ["rank/", "why/", "topics/", "structure/", "communities/"]
OF_METHODS += ["page/similar/", "page/suggest/", "classify/", "usage/"]
TESTED = [path for path in ROUTES if not path.startswith(tuple(OF_METHODS))]
TESTED += ["rank/indegree", "why/hits", "structure/counts"]
TESTED += ["structure/components", "structure/components/picture"]
TESTED += [path for path in ROUTES if path.startswith("structure/bow-tie")]
TESTED += [
    f"topics/{DEFAULTS.topics}{form}"
    for form in ("", "/map", "/of", "/group", "/members", "/sites")
]
ENTITY_ACTIONS = ("add", "merge", "split", "default", "import", "undo")
COMMUNITIES = ("", "/map", "/of", "/group", "/links")
TESTED += [f"communities/{DEFAULTS.communities}{form}" for form in COMMUNITIES]
CURATE_WRITES = ["tags", "tags/undo", "tags/import", *(f"entities/{do}" for do in ENTITY_ACTIONS)]
FAST = ["hits", "indegree", "salsa"]


@pytest.fixture(scope="session")
def document(client: httpx.Client) -> Any:
    return client.get("/api/openapi.json").json()


@pytest.fixture(scope="session")
def copy_client(
    demo: Workspace, serving: Serving, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """A client of a server of a copy of the demo web: some of the requests tag pages."""
    folder = tmp_path_factory.mktemp("requested") / "demo.weft"
    with serving(shutil.copytree(demo.folder, folder)) as client:
        yield client


@pytest.fixture(scope="session")
def described(copy_client: httpx.Client, document: Any) -> Any:
    """The document of some routes; where methods are chosen, among fast ones.

    An optional parameter is tried in the first route that has it: others take the same.
    """
    tested = deepcopy(document)
    tested["paths"] = {f"/api/{path}": tested["paths"][f"/api/{path}"] for path in TESTED}
    tried: list[Any] = []
    for verbs in tested["paths"].values():
        parameters = verbs["get"]["parameters"]
        new = [each for each in parameters if each.get("required") or each not in tried]
        verbs["get"]["parameters"], tried = new, [*tried, *parameters]
    for path in ("/api/compare", "/api/page/scores", "/api/curate/effect"):
        for parameter in tested["paths"][path]["get"]["parameters"]:
            if parameter["name"] == "method":
                parameter["schema"].get("items", parameter["schema"])["enum"] = FAST
    refused = {"negative_data_rejection": {"expected-statuses": [400, 404, 413, 414, 422]}}
    config = SchemathesisConfig.from_dict(
        {"base-url": str(copy_client.base_url), "checks": refused}
    )
    return schemathesis.openapi.from_dict(tested, config=config)


schema = schemathesis.pytest.from_fixture("described")


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_responses_conform_to_the_document(case: Any) -> None:
    """Some valid requests may be refused, such as a query at the level of hosts."""
    case.call_and_validate(timeout=60, excluded_checks=[positive_data_acceptance])


def test_every_route_is_described(document: Any) -> None:
    paths = document["paths"]
    assert {f"/api/{path}" for path in ROUTES} < paths.keys()
    jobs = {path for path in paths if path.startswith("/api/jobs/")}
    crawl = {f"/api/crawl/{verb}" for verb in ("start", "pause", "resume", "stop")}
    curate = {f"/api/curate/{path}" for path in CURATE_WRITES}
    edits = {f"/api/group-edits/{verb}" for verb in ("add", "undo")}
    assert paths.keys() == {f"/api/{path}" for path in ROUTES} | jobs | crawl | curate | edits
    names = [verb["operationId"] for verbs in paths.values() for verb in verbs.values()]
    assert len(names) == len(set(names))


def test_problems_and_schemas_are_described(document: Any) -> None:
    responses = document["paths"]["/api/search"]["get"]["responses"]
    schema = responses["200"]["content"]["application/json"]["schema"]
    assert schema["$ref"].endswith("/SearchResponse")
    for status in ("404", "422", "default"):
        [media] = responses[status]["content"]
        assert media == "application/problem+json"


@pytest.mark.skipif(not GENERATOR.exists(), reason="the tools of the workbench are not installed")
def test_the_types_of_the_workbench_are_up_to_date() -> None:
    document = run([sys.executable, WEB / "schemas.py"], capture_output=True, check=True).stdout
    command = ["npm", "run", "--silent", "types"]
    types = run(command, cwd=WEB, input=document, capture_output=True, check=True).stdout
    assert types == (WEB / "src" / "api" / "schemas.ts").read_bytes(), "run `make types`"


def test_schemas_have_plain_names(document: Any) -> None:
    assert not [name for name in document["components"]["schemas"] if "__" in name]


def test_parameters_have_descriptions(document: Any) -> None:
    for path, verbs in document["paths"].items():
        for verb in verbs.values():
            for parameter in verb.get("parameters", ()):
                assert parameter.get("description"), (path, parameter["name"])
