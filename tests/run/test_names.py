"""Names as people write them."""

import pytest

from weft.core.errors import UnknownName
from weft.graph.options import Level
from weft.run.names import named
from weft.run.workspace import Workspace


def test_pages_hosts_and_domains_are_named_as_people_write_them(demo: Workspace) -> None:
    url = demo.collection.pages["url"][0].as_py()
    host = demo.graph("host").pages[0]
    domain = demo.graph("domain").pages[0]
    assert named(demo.collection, "page", url.removeprefix("http://")) == url
    for given in (host, f"http://{host}/", f"http://{host}/some/page?x#y"):
        assert named(demo.collection, "host", given) == host
    for given in (domain, f"http://www.{domain}/"):
        assert named(demo.collection, "domain", given) == domain


@pytest.mark.parametrize("level", ["page", "host", "domain"])
def test_what_is_not_there_is_told(demo: Workspace, level: Level) -> None:
    with pytest.raises(UnknownName, match=f"no {level}"):
        named(demo.collection, level, "http://nowhere.example/")


def test_every_door_takes_a_url_for_its_host(demo: Workspace) -> None:
    host = demo.rank(level="host").pages[0]
    url = f"http://{host}/"
    assert demo.why(url, level="host").why.page == host
    assert demo.similar(url, level="host").page == host
    assert demo.suggest(url, level="host").page == host
