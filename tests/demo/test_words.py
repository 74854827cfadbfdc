"""The texts of the demo web: complete, quiet where they must be, and slots filled from them."""

import re
from itertools import chain
from random import Random
from string import Formatter

import pytest

from weft.demo.words import (
    FOREIGN_LANGUAGES,
    QUERY_SENSES,
    TemplateFiller,
    background_topic_names,
    load_html_templates,
    load_shared_texts,
    load_topics,
    read_toml_resource,
)


def test_quiet_texts_avoid_the_query_word_and_need_no_escaping() -> None:
    """Quiet texts never contain jaguar, and no text contains markup."""
    for sense in QUERY_SENSES:
        topic = load_topics()[sense]
        quiet = topic.writing_styles["quiet"]
        descriptions = [site.about for site in topic.authorities if site.quiet]
        texts = [
            *quiet.titles,
            *quiet.lead_sentences,
            *quiet.sentences,
            *quiet.site_names,
            *quiet.hub_titles,
        ]
        texts += [*quiet.hub_intros, *topic.headings, *chain(*topic.slots.values()), *descriptions]
        texts += [text for site in topic.authorities for text in site.quiet_anchors]
        assert not [text for text in texts if "jaguar" in text.lower()]
        assert all("jaguar" in lead.lower() for lead in topic.writing_styles[""].lead_sentences)
    for name in (*QUERY_SENSES, "background", "common"):
        assert not re.search(r"[<>&]", str(read_toml_resource(name)))
    assert len(background_topic_names()) >= 5


def test_every_slot_has_values() -> None:
    for topic in load_topics().values():
        known = {*topic.slots, "owner", "subject"}
        for style in topic.writing_styles.values():
            texts = [*style.titles, *style.lead_sentences, *style.sentences, *style.site_names]
            for text in [*texts, *style.hub_titles, *style.hub_intros]:
                slots = {slot for _, slot, _, _ in Formatter().parse(text) if slot}
                assert slots <= known, (topic.name, text)


def test_page_shares_of_senses_sum_to_one() -> None:
    assert sum(load_topics()[sense].page_share for sense in QUERY_SENSES) == pytest.approx(1)
    for sense in QUERY_SENSES:
        topic = load_topics()[sense]
        assert set(topic.writing_styles) == {"", "quiet", *FOREIGN_LANGUAGES}
        assert sum(not site.captured for site in topic.authorities) == 1
        assert len({site.url for site in topic.authorities}) == len(topic.authorities)


def test_foreign_leads_have_the_query_word() -> None:
    for sense in QUERY_SENSES:
        for language in FOREIGN_LANGUAGES:
            style = load_topics()[sense].writing_styles[language]
            assert style.lead_sentences
            assert all("aguar" in lead for lead in style.lead_sentences)
            assert not set(style.lead_sentences) & set(style.sentences)


def test_slots_are_filled_at_random_and_the_subject_stays() -> None:
    slots = {
        "subject": ["cats", "dogs"],
        "town": ["Leeds", "York"],
        "first": ["A"],
        "surname": ["B"],
    }
    words = TemplateFiller(Random(1), slots)
    texts = [words.fill_random_template(["{subject} of {town} by {owner}"]) for _ in range(30)]
    assert len({item.split(" of ")[0] for item in texts}) == 1
    assert {item.split(" of ")[1] for item in texts} == {"Leeds by A B", "York by A B"}
    assert (
        TemplateFiller(Random(1), slots, "birds").fill_random_template(["{subject}{nothing}"])
        == "birds"
    )


def test_every_skin_has_every_part() -> None:
    parts = set(load_html_templates()[0])
    assert len(load_html_templates()) > 1
    assert all(set(skin) == parts for skin in load_html_templates())
    for skin in load_html_templates():
        assert all(
            f"{{{part}}}" in skin["frame"] for part in ("title", "head", "nav", "body", "foot")
        )
    assert len(load_shared_texts()["portal"]) >= 8
