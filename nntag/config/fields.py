"""Config fields, and values from TOML, `--set` and flags checked against them: any value in, a valid dataclass out."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import os
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from nntag.errors import UsageError

LARGEST = 10**15  # of whole numbers that name no limit of their own: far above any, and one of 64 bits
MOST_PROCESSES = 16 * (os.cpu_count() or 1)  # more can only be a slip, and would take down the machine

C = TypeVar("C")
F = TypeVar("F", bound=Callable[..., Any])


def option(default: Any, help: str, *, low: float | None = None, high: float | None = None) -> Any:
    """A config field with its help text and, for numbers, the closed range of values that make sense."""
    return dataclasses.field(default=default, metadata={"help": help, "low": low, "high": high})


def flag(
    default: Any,
    help: str,
    *,
    names: tuple[str, ...] = (),
    tasks: tuple[str, ...] = (),
    setting: str = "",
    argument: bool = False,
    commas: bool = False,
    hidden: bool = False,
    low: float | None = None,
    high: float | None = None,
    metavar: str = "",
) -> Any:
    """A field of a command's options, from which its flag on the command line is made.

    `names`: what the flag is called, --FIELD by default. `tasks`: the only ones that have a use for it (none: all).
    `setting`: the `section.field` of a run's settings that it sets. `argument`: given by its place, not by a name.
    `commas`: several values, separated by commas; without it a tuple's flag is repeated. `hidden`: the command
    sets the value itself, there is no such flag. `low`, `high`: the least and the largest number that make sense.
    `metavar`: what stands for the value in help texts, where its name and type tell it badly.
    """
    details = {"names": names, "tasks": tasks, "setting": setting, "argument": argument}
    details |= {"commas": commas, "hidden": hidden, "low": low, "high": high, "metavar": metavar}
    return dataclasses.field(default=default, metadata={"help": help, **details})


def check_flags(options: Any, task: str, reason: Callable[[str, tuple[str, ...]], str]) -> None:
    """Raises `UsageError` for a flag that was given and that `task` has no use for.

    `reason` makes the message from the flag and the tasks that do take it.
    """
    for field in dataclasses.fields(options):
        tasks = field.metadata.get("tasks", ())
        if tasks and task not in tasks and getattr(options, field.name) != field.default:
            raise UsageError(reason(flag_name(field), tasks))


def takes_options(options: type) -> Callable[[F], F]:
    """Decorates a command, whose first parameter is an object of the class `options`, so that calling it with the
    options themselves, as `train(layers=3)`, raises a `TypeError` that says how it is called."""

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def call(*arguments: Any, **named: Any) -> Any:
            fields = [field.name for field in dataclasses.fields(options)]
            loose = [f"{name}={value!r}" for name, value in named.items() if name in fields]
            if arguments and not isinstance(arguments[0], options | None):
                loose = [repr(arguments[0]), *loose]
            if loose:
                name = command.__name__
                raise TypeError(
                    f"{name}() takes its options as one object: {name}({options.__name__}({', '.join(loose)})), with "
                    f"{options.__name__} from {options.__module__}"
                )
            return command(*arguments, **named)

        return cast(F, call)

    return decorate


def refuse_flags(options: Any, names: Iterable[str], reason: str) -> None:
    """Raises `UsageError` for the first of these fields that was given: its flag would do nothing, for this reason."""
    for field in dataclasses.fields(options):
        if field.name in names and getattr(options, field.name) != field.default:
            raise UsageError(f"{flag_name(field)} {reason}")


def flag_name(field: dataclasses.Field[Any]) -> str:
    """`--tag-cutoff` for the field `tag_cutoff`."""
    names = field.metadata.get("names", ())
    return names[0].split("/")[0] if names else "--" + field.name.replace("_", "-")


def build_config(cls: type[C], values: Mapping[str, Any]) -> C:
    """`cls(**values)` after checking every name, type and range; raises `UsageError`."""
    fields = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(cls)
    for name in values:
        if name not in fields:
            raise UsageError(unknown_name("option", name, fields))
    return cls(**{name: check_value(name, hints[name], fields[name], value) for name, value in values.items()})


def check_value(name: str, hint: Any, field: dataclasses.Field[Any], value: Any) -> Any:
    """`value` converted to the field's type; text (from `--set`) is parsed; raises `UsageError`."""
    converted = _convert(name, hint, value)
    low, high = field.metadata.get("low"), field.metadata.get("high")
    if isinstance(converted, int | float) and not isinstance(converted, bool):
        if low is not None and converted < low:
            raise UsageError(f"{name} must be at least {low}, found {converted}")
        most = LARGEST if high is None and isinstance(converted, int) else high
        if most is not None and converted > most:
            raise UsageError(f"{name} must be at most {most}, found {converted}")
    return converted


def _convert(name: str, hint: Any, value: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        if value not in arguments:
            raise UsageError(unknown_name(name, value, arguments))
        return value
    if origin is types.UnionType or origin is typing.Union:  # "X | None"
        if value is None or value in ("", "none"):
            return None
        kinds = [a for a in arguments if a is not type(None)]
        return _convert(name, str if isinstance(value, str) and str in kinds else kinds[0], value)
    if origin is tuple:
        return _convert_tuple(name, arguments, value)
    if hint is bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in _BOOLEANS:
            return _BOOLEANS[value.lower()]
        raise UsageError(f"{name} must be true or false, found {value!r}")
    if hint is int or hint is float:
        return _convert_number(name, hint, value)
    if not isinstance(value, str):
        raise UsageError(f"{name} must be text, found {value!r}")
    return value


_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _convert_number(name: str, hint: type, value: Any) -> int | float:
    wanted = "a whole number" if hint is int else "a number"
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise UsageError(f"{name} must be {wanted}, found {value!r}")
    try:
        number = hint(value)
    except (ValueError, OverflowError):
        raise UsageError(f"{name} must be {wanted}, found {value!r}") from None
    if isinstance(number, float) and not math.isfinite(number) or (isinstance(value, float) and number != value):
        raise UsageError(f"{name} must be {wanted}, found {value!r}")
    return number


def _convert_tuple(name: str, arguments: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    """Tuples of numbers come as TOML arrays or as `1,2,3`; tuples of pairs as arrays of arrays or as `1-3,2-4`."""
    inner = arguments[0]
    parts = [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise UsageError(f"{name} must be a list, found {value!r}")
    if typing.get_origin(inner) is not tuple:
        return tuple(_convert(name, inner, part) for part in parts)
    kinds = typing.get_args(inner)
    pairs = [part.split("-") if isinstance(part, str) else part for part in parts]
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != len(kinds):
            raise UsageError(f"{name} must be a list of pairs such as 1-3,2-4, found {value!r}")
    return tuple(tuple(_convert(name, kind, item) for kind, item in zip(kinds, pair, strict=True)) for pair in pairs)


def unknown_name(what: str, found: object, choices: Iterable[object]) -> str:
    """The message for a name that does not exist: the nearest one and all the choices."""
    names = [str(choice) for choice in choices]
    near = difflib.get_close_matches(str(found), names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown {what} {str(found)!r}{hint} (choices: {', '.join(names)})"
