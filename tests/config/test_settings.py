"""Settings merged from defaults, recipe, model name, file, --set and flags; saved and read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nntag.config.recipes import recipes_of
from nntag.config.registry import MODELS, find_model
from nntag.config.settings import (
    SettingsFile,
    parse_assignments,
    read_settings_file,
    resolve_settings,
    settings_from_json,
)
from nntag.errors import DataError, RunError, UsageError


def test_each_layer_stands_over_the_ones_before(tmp_path: Path) -> None:
    assert resolve_settings("skip-gated", "wu2016").model.hidden == 512  # recipe over default
    assert resolve_settings("skip-gates", "wu2016").model.skip == "gates"  # what the name stands for
    file = tmp_path / "my.toml"
    file.write_text("[model]\nhidden = 7\nlayers = 3\n[train]\nlr = 0.5\nseed = 9\n[input]\nwindow = 5\n")
    layers = read_settings_file(file), parse_assignments(["layers=4", "train.lr=0.25"]), {"train.lr": 0.125}
    settings = resolve_settings("skip-gates", "wu2016", *layers)
    assert (settings.model.hidden, settings.model.layers, settings.input.window) == (7, 4, 5)
    assert (settings.train.lr, settings.train.seed, settings.train.batch_size) == (0.125, 9, 1)
    assert settings.model.skip == "gates"


def test_files_stand_over_the_models_preset() -> None:
    assert resolve_settings("skip-gated", "default", {"skip": "none"}).model.skip == "none"


def test_bare_and_full_names_mean_the_same() -> None:
    bare = resolve_settings("skip-none", "default", {"hidden": "5", "lr": "0.5", "window": "3"})
    full = resolve_settings("skip-none", "default", {"model.hidden": 5, "train.lr": 0.5, "input.window": 3})
    assert bare == full


def test_a_bare_name_of_two_sections_means_the_first() -> None:
    settings = resolve_settings("skip-none", "default", {"dropout": 0.125})
    assert settings.model.dropout == 0.125 != settings.input.dropout


def test_set_asks_which_of_two_is_meant() -> None:
    with pytest.raises(UsageError, match=r"say --set model.dropout=... or --set input.dropout=..."):
        resolve_settings("skip-none", "default", parse_assignments(["dropout=0.1"]))
    settings = resolve_settings("skip-none", "default", parse_assignments(["input.dropout=0.125", "lr=1"]))
    assert settings.input.dropout == 0.125 != settings.model.dropout and settings.train.lr == 1
    assert resolve_settings("rm", "default", parse_assignments(["dropout=0.125"])).model.dropout == 0.125


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("hiden", "did you mean 'hidden'?"),
        ("model.hiden", "did you mean 'model.hidden'?"),
        ("modle.hidden", "did you mean 'model.hidden'?"),
        ("train.hidden", "unknown setting 'train.hidden'"),
        ("", "unknown setting ''"),
    ],
)
def test_unknown_settings_name_the_nearest(key: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        resolve_settings("skip-none", "default", {key: 1})
    assert str(error.value).startswith("unknown setting ") and hint in str(error.value)


def test_settings_files_may_be_flat(tmp_path: Path) -> None:
    file = tmp_path / "flat.toml"
    file.write_text("hidden = 3\n[train]\nlr = 1\n")
    assert read_settings_file(file) == {"hidden": 3, "train.lr": 1}


@pytest.mark.parametrize(
    ("content", "place", "error"),
    [
        (b"[model]\nhidden = = 1\n", ":2:10: ", DataError),
        (b"\xff\xfe", ": ", DataError),
        (b"[model]\nhidden = 1\nhidden = 2\n", ":3:", DataError),
        (None, ": No such file", UsageError),
    ],
)
def test_faulty_settings_files_are_named(tmp_path: Path, content: bytes | None, place: str, error: type) -> None:
    file = tmp_path / "bad.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(error) as caught:
        read_settings_file(file)
    assert str(caught.value).startswith(f"{file}{place}")


@pytest.mark.parametrize("content", ["[train]\nlr = 'fast'\n", "[model]\nhiden = 3\n", "layers = 0\n"])
def test_values_of_a_settings_file_are_blamed_on_it(tmp_path: Path, content: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(content)
    values = read_settings_file(file)
    with pytest.raises(UsageError, match=f"^{file}: "):
        resolve_settings("skip-none", "default", values, {"seed": 2})
    with pytest.raises(UsageError, match="^dropout must be"):  # the file is not at fault
        resolve_settings("skip-none", "default", SettingsFile(file, {}), {"dropout": 2})
    with pytest.raises(UsageError, match="^unknown recipe"):
        resolve_settings("skip-none", "none", values)


def test_assignments() -> None:
    assert parse_assignments(["a=1", " b = x=y ", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    for bad in ("a", "=1", ""):
        with pytest.raises(UsageError, match="--set must be NAME=VALUE"):
            parse_assignments([bad])


ALL = [(row.name, recipe) for row in MODELS for recipe in recipes_of(row.task)]


@pytest.mark.parametrize(("name", "recipe"), ALL, ids=lambda part: part)
def test_saved_settings_come_back_equal(name: str, recipe: str) -> None:
    settings = resolve_settings(name, recipe, {"train.seed": 5})
    assert all(getattr(settings.model, key) == value for key, value in find_model(name).preset.items())
    saved = json.loads(json.dumps(settings.to_json()))
    assert settings_from_json(saved) == settings
    changed = settings_from_json(saved, {"train.epochs": 77})
    assert changed.train.epochs == 77 and changed.model == settings.model and changed.train.seed == 5


def test_links_and_vectors_survive_json() -> None:
    settings = resolve_settings("shortcut", "default", {"links": "1-3,2-4", "word_vectors": "my.vec", "layers": 4})
    back = settings_from_json(json.loads(json.dumps(settings.to_json())))
    assert back == settings
    assert back.model.links == ((1, 3), (2, 4)) and back.input.word_vectors == "my.vec"


@pytest.mark.parametrize("saved", [{}, {"name": "skip-none"}, {"name": "skip-none", "recipe": "default", "model": []}])
def test_foreign_settings_are_refused(saved: dict) -> None:
    with pytest.raises(RunError, match="not the settings of a run"):
        settings_from_json(saved)
