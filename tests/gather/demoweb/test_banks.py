"""The word banks keep what they promise, and gaps are filled from them alone."""

import re
from itertools import chain
from random import Random
from string import Formatter

import pytest

from weft.gather.demoweb.banks import (
    LANGUAGES,
    SENSES,
    Words,
    background_names,
    common,
    read,
    skins,
    topics,
)


def test_the_word_banks_keep_their_promises() -> None:
    """What quiet pages draw from has no jaguar in it, and nothing needs escaping."""
    for sense in SENSES:
        topic = topics()[sense]
        quiet = topic.voices["quiet"]
        named = [one.about for one in topic.authorities if one.quiet]
        texts = [*quiet.titles, *quiet.leads, *quiet.sentences, *quiet.names, *quiet.hub_titles]
        texts += [*quiet.hub_intros, *topic.headings, *chain(*topic.slots.values()), *named]
        texts += [text for one in topic.authorities for text in one.quiet_anchors]
        assert not [text for text in texts if "jaguar" in text.lower()]
        assert all("jaguar" in lead.lower() for lead in topic.voices[""].leads)
    for name in (*SENSES, "background", "common"):
        assert not re.search(r"[<>&]", str(read(name)))
    assert len(background_names()) >= 5


def test_every_gap_has_words() -> None:
    for topic in topics().values():
        known = {*topic.slots, "owner", "subject"}
        for voice in topic.voices.values():
            texts = [*voice.titles, *voice.leads, *voice.sentences, *voice.names]
            for text in [*texts, *voice.hub_titles, *voice.hub_intros]:
                gaps = {gap for _, gap, _, _ in Formatter().parse(text) if gap}
                assert gaps <= known, (topic.name, text)


def test_senses_share_the_pages_out() -> None:
    assert sum(topics()[sense].share for sense in SENSES) == pytest.approx(1)
    for sense in SENSES:
        topic = topics()[sense]
        assert set(topic.voices) == {"", "quiet", *LANGUAGES}
        assert sum(not named.captured for named in topic.authorities) == 1
        assert len({named.url for named in topic.authorities}) == len(topic.authorities)


def test_foreign_pages_begin_with_the_word() -> None:
    for sense in SENSES:
        for language in LANGUAGES:
            voice = topics()[sense].voices[language]
            assert voice.leads
            assert all("aguar" in lead for lead in voice.leads)
            assert not set(voice.leads) & set(voice.sentences)


def test_a_gap_is_filled_anew_and_the_subject_stays() -> None:
    slots = {
        "subject": ["cats", "dogs"],
        "town": ["Leeds", "York"],
        "first": ["A"],
        "surname": ["B"],
    }
    words = Words(Random(1), slots)
    said = [words.choose(["{subject} of {town} by {owner}"]) for _ in range(30)]
    assert len({one.split(" of ")[0] for one in said}) == 1
    assert {one.split(" of ")[1] for one in said} == {"Leeds by A B", "York by A B"}
    assert Words(Random(1), slots, "birds").choose(["{subject}{nothing}"]) == "birds"


def test_every_skin_has_every_part() -> None:
    parts = set(skins()[0])
    assert len(skins()) > 1
    assert all(set(skin) == parts for skin in skins())
    for skin in skins():
        assert all(
            f"{{{part}}}" in skin["frame"] for part in ("title", "head", "nav", "body", "foot")
        )
    assert len(common()["portal"]) >= 8
