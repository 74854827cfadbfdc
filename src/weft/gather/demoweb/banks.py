"""The words of the demo web, read from the resource files beside this module."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Any

SENSES = ("cars", "football", "console", "animal")
LANGUAGES = ("de", "fr", "es")

Lists = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Voice:
    """How one kind of site writes: aloud (it says the word), quietly, or in another language."""

    titles: list[str]
    hub_titles: list[str]
    hub_intros: list[str]
    leads: list[str]
    sentences: list[str]
    names: list[str]


@dataclass(frozen=True, slots=True)
class Named:
    """A site written out by hand: an authority of a sense."""

    name: str
    url: str
    about: str
    anchors: list[str]
    quiet_anchors: list[str]
    quiet: bool = False
    captured: bool = True


@dataclass(frozen=True, slots=True)
class Topic:
    """All that pages on one subject can say, and the sites that lead in it."""

    name: str
    share: float
    voices: Mapping[str, Voice]
    slots: Lists
    headings: list[str]
    details: Lists
    authorities: list[Named]
    regional: str
    regional_about: str


class Words(dict[str, str]):
    """Fills the gaps of a sentence: each gap anew, but the subject of a page stays."""

    def __init__(self, rng: Random, slots: Lists, subject: str = "") -> None:
        self._random, self._slots = rng.random, slots
        self["subject"] = subject or self._pick("subject")

    def __missing__(self, key: str) -> str:
        if key == "owner":
            return f"{self._pick('first')} {self._pick('surname')}"
        return self._pick(key)

    def _pick(self, key: str) -> str:
        options = self._slots.get(key, [""])
        return options[int(self._random() * len(options))]

    def choose(self, options: list[str]) -> str:
        """One of the texts, with its gaps filled."""
        return options[int(self._random() * len(options))].format_map(self)


@cache
def common() -> Mapping[str, Any]:
    """What all topics share: people, towns, portals, the company, phrases around links."""
    return read("common")


@cache
def skins() -> list[Mapping[str, Any]]:
    """The looks a site can have."""
    found: list[Mapping[str, Any]] = read("skins")["skin"]
    return found


@cache
def topics() -> Mapping[str, Topic]:
    """The senses of the query, the background topics, the company and the advertisers, by name."""
    senses = {name: _sense(name, read(name)) for name in SENSES}
    others = {raw["name"]: _background(raw) for raw in read("background")["topic"]}
    return {**senses, **others, "company": _company(), "advertiser": _advertiser()}


@cache
def background_names() -> tuple[str, ...]:
    """The topics that have nothing to do with the query."""
    return tuple(raw["name"] for raw in read("background")["topic"])


def read(name: str) -> dict[str, Any]:
    """A resource file as it stands."""
    text = resources.files("weft.gather.demoweb").joinpath(f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _sense(name: str, raw: Mapping[str, Any]) -> Topic:
    aloud = Voice(
        raw["titles"],
        raw["hub_titles"],
        raw["hub_intros"],
        raw["leads"],
        raw["says"] + raw["facts"],
        raw["sites"]["names"],
    )
    quiet = Voice(
        raw["quiet_titles"],
        raw["quiet_hub_titles"],
        raw["quiet_hub_intros"],
        raw["quiet_leads"],
        raw["facts"],
        raw["sites"]["quiet_names"],
    )
    foreign = {language: _foreign(raw["foreign"][language], language) for language in LANGUAGES}
    return Topic(
        name,
        raw["share"],
        {"": aloud, "quiet": quiet, **foreign},
        {**common()["slots"], **raw["slots"]},
        raw["headings"],
        raw["details"],
        [Named(**entry) for entry in raw["authority"]],
        raw["sites"]["regional"],
        raw["sites"]["regional_about"],
    )


def _foreign(raw: Mapping[str, list[str]], language: str) -> Voice:
    shared = common()["foreign"][language]
    leads = [sentence for sentence in raw["sentences"] if "aguar" in sentence]
    further = [sentence for sentence in raw["sentences"] if sentence not in leads]
    return Voice(
        raw["titles"],
        shared["hub_titles"],
        shared["hub_intros"],
        leads,
        further + shared["sentences"],
        shared["names"],
    )


def _background(raw: Mapping[str, Any]) -> Topic:
    lines = raw["sentences"]
    voice = Voice(raw["titles"], raw["hub_titles"], lines, lines, lines, raw["sites"])
    return _plain(raw["name"], voice, {"subject": raw["subjects"]})


def _company() -> Topic:
    raw = common()["company"]
    titles = ["{subject}: {kind}"]
    voice = Voice(titles, titles, raw["lines"], raw["lines"], raw["lines"], [raw["name"]])
    return _plain("company", voice, {"subject": raw["pages"], "kind": raw["kinds"]})


def _advertiser() -> Topic:
    raw = common()["advertisers"]
    lines = raw["lines"]
    voice = Voice(raw["banners"], raw["banners"], lines, lines, lines, raw["names"])
    return _plain("advertiser", voice, {})


def _plain(name: str, voice: Voice, slots: Lists) -> Topic:
    return Topic(name, 0.0, {"": voice}, {**common()["slots"], **slots}, [], {}, [], "", "")
