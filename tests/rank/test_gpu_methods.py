"""Every method with a GPU form, on arrays that NumPy cannot read and on the GPU's own code."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.engine.operators import MAKERS, Make

import weft
from weft.core.register import Method, import_methods, methods_of
from weft.engine.backends import cupy as gpu
from weft.graph.webgraph import WebGraph

import_methods("rank")
ON_GPU = [method for method in methods_of("rank").values() if method.on_gpu]
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "pagerank": [{"dangling": "self"}, {"dangling": "uniform"}, {"normalization": "classic"}],
    "salsa": [{"solver": "walk"}],
    "snorm": [{"scheme": "power"}, {"scheme": "surfing"}],
    "hits": [{"norm": "L1"}],
    "personalised": [{"seeds": ["3", "5"]}],
    "topic-pagerank": [{"topics": ["a=3", "b=5", "b=7"]}],
    "trustrank": [{"seeds": ["3"]}],
}


def names(value: object) -> str:
    return value.name if isinstance(value, Method) else str(value)


def runs() -> Iterator[tuple[Method, dict[str, Any]]]:
    for method in ON_GPU:
        for options in [{}, *OPTIONS.get(method.name, [])]:
            yield method, options
        if "weighted" in method.options:
            yield method, {"weighted": True}


def web() -> WebGraph:
    rng = np.random.default_rng(4)
    source, target = (rng.pareto(1.2, (2, 3000)) * 20).astype(int) % 300
    return WebGraph.from_arrays(300, source, target, rng.integers(1, 9, 3000) / 4)


def test_the_promised_methods_have_a_gpu_form() -> None:
    promised = {"pagerank", "personalised", "hits", "salsa", "unified", "trustrank", "indegree"}
    assert promised <= {method.name for method in ON_GPU}


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=name, marks=pytest.mark.slow if name == "gpu-compiled" else ())
        for name, make in MAKERS.items()
        if name == "strict" or name.startswith("gpu")
    ],
)
@pytest.mark.parametrize(("method", "options"), list(runs()), ids=names)
def test_scores_are_those_of_the_cpu(
    method: Method, options: dict[str, Any], make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    data: Any = ["ab", "ab", "ac", "cb"] if method.name == "usage-pagerank" else web()
    monkeypatch.setattr(gpu, "build_operator", make)
    wanted: Any = method(data, **options)
    with weft.use("cupy"):
        found: Any = method(data, **options)
    for name, scores in wanted.scores.items():
        assert type(found.scores[name]) is np.ndarray
        difference = np.abs(found.scores[name] - scores).sum()
        assert difference <= 1e-9 * max(1, np.abs(scores).sum())
    assert found.certainty.components == wanted.certainty.components
    for name, scores in found.scores.items():
        page = int(scores.argmax())
        assert found.explain(found.pages[page], name).score == pytest.approx(scores[page])


def test_a_method_without_a_gpu_form_says_so_and_runs_on_the_cpu() -> None:
    links = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")]
    wanted = weft.rank.prestige(links).scores["score"]
    with weft.use("cupy"), pytest.warns(UserWarning, match="prestige has no GPU form"):
        found = weft.rank.prestige(links)
    assert found.scores["score"].tolist() == wanted.tolist()
