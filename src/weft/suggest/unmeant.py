"""Pages that are linked to without being meant: from menus and footers, for money, by all."""

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets
from weft.graph.menus import captured, menu_bar
from weft.suggest.around import Around

PAID = 3
EVERYBODY, MANY = 4, 100


def paid(around: Around, pages: Ids) -> Flags:
    """Pages to which a third of the links or more are marked nofollow, sponsored or ugc."""
    linked = np.asarray(around.graph.inlinks.starts)
    marked = around.marked[pages]
    found: Flags = (marked > 0) & (PAID * marked >= linked[pages + 1] - linked[pages])
    return found


def carried(around: Around, pages: Ids) -> Flags:
    """Pages that stand in the menus and footers of most sites that link to them.

    As in a base set: a site of five captured pages or more, more than half of
    which link there.
    """
    bar = menu_bar(_sizes(around))
    each = [_votes(around, page) for page in pages.tolist()]
    found = [2 * np.count_nonzero(votes > bar) > np.count_nonzero(votes) for votes in each]
    return np.array(found, bool)


def known(around: Around, pages: Ids) -> Flags:
    """Pages that a quarter of all sites link to, where these are a hundred or more.

    Search engines and the like: whoever wants to link there does.
    """
    sites = np.count_nonzero(_sizes(around))
    if sites < MANY:
        return np.zeros(len(pages), bool)
    each = [np.count_nonzero(_votes(around, page)) for page in pages.tolist()]
    found: Flags = EVERYBODY * np.array(each, np.int64) >= sites
    return found


def _votes(around: Around, page: int) -> Offsets:
    """How many pages of each site link to a page."""
    rows = around.graph.inlinks
    linking = np.asarray(rows.ids[rows.starts[page] : rows.starts[page + 1]])
    return np.bincount(around.sites[linking], minlength=len(around.site_names))


def _sizes(around: Around) -> Offsets:
    """How many captured pages each site has."""

    def count() -> Offsets:
        own = around.sites[captured(around.graph)]
        return np.bincount(own, minlength=len(around.site_names))

    return around.once("sizes of sites", count)
