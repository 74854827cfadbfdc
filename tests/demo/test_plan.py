"""The parameters of a demo web, and its plan of sites."""

import pytest

from weft.core.errors import BadParameter
from weft.demo.plan import DemoPlan, DemoSite, DemoWeb, slugify


@pytest.mark.parametrize(
    ("size", "noise", "mixing"),
    [(10, 0.05, 0.1), (5_000_000, 0.05, 0.1), (1500, 1.5, 0.1), (1500, 0.05, -0.1)],
)
def test_impossible_parameters_are_refused(size: int, noise: float, mixing: float) -> None:
    with pytest.raises(BadParameter) as error:
        DemoWeb(size, 0, noise, mixing)
    assert error.value.hint


def test_random_numbers_belong_to_a_page_and_a_purpose() -> None:
    web, same_seed, other_seed = DemoWeb(), DemoWeb(pages=900), DemoWeb(seed=1)
    assert web.rng(0, 7).random() == same_seed.rng(0, 7).random()
    drawn = {
        parameters.rng(stream, number).random()
        for parameters in (web, other_seed)
        for stream in range(5)
        for number in range(50)
    }
    assert len(drawn) == 500


def test_sites_are_contiguous() -> None:
    plan = DemoPlan(DemoWeb())
    assert plan.page_count == 0
    for size, kind in ((3, "fan"), (1, "portal"), (5, "fan")):
        plan.add_site(DemoSite(kind, "cars", f"{size}", f"http://{size}.example/", size))  # type: ignore[arg-type]
    assert [site.first_page for site in plan.sites] == plan.first_pages == [0, 3, 4]
    sizes = [plan.site_of(number).page_count for number in range(plan.page_count)]
    assert sizes == [3] * 3 + [1] + [5] * 5
    assert [site.page_count for site in plan.sites_by_topic["cars"]] == [3, 5]
    assert [site.page_count for site in plan.sites_by_topic["portal"]] == [1]
    assert len({site.style_bits for site in plan.sites}) == 3


def test_hosts_are_unique() -> None:
    plan = DemoPlan(DemoWeb())
    hosts = [plan.unique_host(name) for name in ("Big Cats", "Big Cats", "big-cats", "Small cats")]
    assert len(set(hosts)) == 4
    assert all(host.endswith(".example") for host in hosts)
    assert [plan.number_repeated_stem("x") for _ in range(3)] == ["x", "x-2", "x-3"]


def test_slugify() -> None:
    assert slugify("  Owen's Jaguar & Café! ") == "owens-jaguar-cafe"
    assert slugify("Ærø") == "r"
