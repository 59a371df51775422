"""Values from TOML, --set and flags against config fields: names, types, ranges."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from nntag.config.fields import build_config, option, takes_options, unknown_name
from nntag.config.options.train import TrainOptions
from nntag.errors import UsageError


@dataclass(frozen=True, slots=True)
class Example:
    count: int = option(3, "a count", low=1, high=10)
    rate: float = option(0.5, "a rate", low=0, high=1)
    bias: bool = option(True, "a switch")
    kind: Literal["plain", "gated"] = option("plain", "a name")
    file: str | None = option(None, "a path")
    sizes: tuple[int, ...] = option((), "numbers")
    links: tuple[tuple[int, int], ...] = option((), "pairs")


def build(**values: Any) -> Example:
    return build_config(Example, values)


def reason(**values: Any) -> str:
    with pytest.raises(UsageError) as error:
        build(**values)
    return str(error.value)


def test_no_values_give_the_defaults() -> None:
    assert build() == Example() == Example(3, 0.5, True, "plain", None, (), ())


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"count": "7"}, 7),
        ({"count": 7.0}, 7),
        ({"count": 1}, 1),
        ({"count": 10}, 10),
        ({"rate": "1e-2"}, 0.01),
        ({"rate": 1}, 1.0),
        ({"bias": False}, False),
        ({"bias": "no"}, False),
        ({"bias": "ON"}, True),
        ({"bias": "1"}, True),
        ({"kind": "gated"}, "gated"),
        ({"file": "a b.vec"}, "a b.vec"),
        ({"file": None}, None),
        ({"file": "none"}, None),
        ({"file": ""}, None),
        ({"sizes": [1, 2]}, (1, 2)),
        ({"sizes": "1,2"}, (1, 2)),
        ({"sizes": ""}, ()),
        ({"links": [[0, 2], [1, 3]]}, ((0, 2), (1, 3))),
        ({"links": "0-2,1-3"}, ((0, 2), (1, 3))),
        ({"links": ["0-2", (1, 3)]}, ((0, 2), (1, 3))),
    ],
    ids=str,
)
def test_values_are_converted(values: dict[str, Any], expected: Any) -> None:
    (name,) = values
    found = getattr(build(**values), name)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"count": 0}, "count must be at least 1, found 0"),
        ({"count": 11}, "count must be at most 10, found 11"),
        ({"count": 2.5}, "count must be a whole number, found 2.5"),
        ({"count": "2.0"}, "count must be a whole number, found '2.0'"),
        ({"count": "many"}, "count must be a whole number, found 'many'"),
        ({"count": True}, "count must be a whole number, found True"),
        ({"count": [1]}, "count must be a whole number, found [1]"),
        ({"count": None}, "count must be a whole number, found None"),
        ({"count": float("inf")}, "count must be a whole number, found inf"),
        ({"rate": "nan"}, "rate must be a number, found 'nan'"),
        ({"rate": float("nan")}, "rate must be a number, found nan"),
        ({"rate": 10**400}, f"rate must be a number, found {10**400}"),
        ({"rate": -0.1}, "rate must be at least 0, found -0.1"),
        ({"bias": 1}, "bias must be true or false, found 1"),
        ({"bias": "maybe"}, "bias must be true or false, found 'maybe'"),
        ({"file": 3}, "file must be text, found 3"),
        ({"sizes": 3}, "sizes must be a list, found 3"),
        ({"sizes": "1,x"}, "sizes must be a whole number, found 'x'"),
        ({"links": "0-2-4"}, "links must be a list of pairs such as 1-3,2-4, found '0-2-4'"),
        ({"links": [3]}, "links must be a list of pairs such as 1-3,2-4, found [3]"),
        ({"links": [[0, "b"]]}, "links must be a whole number, found 'b'"),
    ],
    ids=str,
)
def test_bad_values_are_named(values: dict[str, Any], expected: str) -> None:
    assert reason(**values) == expected


@pytest.mark.parametrize("value", ["gate", "GATED", ["gated"], None, 3])
def test_other_names_than_the_choices_are_refused(value: object) -> None:
    assert reason(kind=value).startswith(f"unknown kind {str(value)!r}")
    assert reason(kind=value).endswith("(choices: plain, gated)")


def test_unknown_names_come_with_the_nearest_one_and_all_choices() -> None:
    choices = "count, rate, bias, kind, file, sizes, links"
    assert reason(cuont=1) == f"unknown option 'cuont'; did you mean 'count'? (choices: {choices})"
    assert reason(zzz=1) == f"unknown option 'zzz' (choices: {choices})"
    assert unknown_name("model", 3, [30, 4]) == "unknown model '3'; did you mean '30'? (choices: 30, 4)"


def test_fields_carry_help_and_range() -> None:
    count = dataclasses.fields(Example)[0]
    assert dict(count.metadata) == {"help": "a count", "low": 1, "high": 10}


def test_a_command_that_is_called_with_loose_options_says_how_it_is_called() -> None:
    @takes_options(TrainOptions)
    def learn(options: TrainOptions | None = None, progress: object = None) -> TrainOptions | None:
        return options

    assert learn() is None and learn(None) is None
    assert learn(TrainOptions(layers=3), progress=1) == learn(options=TrainOptions(layers=3)) == TrainOptions(layers=3)
    for arguments, named, call in (((), {"layers": 3}, "layers=3"), (("rm",), {"lr": 0.1}, "'rm', lr=0.1")):
        with pytest.raises(TypeError) as error:
            learn(*arguments, **named)
        assert f"learn(TrainOptions({call})), with TrainOptions from nntag.config.options.train" in str(error.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        learn(depth=3)  # type: ignore[call-arg]
