"""The values of every recipe, copied by hand from the papers (or from our measurements) and not from the code.

Whoever changes a recipe changes this table too, and the results that were made with it.
"""

from __future__ import annotations

from typing import Any

import pytest

from nntag.config.recipes import RECIPES

EXPECTED: dict[tuple[str, str], str] = {
    ("tagging", "default"): """
        model  joined=True dropout=0.5
        input  word_size=100 word_init='zero' word_dropout=0.2 form_dropout=0.1 dropout=0.5
               window=3 window_gate=False window_over='all'
               affix_length=0 affix_size=50 capital_size=8 shapes=True filters=100
        train  optimiser='adam' adam_beta2=0.9 lr=0.002 lr_half_life=2000 clip_norm=5.0 average=0.999
               batch_size=32 epochs=60 patience=5
    """,
    ("tagging", "wu2016"): """
        model  layers=7 hidden=512 init='wu2016' recurrent_init='orthogonal' dropout=0.5
        train  optimiser='sgd' lr=0.02 batch_size=1 loss_per='token' epochs=30 patience=0
    """,
    ("tagging", "wu2017"): """
        model  layers=7 hidden=512 init='wu2016' recurrent_init='orthogonal' dropout=0.5
        input  window_over='all' window_gate=False
        train  optimiser='sgd' lr=0.02 batch_size=1 loss_per='token' epochs=30 patience=0
    """,
    ("lm", "default"): """
        model  input_dropout=0.2 output_dropout=0.3
        train  optimiser='sgd' lr=1.0 lr_half_life=8000 clip_norm=5.0 average=0.999
               batch_size=20 loss_per='batch' epochs=30 patience=3
    """,
    ("lm", "tran2016"): """
        input  min_length=10 max_length=80 same_length=True
        train  optimiser='sgd' lr=1.0 lr_decay=0.5 lr_decay_after=4 clip_norm=5.0
               batch_size=20 loss_per='batch' epochs=15 patience=0
    """,
    ("sentiment", "default"): """
        model  dropout=0.5
        input  tune_vectors=False vector_lr=0.1 vector_norm=4.0 neutral_nodes='class'
        train  optimiser='adagrad' lr=0.05 weight_decay=1e-4
               batch_size=25 loss_per='sentence' epochs=20 patience=5
    """,
    ("sentiment", "tsakalos2017"): """
        model  dropout=0.5
        input  tune_vectors=False neutral_nodes='drop'
        train  optimiser='adagrad' lr=0.05 weight_decay=1e-4
               batch_size=25 loss_per='token' epochs=12 patience=2
    """,
    ("sentiment", "tai2015"): """
        model  dropout=0.5
        input  tune_vectors=True vector_lr=0.1 neutral_nodes='class'
        train  optimiser='adagrad' lr=0.05 weight_decay=1e-4
               batch_size=25 loss_per='sentence' epochs=12 patience=2
    """,
}
BY_MODEL: dict[str, dict[str, str]] = {  # the same for all recipes of a task
    "sentiment": {"rntn": "train lr=0.002", "matrix-vector": "train lr=0.01 input vector_norm=1.0"},
}


def parse(text: str) -> dict[str, Any]:
    """`train lr=0.1 epochs=3 input window=5` as `{"train.lr": 0.1, ...}`."""
    section, values = "", {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if equals:
            values[f"{section}.{name}"] = eval(value, {})
        else:
            section = name
    return values


def test_the_table_has_every_recipe() -> None:
    assert {(recipe.task, recipe.name) for recipe in RECIPES} == set(EXPECTED)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: f"{recipe.task}-{recipe.name}")
def test_a_recipe_holds_these_values_and_no_others(recipe) -> None:
    assert dict(recipe.values) == parse(EXPECTED[recipe.task, recipe.name])
    others = {name: parse(text) for name, text in BY_MODEL.get(recipe.task, {}).items()}
    assert {name: dict(values) for name, values in recipe.by_model.items()} == others
