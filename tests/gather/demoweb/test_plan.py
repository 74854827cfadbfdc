"""The parameters of a web, and a plan that grows by sites."""

import pytest

from weft.core.errors import BadParameter
from weft.gather.demoweb.plan import DemoWeb, Plan, Site, slug


@pytest.mark.parametrize(
    ("size", "noise", "mixing"),
    [(10, 0.05, 0.1), (5_000_000, 0.05, 0.1), (1500, 1.5, 0.1), (1500, 0.05, -0.1)],
)
def test_impossible_parameters_are_refused(size: int, noise: float, mixing: float) -> None:
    with pytest.raises(BadParameter) as told:
        DemoWeb(size, 0, noise, mixing)
    assert told.value.hint


def test_random_numbers_belong_to_a_page_and_a_purpose() -> None:
    one, again, other = DemoWeb(), DemoWeb(pages=900), DemoWeb(seed=1)
    assert one.random(0, 7).random() == again.random(0, 7).random()
    drawn = {
        web.random(stream, number).random()
        for web in (one, other)
        for stream in range(5)
        for number in range(50)
    }
    assert len(drawn) == 500


def test_sites_lie_one_behind_the_other() -> None:
    plan = Plan(DemoWeb())
    assert plan.written == 0
    for size, kind in ((3, "fan"), (1, "portal"), (5, "fan")):
        plan.add(Site(kind, "cars", f"{size}", f"http://{size}.example/", size))  # type: ignore[arg-type]
    assert [site.start for site in plan.sites] == plan.starts == [0, 3, 4]
    assert [plan.site_of(number).size for number in range(plan.written)] == [3] * 3 + [1] + [5] * 5
    assert [site.size for site in plan.by_topic["cars"]] == [3, 5]
    assert [site.size for site in plan.by_topic["portal"]] == [1]
    assert len({site.look for site in plan.sites}) == 3


def test_no_host_is_given_away_twice() -> None:
    plan = Plan(DemoWeb())
    hosts = [plan.host(name) for name in ("Big Cats", "Big Cats", "big-cats", "Small cats")]
    assert len(set(hosts)) == 4
    assert all(host.endswith(".example") for host in hosts)
    assert [plan.unique("x") for _ in range(3)] == ["x", "x-2", "x-3"]


def test_an_address_has_letters_digits_and_hyphens() -> None:
    assert slug("  Owen's Jaguar & Café! ") == "owens-jaguar-cafe"
    assert slug("Ærø") == "r"
