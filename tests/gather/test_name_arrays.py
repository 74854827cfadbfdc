"""Hosts, domains and keys of many names at once: those of the functions for one."""

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from weft.gather.url import domain_of_host, domains_of, host, hosts_of, sort_key, sort_keys

HOSTS = [
    "example.com", "www.example.com", "a.b.example.co.uk", "co.uk", "uk", "x.github.io",
    "github.io", "www.ck", "a.www.ck", "b.test.ck", "city.kawasaki.jp", "a.b.kawasaki.jp",
    "xn--fiqs8s.hk", "a.xn--fiqs8s", "a.xn--55qx5d.cn", "b.a.xn--55qx5d.cn", "10.0.0.1", "a_b.org",
    "-x.org", "EXAMPLE.org", "a..b.com", ".com", "com.", "localhost", "7", "a.b.nowhere",
    "s3.amazonaws.com", "x.s3.amazonaws.com", "ü.example.de", "x.compute.amazonaws.com.cn",
]  # fmt: skip
PATHS = ["", "/", "/a/b?c#d", ":8080/x", "?q", "#f", "/é\n", "//x"]
SCHEMES = ["", "http://", "https://", "HTTP://", "ftp://", "file://", "http://user@"]
names = st.builds("{}{}{}".format, *map(st.sampled_from, (SCHEMES, HOSTS, PATHS)))


@given(st.lists(names | st.text(min_size=1, max_size=12)))
@example([scheme + own + path for scheme in SCHEMES for own in HOSTS for path in PATHS])
def test_hosts_and_keys(some: list[str]) -> None:
    array = pa.array(some, pa.string())
    assert sort_keys(array).to_pylist() == list(map(sort_key, some))
    assert hosts_of(array).to_pylist() == list(map(host, some))
    large = array.cast(pa.large_string())
    assert hosts_of(large).type == pa.large_string()


@given(st.lists(st.sampled_from(HOSTS) | st.text(min_size=1, max_size=12)))
@example(HOSTS)
def test_domains(some: list[str]) -> None:
    assert domains_of(pa.array(some, pa.string())).to_pylist() == list(map(domain_of_host, some))
