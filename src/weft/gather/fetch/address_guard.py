"""Refuse addresses that a crawl must not reach: private networks, this machine, odd ports.

A name is resolved once, all its addresses are checked, and the connection goes to one of these
very addresses, so that a name cannot change between the check and the connection.
"""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

from ada_url import URL

from weft.core.errors import BadParameter

PIN_SECONDS = 60.0
MAX_PINNED_NAMES = 10_000
WEB_PORTS = frozenset((80, 443))
FIRST_UNPRIVILEGED_PORT, MAX_PORT = 1024, 65_535
# Services that a request could do harm to: those that browsers refuse, and databases.
REFUSED_PORTS = frozenset(
    [
        *(1719, 1720, 1723, 2049, 2375, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900, 6000),
        *(6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9200, 10080, 11211, 27017),
    ]
)
# Prefixes under which an IPv6 address stands for an IPv4 address, and the bits after that one.
EMBEDDED_IPV4 = (
    (IPv6Network("::ffff:0:0/96"), 0),
    (IPv6Network("::ffff:0:0:0/96"), 0),
    (IPv6Network("::/96"), 0),
    (IPv6Network("64:ff9b::/96"), 0),
    (IPv6Network("2002::/16"), 80),
)
# Translation within a network, and Teredo, whose addresses hide others.
REFUSED_NETWORKS = (IPv6Network("64:ff9b:1::/48"), IPv6Network("2001::/32"))

Lookup = Callable[[str, int], Awaitable[Sequence[str]]]


class AddressRefused(Exception):
    """A URL leads to an address or port that a crawl must not reach."""


class AddressGuard:
    """Resolves names to addresses that may be reached.

    `allow_private` opens addresses that are refused otherwise, each as
    `HOST:PORT`, exactly as in the URLs; nothing else is opened with it.
    `lookup` gives the addresses of a name.
    """

    def __init__(self, allow_private: Iterable[str] = (), lookup: Lookup | None = None) -> None:
        self._allowed = frozenset(map(_split_host_port, allow_private))
        self._lookup = lookup or look_up
        self._pinned: dict[str, tuple[float, tuple[str, ...]]] = {}
        self._opened: set[tuple[str, int]] = set()

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of a host, all of them checked; `AddressRefused` says why not."""
        host = host.strip("[]").lower().rstrip(".")
        allowed = (host, port) in self._allowed
        if not allowed and not is_web_port(port):
            raise AddressRefused(f"port {port}")
        addresses = await self._find_addresses(host, port)
        for address in addresses:
            if allowed:
                self._opened.add((address, port))
            elif not is_public_address(address):
                raise AddressRefused("private address")
        return addresses

    def check_socket(self, address: str, port: int) -> None:
        """Check the address of a connection that is about to be made."""
        if (address, port) in self._opened:
            return
        if not is_public_address(address) or not is_web_port(port):
            raise AddressRefused("private address")

    async def _find_addresses(self, host: str, port: int) -> tuple[str, ...]:
        literal = _parse_address(host)
        if literal is not None:
            return (str(literal),)
        now = time.monotonic()
        expires, addresses = self._pinned.get(host, (0.0, ()))
        if expires <= now:
            addresses = tuple(await self._lookup(host, port))
            if not addresses:
                raise OSError(f"no address for {host}")
            if len(self._pinned) >= MAX_PINNED_NAMES:
                self._pinned.clear()
            self._pinned[host] = now + PIN_SECONDS, addresses
        return addresses


def is_public_address(address: str) -> bool:
    """Whether an address is one of the public internet, also if it embeds another address.

    Examples
    --------
    >>> is_public_address("93.184.216.34"), is_public_address("::ffff:127.0.0.1")
    (True, False)
    """
    parsed = _parse_address(address)
    if parsed is None:
        return False
    if isinstance(parsed, IPv6Address):
        if any(parsed in network for network in REFUSED_NETWORKS) or parsed.is_site_local:
            return False
        for network, shift in EMBEDDED_IPV4:
            if parsed in network:
                return is_public_address(str(IPv4Address((int(parsed) >> shift) & 0xFFFFFFFF)))
    refused = parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified
    return parsed.is_global and not refused and not parsed.is_link_local


def is_web_port(port: int) -> bool:
    """Whether a port may be one of a web server."""
    return port in WEB_PORTS or (port >= FIRST_UNPRIVILEGED_PORT and port not in REFUSED_PORTS)


async def look_up(host: str, port: int) -> list[str]:
    """The addresses of a name, as the operating system resolves it."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def host_and_port(url: str) -> tuple[str, int]:
    """The host and port that a URL leads to."""
    parsed: Any = URL(url)
    return str(parsed.hostname), int(parsed.port or (443 if parsed.protocol == "https:" else 80))


def has_credentials(url: str) -> bool:
    """Whether a URL has a name or password to log in with.

    Examples
    --------
    >>> has_credentials("http://:secret@example.com/"), has_credentials("http://example.com/@")
    (True, False)
    """
    parsed: Any = URL(url)
    return bool(parsed.username or parsed.password)


def origin(url: str) -> str:
    """The scheme, host and port of a URL.

    Examples
    --------
    >>> origin("https://example.com:443/a?b")
    'https://example.com'
    """
    return str(URL(url).origin)


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _split_host_port(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > MAX_PORT or "/" in host:
        raise BadParameter(f"{text!r} is not HOST:PORT", hint="give for example localhost:8000")
    return host.strip("[]").lower(), int(port)
