"""What one site says that another does not, as tables with their evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids, Offsets, Rows
from weft.core.wording import address
from weft.gather.url import host
from weft.run.site_texts import Reader
from weft.run.sites import Site
from weft.structure.concepts import MOST, Concept, concepts, times_said, without_parts
from weft.structure.sites import (
    Said,
    corresponding,
    likeness,
    pooled,
    spread,
    unexpected,
    unexpected_pages,
)

WORDS = 5
FEWEST = 5
LOOKED_AT, ENOUGH = 200, 20
SATURATION, PENALTY = 1.2, 0.75
SHOWN = ("unexpectedness", pa.float64())
SEEN = [("example", pa.string()), ("snippet", pa.string())]
SPREAD = [("their_pages", pa.int64()), ("my_pages", pa.int64()), *SEEN]
TERMS = pa.schema([("term", pa.string()), SHOWN, *SPREAD])
CONCEPTS = pa.schema([("concept", pa.string()), SHOWN, ("alone", pa.float64()), *SPREAD])
PAGES = pa.schema(
    [
        ("page", pa.string()),
        ("title", pa.string()),
        SHOWN,
        ("terms", pa.int64()),
        ("unexpected", pa.string()),
        ("nearest", pa.string()),
        ("cosine", pa.float64()),
        ("snippet", pa.string()),
    ]
)
MATCHES = pa.schema(
    [
        ("mine", pa.string()),
        ("theirs", pa.string()),
        ("cosine", pa.float64()),
        ("path", pa.float64()),
        ("title", pa.float64()),
        ("unexpected", pa.string()),
    ]
)


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of two sites: what each says, and the terms that are expected anyway.

    `extra` is what pages say that are known besides, `named` the words of
    their own name.
    """

    reader: Reader
    mine: Site
    theirs: Site
    own: Said
    other: Said
    extra: Said
    known: Ids
    named: Ids

    @cached_property
    def stems(self) -> list[str]:
        """The stem of each term."""
        return list(self.reader.known)

    @cached_property
    def forms(self) -> list[str]:
        """Each term as it is mostly written."""
        return self.reader.forms()

    @cached_property
    def surprise(self) -> Floats:
        """How unexpected each term is on their site as a whole."""
        n = len(self.stems)
        own = pooled(self.own.counts, n) + pooled(self.extra.counts, n)
        return unexpected(own, pooled(self.other.counts, n), self.known)

    def terms(self, top: int) -> tuple[pa.Table, int]:
        """Their unexpected terms, and how many there are."""
        pages, mine = (spread(said.counts, len(self.stems)) for said in (self.other, self.own))
        times = pooled(self.other.counts, len(self.stems))
        order = np.lexsort((-times, -pages, -self.surprise.round(1)))
        order = order[self.surprise[order] > 0]
        best = _most_telling(self.other.counts, order[:top])
        rows = [
            {
                "term": self.forms[term],
                "unexpectedness": float(self.surprise[term]),
                "their_pages": int(pages[term]),
                "my_pages": int(mine[term]),
                "example": int(self.theirs.fetched[page]),
                "wanted": [term],
            }
            for term, page in zip(order[:top].tolist(), best.tolist(), strict=True)
        ]
        return self._with_snippets(rows, TERMS), len(order)

    def concepts(self, top: int) -> tuple[pa.Table, int, bool]:
        """Their unexpected concepts, those first whose terms alone are not.

        How many there are, and whether all that were found were compared.
        """
        each = [concepts(said) for said in (self.other, self.own)]
        sets = list(dict.fromkeys(chain(*each)))
        sets = [concept for concept in sets if set(concept).isdisjoint(self.named.tolist())]
        theirs, pages = times_said(self.other, sets, len(self.stems))
        mine, own_pages = times_said(self.own, sets, len(self.stems))
        known = np.flatnonzero([np.isin(concept, self.known).all() for concept in sets])
        value = unexpected(mine, theirs, known.astype(np.int32))
        alone = np.array([self.surprise[list(concept)].max() for concept in sets])
        size = np.array([len(some) for some in pages])
        together = size * np.maximum(value - alone, 0)
        order = np.lexsort((-size, -together.round(9), -value.round(1)))
        whole = without_parts(sets, theirs)
        order = order[np.isin(order, whole) & (value[order] > 0)]
        rows = [
            {
                "concept": sets[k],
                "unexpectedness": float(value[k]),
                "alone": float(alone[k]),
                "their_pages": int(size[k]),
                "my_pages": len(own_pages[k]),
                "example": int(self.theirs.fetched[self._most_both(sets[k], pages[k])]),
                "wanted": sets[k],
            }
            for k in order[:top].tolist()
        ]
        every = max(map(len, each)) < MOST
        return self._with_snippets(rows, CONCEPTS), len(order), every

    def pages(self, top: int, least: int, known: Ids) -> tuple[pa.Table, int]:
        """Their unexpected pages that are not known, and how many there are."""
        value = unexpected_pages(self.other.counts, self.surprise, least)
        value = np.where(np.isin(self.theirs.fetched, known), 0, np.nan_to_num(value))
        order = np.argsort(-value.round(12), kind="stable")
        order = order[value[order] > 0]
        near = self._nearest(order[:top])
        shown = self.theirs.fetched[order[:top]]
        titles = self._column("title", shown)
        rows = []
        for page, number, title in zip(order.tolist(), shown.tolist(), titles, strict=False):
            words = self._foremost(
                self.other.terms_of(page), self.surprise, self.other.times_of(page)
            )
            other, cosine = near.get(page, ("", 0.0))
            rows.append(
                {
                    "page": self._column("url", [number])[0],
                    "title": title,
                    "unexpectedness": float(value[page]),
                    "terms": len(self.other.terms_of(page)),
                    "unexpected": self._named(words),
                    "nearest": other,
                    "cosine": cosine,
                    "example": number,
                    "wanted": words,
                }
            )
        return self._with_snippets(rows, PAGES), len(order)

    def matches(self, top: int, threshold: float) -> tuple[pa.Table, int, bool]:
        """My pages with the page of theirs most like each; how many, and whether all were tried."""
        own, other = (_long_enough(said.counts) for said in (self.own, self.other))
        pairs = corresponding(own, other, len(self.stems), threshold=threshold)
        order = np.argsort(-pairs.cosine.round(12), kind="stable")[:top]
        rows = []
        for one, two, cosine in zip(
            pairs.mine[order].tolist(),
            pairs.theirs[order].tolist(),
            pairs.cosine[order].tolist(),
            strict=True,
        ):
            urls = self._column("url", [self.mine.fetched[one], self.theirs.fetched[two]])
            titles = self._column("title", [self.mine.fetched[one], self.theirs.fetched[two]])
            paths = [address(url)[len(host(url)) :] for url in urls]
            rows.append(
                {
                    "mine": urls[0],
                    "theirs": urls[1],
                    "cosine": cosine,
                    "path": likeness(*paths),
                    "title": likeness(*titles),
                    "unexpected": self._named(self.of_pair(one, two)),
                }
            )
        return pa.Table.from_pylist(rows, schema=MATCHES), len(pairs.mine), pairs.exact

    def of_pair(self, one: int, two: int) -> list[int]:
        """The most unexpected terms of a page of theirs beside one of mine."""
        terms, times = self.other.terms_of(two), self.other.times_of(two)
        mine = np.zeros(len(self.stems))
        mine[self.own.terms_of(one)] = self.own.times_of(one)
        theirs = np.zeros(len(self.stems))
        theirs[terms] = times
        return self._foremost(terms, unexpected(mine, theirs, self.known), times)

    def _foremost(self, terms: Ids, surprise: Floats, times: Floats) -> list[int]:
        """The most unexpected of some terms, those said most often first among equals."""
        order = np.lexsort((-times, -surprise[terms].round(1)))
        return [term for term in terms[order].tolist() if surprise[term] > 0][:WORDS]

    def _most_both(self, concept: Concept, pages: Ids) -> int:
        """Of some pages the one that says a concept's rarest term most often for its length."""
        some = pages[:LOOKED_AT].tolist()
        often = [min(self._times(page, term) for term in concept) for page in some]
        return int(pages[int(np.argmax(often))])

    def _times(self, page: int, term: int) -> float:
        at = np.searchsorted(self.other.terms_of(page), term)
        times = self.other.times_of(page)
        return float(times[at] / times.sum() ** 0.5)

    def _nearest(self, pages: Offsets) -> dict[int, tuple[str, float]]:
        """For some of their pages which of mine is most like it, and how much."""
        some = _chosen(self.other.counts, pages)
        pairs = corresponding(some, _long_enough(self.own.counts), len(self.stems), threshold=0)
        urls = self._column("url", self.mine.fetched[pairs.theirs])
        found = zip(pages[pairs.mine].tolist(), urls, pairs.cosine.tolist(), strict=True)
        return {page: (url, cosine) for page, url, cosine in found}

    def _named(self, terms: Iterable[int]) -> str:
        return ", ".join(self.forms[term] for term in terms)

    def _column(self, name: str, numbers: Sequence[int] | Ids) -> list[str]:
        column = self.reader.collection.pages[name]
        found: list[str] = column.take(pa.array(numbers, pa.int64())).to_pylist()
        return found

    def _with_snippets(self, rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
        """Rows with the piece of the example where the wanted terms stand."""
        numbers = [row["example"] for row in rows]
        wanted = [{self.stems[term] for term in row["wanted"]} for row in rows]
        snippets, urls = self.reader.snippets(numbers, wanted), self._column("url", numbers)
        for row, snippet, url in zip(rows, snippets, urls, strict=True):
            row["snippet"], row["example"] = snippet, url
            if "concept" in row:
                row["concept"] = self._in_order(row["concept"], snippet)
        return pa.Table.from_pylist(
            [{name: row[name] for name in schema.names} for row in rows], schema=schema
        )

    def _in_order(self, concept: Concept, text: str) -> str:
        """The terms of a concept as a text has them one after the other."""
        words = text.lower()
        at = {self.forms[term]: words.find(self.forms[term][:4]) for term in concept}
        return " ".join(sorted(at, key=lambda form: (at[form] < 0, at[form])))


def _most_telling(counts: Rows, terms: Offsets) -> Offsets:
    """For each of some terms the page that says it most often for its length, as BM25 has it.

    Pages with a few terms count for less.
    """
    sizes, said = np.diff(counts.starts), np.asarray(counts.weights, np.float64)
    page = np.repeat(np.arange(len(sizes)), sizes)
    length = np.bincount(page, said, len(sizes))
    wanted = np.isin(counts.ids, terms)
    page, term, times = page[wanted], counts.ids[wanted], said[wanted]
    usual = max(float(length.sum()) / max(len(length), 1), 1.0)
    worth = times / (times + SATURATION * (1 - PENALTY + PENALTY * length[page] / usual))
    worth *= np.minimum(sizes[page] / ENOUGH, 1)
    order = np.lexsort((page, -worth.round(12), term))
    found: Offsets = page[order][np.searchsorted(term[order], terms)]
    return found


def _long_enough(counts: Rows) -> Rows:
    """The rows of pages with a few different terms; the others are empty."""
    return _kept(counts, np.diff(counts.starts) >= FEWEST)


def _kept(counts: Rows, chosen: Flags) -> Rows:
    sizes = np.diff(counts.starts)
    inside = np.repeat(chosen, sizes)
    starts = np.concatenate([[0], np.cumsum(np.where(chosen, sizes, 0))])
    return Rows(starts, counts.ids[inside], np.asarray(counts.weights)[inside])


def _chosen(counts: Rows, pages: Offsets) -> Rows:
    """The rows of some pages, in their order."""
    parts = [
        slice(int(counts.starts[page]), int(counts.starts[page + 1])) for page in pages.tolist()
    ]
    starts = np.cumsum([0, *(part.stop - part.start for part in parts)])
    ids = np.concatenate([np.zeros(0, np.int32), *(counts.ids[part] for part in parts)])
    times = [np.zeros(0, np.float32), *(np.asarray(counts.weights)[part] for part in parts)]
    return Rows(starts, ids, np.concatenate(times))
