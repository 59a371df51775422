"""Schemas of JSON values: what a file must hold, in a few words of ours; a value in, nothing or a `Misfit` out.

Each is a frozen dataclass with `check(value, place)`, where `place` says where in the file the value stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from nntag.errors import cut

LONGEST_TEXT = 100_000  # characters of one string
LARGEST_WHOLE = 2**53  # beyond it, a whole number is not the same in every JSON reader
DEEPEST = 20  # lists and objects inside each other, where a schema leaves them open


class Misfit(ValueError):
    """A value that is not what the schema wants."""


class Schema(Protocol):
    """What a value must be."""

    def check(self, value: Any, place: str) -> None:
        """Raises `Misfit`, which names `place`."""


def describe(value: Any) -> str:
    """A value for a message: never more than a few words of it."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value):,}"
    return cut(ascii(value) if isinstance(value, str) else repr(value), 60)


def _require(right: bool, place: str, wanted: str, value: Any) -> None:
    if not right:
        raise Misfit(f"{place} must be {wanted}, found {describe(value)}")


def _is_unicode(text: str) -> bool:
    """False for half of a surrogate pair, which no output can be written with."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever JSON can hold, not nested deeper than `DEEPEST`."""

    def check(self, value: Any, place: str) -> None:
        level = [value]
        for _ in range(DEEPEST + 1):
            level = [part for whole in level for part in _parts(whole)]
            if not level:
                return
        raise Misfit(f"{place} must not be nested more than {DEEPEST} deep")


def _parts(value: Any) -> Sequence[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()


@dataclass(frozen=True, slots=True)
class Text:
    """A string; with `path`, one that may hold the bytes of a file name that is not UTF-8."""

    path: bool = False

    def check(self, value: Any, place: str) -> None:
        _require(isinstance(value, str), place, "text", value)
        _require(len(value) <= LONGEST_TEXT, place, f"text of at most {LONGEST_TEXT:,} characters", value)
        _require(self.path or _is_unicode(value), place, "text without halves of surrogate pairs", value)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few strings."""

    values: tuple[str, ...]

    def check(self, value: Any, place: str) -> None:
        _require(value in self.values, place, " or ".join(self.values), value)


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""

    def check(self, value: Any, place: str) -> None:
        _require(isinstance(value, bool), place, "true or false", value)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number in a closed range."""

    low: int = 0
    high: int = LARGEST_WHOLE

    def check(self, value: Any, place: str) -> None:
        right = type(value) is int and self.low <= value <= self.high
        _require(right, place, f"a whole number from {self.low} to {self.high}", value)


@dataclass(frozen=True, slots=True)
class Real:
    """A number, also a whole one; finite unless `any_size`."""

    any_size: bool = False

    def check(self, value: Any, place: str) -> None:
        right = type(value) is float or (type(value) is int and abs(value) <= LARGEST_WHOLE)
        _require(right and (self.any_size or math.isfinite(value)), place, "a finite number", value)


@dataclass(frozen=True, slots=True)
class Maybe:
    """null, or what `schema` wants."""

    schema: Schema

    def check(self, value: Any, place: str) -> None:
        if value is not None:
            self.schema.check(value, place)


@dataclass(frozen=True, slots=True)
class OneOrMore:
    """What `schema` wants, or a list of at least two of it."""

    schema: Schema

    def check(self, value: Any, place: str) -> None:
        (Rows(self.schema, 2) if isinstance(value, list) else self.schema).check(value, place)


@dataclass(frozen=True, slots=True)
class Rows:
    """A list whose items all fit one schema."""

    item: Schema
    shortest: int = 0

    def check(self, value: Any, place: str) -> None:
        _require(isinstance(value, list), place, "a list", value)
        _require(len(value) >= self.shortest, place, f"a list of at least {self.shortest}", value)
        if self.item == Text() and _are_texts(value):  # a vocabulary: a call for each of its words would take seconds
            return
        for number, item in enumerate(value):
            self.item.check(item, f"{place}[{number}]")


def _are_texts(values: list[Any]) -> bool:
    longest = max(map(len, values), default=0) if set(map(type, values)) <= {str} else LONGEST_TEXT + 1
    return longest <= LONGEST_TEXT and _is_unicode("".join(values))


@dataclass(frozen=True, slots=True)
class Columns:
    """A list whose items fit one schema each, in their order."""

    items: tuple[Schema, ...]

    def check(self, value: Any, place: str) -> None:
        right = isinstance(value, list) and len(value) == len(self.items)
        _require(right, place, f"a list of {len(self.items)}", value)
        for number, (schema, item) in enumerate(zip(self.items, value, strict=True)):
            schema.check(item, f"{place}[{number}]")


@dataclass(frozen=True, slots=True)
class Table:
    """An object with any keys, whose values all fit one schema."""

    values: Schema = Anything()

    def check(self, value: Any, place: str) -> None:
        _require(isinstance(value, dict), place, "an object", value)
        for key, item in value.items():
            Text().check(key, f"a key of {place}")
            self.values.check(item, f"{place}.{cut(key, 60)}")


@dataclass(frozen=True, slots=True)
class Record:
    """An object with keys that it must have and keys that it may have; other keys may hold anything."""

    needed: Mapping[str, Schema]
    optional: Mapping[str, Schema] = field(default_factory=dict)
    same_length: tuple[tuple[str, str], ...] = ()  # keys of lists that belong together item by item

    def check(self, value: Any, place: str) -> None:
        Table().check(value, place)
        for key in self.needed:
            if key not in value:
                raise Misfit(f"{place} must have {key!r}")
        for key, schema in {**self.optional, **self.needed}.items():
            if key in value:
                schema.check(value[key], f"{place}.{key}")
        for one, other in self.same_length:
            if len(value[one]) != len(value[other]):
                raise Misfit(f"{one} and {other} must have the same length")
