"""Write the response models of the API to standard output, for `make types`."""

import json
import sys
from pathlib import Path
from typing import Any

from weft.server.app import build_api
from weft.server.jobs import JobScheduler


def without_titles(schema: Any) -> Any:
    """A schema without the titles that repeat the names of its fields."""
    if isinstance(schema, list):
        return [without_titles(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: without_titles(value) for key, value in schema.items()}
    return {k: v for k, v in kept.items() if not (k == "title" and isinstance(v, str))}


document = build_api(JobScheduler(Path())).openapi()
schemas = without_titles(document["components"]["schemas"])
json.dump(
    {
        "openapi": document["openapi"],
        "info": {"title": "Weft", "version": ""},
        "paths": {},
        "components": {"schemas": schemas},
    },
    sys.stdout,
)
