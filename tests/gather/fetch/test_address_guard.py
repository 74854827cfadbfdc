"""Which addresses may be reached, and that names cannot change after the check."""

import asyncio

import pytest

from weft.core.errors import BadParameter
from weft.gather.fetch.address_guard import (
    AddressGuard,
    AddressRefused,
    host_and_port,
    is_public_address,
    is_web_port,
)

PRIVATE = """
0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1
172.31.255.255 192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::7f00:1
64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::1 2002:7f00:1:: 2002:a00:1:: 2001::1 2001:db8::1 fc00::1
fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ::ffff:0:127.0.0.1
"""
PUBLIC = """
1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.32.0.1 2606:4700::1111 ::ffff:8.8.8.8
64:ff9b::808:808 2002:808:808::
"""


@pytest.mark.parametrize("address", PRIVATE.split())
def test_private(address: str) -> None:
    assert not is_public_address(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public(address: str) -> None:
    assert is_public_address(address)


def test_ports() -> None:
    assert all(map(is_web_port, (80, 443, 8080, 8443, 3000)))
    assert not any(map(is_web_port, (0, 22, 25, 81, 3306, 6000, 6379, 11211)))


class Names:
    """A resolver of which each answer may differ from the last."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers, self.asked = list(answers), 0

    async def look_up(self, _host: str, _port: int) -> list[str]:
        """The next answer; the last one for ever."""
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def resolve(guard: AddressGuard, host: str, port: int = 80) -> tuple[str, ...]:
    return asyncio.run(guard.resolve(host, port))


def test_a_name_with_one_private_address_is_refused() -> None:
    guard = AddressGuard(lookup=Names(["8.8.8.8", "10.0.0.1"]).look_up)
    with pytest.raises(AddressRefused, match="private address"):
        resolve(guard, "example.com")


def test_a_name_is_pinned_after_its_check() -> None:
    names = Names(["8.8.8.8"], ["127.0.0.1"])
    guard = AddressGuard(lookup=names.look_up)
    assert resolve(guard, "example.com") == resolve(guard, "EXAMPLE.com.") == ("8.8.8.8",)
    assert names.asked == 1


def test_a_name_that_changes_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.gather.fetch.address_guard.PIN_SECONDS", 0.0)
    guard = AddressGuard(lookup=Names(["8.8.8.8"], ["127.0.0.1"]).look_up)
    assert resolve(guard, "example.com") == ("8.8.8.8",)
    with pytest.raises(AddressRefused):
        resolve(guard, "example.com")


def test_addresses_in_urls_are_checked_however_they_are_written() -> None:
    """The URL parser turns every spelling of an IPv4 address into the usual one."""
    guard = AddressGuard()
    for url in ("http://0x7f.1/", "http://2130706433/", "http://[::ffff:7f00:1]/", "http://127.1/"):
        with pytest.raises(AddressRefused):
            resolve(guard, *host_and_port(url))


def test_allow_private_opens_one_address_and_nothing_else() -> None:
    names = Names(["127.0.0.1"])
    guard = AddressGuard(["localhost:8000", "[::1]:22"], names.look_up)
    assert resolve(guard, "localhost", 8000) == ("127.0.0.1",)
    assert resolve(guard, "[::1]", 22) == ("::1",)
    for host, port in (("localhost", 8001), ("127.0.0.1", 8000), ("other.example", 8000)):
        with pytest.raises(AddressRefused):
            resolve(guard, host, port)
    guard.check_socket("127.0.0.1", 8000)
    for address, port in (("127.0.0.1", 8001), ("10.0.0.1", 8000), ("8.8.8.8", 22)):
        with pytest.raises(AddressRefused):
            guard.check_socket(address, port)


@pytest.mark.parametrize("text", ["localhost", "localhost:", ":80", "http://x:80", "x:port"])
def test_allow_private_needs_host_and_port(text: str) -> None:
    with pytest.raises(BadParameter, match="HOST:PORT"):
        AddressGuard([text])


def test_a_name_without_addresses_is_an_error() -> None:
    with pytest.raises(OSError, match="no address"):
        resolve(AddressGuard(lookup=Names([]).look_up), "example.com")
