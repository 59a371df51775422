"""Flags from options: a frozen dataclass of `nntag.config.options` in, a command with a flag for each field out."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from nntag.config.fields import check_value, flag_name
from nntag.config.tasks import find_task
from nntag.errors import UsageError

Threads = Annotated[
    int,
    typer.Option(
        "--threads",
        help="Threads for torch's matrix products; more than one seldom helps with models of this size.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Device = Annotated[str, typer.Option("--device", help="cpu, cuda, cuda:N, or auto (a GPU where there is one).")]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="A line on stderr for every epoch, or file that is read; without it, and without a terminal, only "
        "trainings of more than a minute tell their epochs.",
    ),
]


def with_flags(
    options: type, helps: Mapping[str, str] | None = None, further: tuple[type, ...] = ()
) -> Callable[[Callable[..., Any]], Any]:
    """Decorates `command(options, ...)`: its first parameter is made of a flag for each field of the dataclass
    `options`, and the next ones likewise of those of `further`; the others are the command's own. `helps` overrides the
    help texts of single fields."""
    kinds = (options, *further)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        own = list(inspect.signature(command).parameters.values())[len(kinds) :]
        own_hints = typing.get_type_hints(command, include_extras=True)
        fields = {
            kind: [field for field in dataclasses.fields(kind) if _is_on_the_command_line(field)] for kind in kinds
        }
        parameters = [
            _parameter(field, hint, (helps or {}).get(field.name))
            for kind in kinds
            for field, hint in _with_hints(kind, fields[kind])
        ]
        parameters += [
            parameter.replace(annotation=own_hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in own
        ]
        parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)

        @functools.wraps(command)
        def run(**given: Any) -> Any:
            made = [
                kind(**{field.name: _value(field, given.pop(field.name)) for field in fields[kind]}) for kind in kinds
            ]
            return command(*made, **given)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _with_hints(kind: type, fields: Sequence[dataclasses.Field[Any]]) -> list[tuple[dataclasses.Field[Any], Any]]:
    hints = typing.get_type_hints(kind)
    return [(field, hints[field.name]) for field in fields]


def _is_on_the_command_line(field: dataclasses.Field[Any]) -> bool:
    return "help" in field.metadata and not field.metadata.get("hidden")


def _parameter(field: dataclasses.Field[Any], hint: Any, help: str | None) -> inspect.Parameter:
    """The parameter from which Typer makes a flag or an argument."""
    metadata = field.metadata
    text = help or metadata["help"]
    if tasks := metadata["tasks"]:
        owners = " and ".join(find_task(task).models for task in tasks)
        text = f"{owners[:1].upper()}{owners[1:]}: {_lower_first(text)}"
    kind, default = _typer_type(hint, metadata["commas"]), field.default
    if isinstance(default, tuple):
        default = None
    if metadata["argument"]:
        info: Any = typer.Argument(help=text)
        default = inspect.Parameter.empty if default == "" else default
    else:
        names = metadata["names"] or (flag_name(field),)
        info = typer.Option(*names, help=text, metavar=metadata["metavar"] or None, show_default="/" not in names[0])
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _lower_first(text: str) -> str:
    """In the middle of a sentence; names such as CoNLL-U stay as they are."""
    word = text.partition(" ")[0]
    return text if any(letter.isupper() for letter in word[1:]) else text[:1].lower() + text[1:]


def _typer_type(hint: Any, commas: bool) -> Any:
    """The type of one value, a list of them for a flag that can be repeated; paths win over text."""
    origin, arguments = typing.get_origin(hint), [a for a in typing.get_args(hint) if a is not type(None)]
    if origin in (types.UnionType, typing.Union):
        kinds = [_typer_type(argument, commas) for argument in arguments]
        if lists := [kind for kind in kinds if isinstance(kind, types.UnionType)]:  # one value, or several
            return lists[0]
        return (Path if Path in kinds else kinds[0]) | None
    if origin in (tuple, Sequence) or str(origin) == "<class 'collections.abc.Sequence'>":
        inner = _typer_type(arguments[0], commas)
        if isinstance(inner, types.UnionType):
            inner = next(a for a in typing.get_args(inner) if a is not type(None))
        return str | None if commas else list[inner] | None  # type: ignore[valid-type]
    return hint


def split_numbers(flag: str, text: str | None) -> tuple[float, ...]:
    """`0.1,0.01` as numbers; raises `UsageError`."""
    try:
        return tuple(float(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"{flag} must be numbers separated by commas, found {text!r}") from None


def _value(field: dataclasses.Field[Any], given: Any) -> Any:
    """What Typer gives, as the dataclass has it."""
    if field.metadata["commas"]:
        return split_numbers(flag_name(field), given) or field.default
    if isinstance(given, list):
        return tuple(given) or field.default
    if given is None:
        return field.default
    if isinstance(given, int) and not isinstance(given, bool) and not field.metadata["setting"]:
        return check_value(flag_name(field), int, field, given)
    return given
