"""The config dataclasses and recipes: every field explained, every default and every recipe within its own bounds."""

from __future__ import annotations

import dataclasses

import pytest

from nntag.config.fields import build_config
from nntag.config.recipes import RECIPES, find_recipe, recipes_of
from nntag.config.registry import MODELS
from nntag.config.tagging import TaggerInput
from nntag.config.tasks import TASKS, find_task
from nntag.config.training import TrainConfig
from nntag.errors import UsageError

CONFIGS = sorted(
    {TrainConfig, *(row.input for row in TASKS), *(row.config for row in MODELS)}, key=lambda cls: cls.__name__
)


@pytest.mark.parametrize("cls", CONFIGS)
def test_every_field_is_explained_and_every_default_is_valid(cls: type) -> None:
    assert cls.__doc__ and not cls.__doc__.startswith(f"{cls.__name__}(")  # not the one that dataclasses make up
    assert all(field.metadata["help"] for field in dataclasses.fields(cls))
    assert build_config(cls, dataclasses.asdict(cls())) == cls()


@pytest.mark.parametrize("cls", CONFIGS)
def test_configs_cannot_be_changed(cls: type) -> None:
    name = dataclasses.fields(cls)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(cls(), name, 1)


@pytest.mark.parametrize("task", [row.name for row in TASKS])
def test_every_task_has_a_default_recipe_and_names_are_unique(task: str) -> None:
    names = [recipe.name for recipe in RECIPES if recipe.task == task]
    assert "default" in names
    assert len(names) == len(set(names)) == len(recipes_of(task))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: f"{recipe.task}-{recipe.name}")
def test_recipes_name_only_fields_that_some_model_of_their_task_has(recipe) -> None:
    rows = [row for row in MODELS if row.task == recipe.task]
    known = {"input": {f.name for f in dataclasses.fields(find_task(recipe.task).input)}}
    known["train"] = {f.name for f in dataclasses.fields(TrainConfig)}
    known["model"] = {f.name for row in rows for f in dataclasses.fields(row.config)}
    for values in (recipe.values, *recipe.by_model.values()):
        for key in values:
            section, _, name = key.partition(".")
            assert name in known[section], key
    assert set(recipe.by_model) <= {row.name for row in rows}


def test_unknown_recipes_name_the_choices() -> None:
    with pytest.raises(UsageError, match=r"unknown recipe for tagging 'wu2o16'; did you mean 'wu2016'\?"):
        find_recipe("wu2o16", "tagging")


def test_recipe_wu2016_is_the_paper() -> None:
    """Sections 5.1, 6.1.2 and 6.1.3 of Wu, Zhang & Zong 2016; what the recipe does not name is a default."""
    values = find_recipe("wu2016", "tagging").values_for("skip-gated")
    tagger_input, train = TaggerInput(), TrainConfig()

    def value(key: str) -> object:
        section, name = key.split(".")
        return values.get(key, getattr({"input": tagger_input, "train": train}.get(section), name, None))

    assert value("model.hidden") == 512 and value("model.dropout") == 0.5 and value("model.init") == "wu2016"
    assert value("input.word_size") == 200 and value("input.window") == 3 and value("input.window_gate") is True
    assert value("input.affix_length") == 5 and value("input.character_size") == 5 and value("input.capital_size") == 5
    assert value("input.lowercase") is True and value("input.digits") is True and value("input.dropout") == 0.25
    assert value("input.filters") == 0 and value("input.affix_size") == 0 and value("input.shapes") is False
    assert value("input.word_dropout") == 0.0 and value("input.window_over") == "words"
    assert value("train.optimiser") == "sgd" and value("train.lr") == 0.02 and value("train.batch_size") == 1
    assert value("train.loss_per") == "token" and value("train.clip_norm") == 0 and value("train.weight_decay") == 0
    assert value("train.average") == 0 and value("train.lr_decay") == 1 and value("train.warmup_steps") == 0


@pytest.mark.parametrize("window", [2, 4])
def test_even_windows_are_refused(window: int) -> None:
    with pytest.raises(UsageError, match=f"window must be an odd number of tokens, found {window}"):
        build_config(TaggerInput, {"window": window})


def test_words_must_keep_one_part_at_least() -> None:
    parts = ["word_size", "affix_length", "capital_size", "filters", "affix_size"]
    nothing = dict.fromkeys(parts, 0)
    with pytest.raises(UsageError, match="one of word_size, affix_length, capital_size, filters, affix_size"):
        build_config(TaggerInput, nothing)
    for part in parts:
        assert getattr(build_config(TaggerInput, {**nothing, part: 1}), part) == 1


@pytest.mark.parametrize(
    "values", [{"seed": 2**32}, {"adam_beta2": 1.0}, {"average": 1.1}, {"lr": -1}, {"batch_size": 0}, {"epochs": -1}]
)
def test_numbers_that_training_would_stumble_over_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=f"^{next(iter(values))} must be at (least|most) "):
        build_config(TrainConfig, values)
