"""What every command shares: a flag given twice is refused, and help texts name values as a person would."""

from __future__ import annotations

import itertools
from typing import Any

from typer.core import TyperCommand

from nntag.errors import UsageError

# What stands for a flag's value in help texts, by the name of its parameter; for any other its type says it.
VALUES = {
    "RUN": ("model", "models", "pos_model"),
    "FILE": ("train", "dev", "test", "output", "parses", "answers", "config", "word_vectors", "grammar", "treebank"),
    "FOLDER": ("out", "output_dir", "contextual"),
    "DATA": ("data",),
    "FORMAT": ("format", "input_format"),
    "NAME": ("task", "split", "recipe", "language", "row", "rows", "column"),
    "NAME=VALUE": ("assignments",),
    "DEVICE": ("device",),
    "NUMBERS": ("betas", "seeds"),
}
VALUES_BY_NAME = {name: value for value, names in VALUES.items() for name in names}
VALUES_BY_TYPE = {"int": "N", "float": "NUMBER", "Path": "PATH", "path": "PATH"}


class StrictCommand(TyperCommand):
    """A command that refuses a flag given twice, of which the first value would be lost without a word."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        parameter: Any
        for parameter in self.params:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = _no_type
            elif parameter.metavar is None and not getattr(parameter, "is_flag", False):
                kind = VALUES_BY_TYPE.get(parameter.bare_type().removeprefix("list[").removesuffix("]"), "TEXT")
                parameter.metavar = VALUES_BY_NAME.get(str(parameter.name), kind)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        single = {
            name: option
            for option in self.params
            if not getattr(option, "multiple", False)
            for name in (*option.opts, *option.secondary_opts)
            if name.startswith("--")
        }
        given: dict[Any, str] = {}
        for argument in itertools.takewhile(lambda argument: argument != "--", args):
            name = argument.partition("=")[0]
            if name not in single:
                continue
            if single[name] in given:
                raise UsageError(f"{name} is given twice ({given[single[name]]} ... {argument}); give it once")
            given[single[name]] = argument
        return super().parse_args(ctx, args)


def _no_type(ctx: Any) -> None:
    """An argument's name says what it is; Typer would write `<list[Path]>` behind it."""
