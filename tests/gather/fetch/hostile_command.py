"""The command `weft` in a world where the hostile server is the public internet.

`python -m tests.gather.fetch.hostile_command crawl COLLECTION URL …`: names have the addresses of
the hostile server, and waiting is short.
"""

from functools import partial

from tests.gather.fetch.hostile_server import ADDRESSES, look_up

from weft.cli import main as run
from weft.gather.fetch import address_guard
from weft.gather.fetch.settings import FetchSettings
from weft.workspace import live_crawl


def main() -> None:
    """Run the command with the arguments of this process."""
    address_guard.is_public_address = lambda address: address in ADDRESSES
    address_guard.PIN_SECONDS = 0.0
    vars(live_crawl)["FetchSettings"] = partial(
        FetchSettings, lookup=look_up, deadline=15.0, retries=1, backoff=(0.1,)
    )
    run()


if __name__ == "__main__":
    main()
