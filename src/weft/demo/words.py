"""The texts of the demo web, loaded from the TOML files in this folder."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Any

QUERY_SENSES = ("cars", "football", "console", "animal")
FOREIGN_LANGUAGES = ("de", "fr", "es")

TextLists = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class WritingStyle:
    """The texts of one kind of site: with the query word, without it (quiet), or foreign."""

    titles: list[str]
    hub_titles: list[str]
    hub_intros: list[str]
    lead_sentences: list[str]
    sentences: list[str]
    site_names: list[str]


@dataclass(frozen=True, slots=True)
class AuthoritySite:
    """An authority of a sense, written by hand.

    A quiet one avoids the query word; one that is not captured is only linked to.
    """

    name: str
    url: str
    about: str
    anchors: list[str]
    quiet_anchors: list[str]
    quiet: bool = False
    captured: bool = True


@dataclass(frozen=True, slots=True)
class DemoTopic:
    """The texts of pages on one topic by writing style, and its authorities."""

    name: str
    page_share: float
    writing_styles: Mapping[str, WritingStyle]
    slots: TextLists
    headings: list[str]
    details: TextLists
    authorities: list[AuthoritySite]
    regional_name: str
    regional_description: str


class TemplateFiller(dict[str, str]):
    """Fills the slots of templates at random; only the subject stays the same on a page."""

    def __init__(self, rng: Random, slots: TextLists, subject: str = "") -> None:
        self._random, self._slots = rng.random, slots
        self["subject"] = subject or self._random_value("subject")

    def __missing__(self, key: str) -> str:
        if key == "owner":
            return f"{self._random_value('first')} {self._random_value('surname')}"
        return self._random_value(key)

    def _random_value(self, key: str) -> str:
        values = self._slots.get(key, [""])
        return values[int(self._random() * len(values))]

    def fill_random_template(self, templates: list[str]) -> str:
        """A random template with its slots filled."""
        return templates[int(self._random() * len(templates))].format_map(self)


@cache
def load_shared_texts() -> Mapping[str, Any]:
    """Texts that all topics share: people, towns, portals, the company, phrases around links."""
    return read_toml_resource("common")


@cache
def load_html_templates() -> list[Mapping[str, Any]]:
    """The HTML templates of sites."""
    skins: list[Mapping[str, Any]] = read_toml_resource("skins")["skin"]
    return skins


@cache
def load_topics() -> Mapping[str, DemoTopic]:
    """All topics by name: query senses, background topics, company and advertisers."""
    senses = {name: _sense_topic(name, read_toml_resource(name)) for name in QUERY_SENSES}
    others = {
        raw["name"]: _background_topic(raw) for raw in read_toml_resource("background")["topic"]
    }
    return {**senses, **others, "company": _company_topic(), "advertiser": _advertiser_topic()}


@cache
def background_topic_names() -> tuple[str, ...]:
    """The names of the topics unrelated to the query."""
    return tuple(raw["name"] for raw in read_toml_resource("background")["topic"])


def read_toml_resource(name: str) -> dict[str, Any]:
    """Parse a TOML file of this folder."""
    text = resources.files("weft.demo").joinpath(f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _sense_topic(name: str, raw: Mapping[str, Any]) -> DemoTopic:
    default = WritingStyle(
        raw["titles"],
        raw["hub_titles"],
        raw["hub_intros"],
        raw["leads"],
        raw["says"] + raw["facts"],
        raw["sites"]["names"],
    )
    quiet = WritingStyle(
        raw["quiet_titles"],
        raw["quiet_hub_titles"],
        raw["quiet_hub_intros"],
        raw["quiet_leads"],
        raw["facts"],
        raw["sites"]["quiet_names"],
    )
    foreign = {
        language: _foreign_style(raw["foreign"][language], language)
        for language in FOREIGN_LANGUAGES
    }
    return DemoTopic(
        name,
        raw["share"],
        {"": default, "quiet": quiet, **foreign},
        {**load_shared_texts()["slots"], **raw["slots"]},
        raw["headings"],
        raw["details"],
        [AuthoritySite(**entry) for entry in raw["authority"]],
        raw["sites"]["regional"],
        raw["sites"]["regional_about"],
    )


def _foreign_style(raw: Mapping[str, list[str]], language: str) -> WritingStyle:
    shared = load_shared_texts()["foreign"][language]
    leads = [sentence for sentence in raw["sentences"] if "aguar" in sentence]
    others = [sentence for sentence in raw["sentences"] if sentence not in leads]
    return WritingStyle(
        raw["titles"],
        shared["hub_titles"],
        shared["hub_intros"],
        leads,
        others + shared["sentences"],
        shared["names"],
    )


def _background_topic(raw: Mapping[str, Any]) -> DemoTopic:
    lines = raw["sentences"]
    style = WritingStyle(raw["titles"], raw["hub_titles"], lines, lines, lines, raw["sites"])
    return _single_style_topic(raw["name"], style, {"subject": raw["subjects"]})


def _company_topic() -> DemoTopic:
    raw = load_shared_texts()["company"]
    titles = ["{subject}: {kind}"]
    style = WritingStyle(titles, titles, raw["lines"], raw["lines"], raw["lines"], [raw["name"]])
    return _single_style_topic("company", style, {"subject": raw["pages"], "kind": raw["kinds"]})


def _advertiser_topic() -> DemoTopic:
    raw = load_shared_texts()["advertisers"]
    lines = raw["lines"]
    style = WritingStyle(raw["banners"], raw["banners"], lines, lines, lines, raw["names"])
    return _single_style_topic("advertiser", style, {})


def _single_style_topic(name: str, style: WritingStyle, slots: TextLists) -> DemoTopic:
    return DemoTopic(
        name, 0.0, {"": style}, {**load_shared_texts()["slots"], **slots}, [], {}, [], "", ""
    )
