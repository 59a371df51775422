"""Recipes: named sets of config values, one `default` for each task and one for each paper that trains a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nntag.config import tree_recipes as sentiment_recipes
from nntag.config.fields import unknown_name
from nntag.errors import UsageError


@dataclass(frozen=True, slots=True)
class Recipe:
    """Values for `model.*`, `input.*` and `train.*`; what is not named keeps the dataclass's default.

    A paper's recipe has its values where the paper gives them; `decides` says what is ours in it.
    """

    name: str
    task: str
    summary: str
    values: Mapping[str, Any]
    by_model: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # what one model of the task does otherwise
    decides: str = ""  # what the paper leaves open, and how it is decided here

    def values_for(self, model: str) -> dict[str, Any]:
        """The values, with those for one model over them."""
        return {**self.values, **self.by_model.get(model, {})}


WU_2016: dict[str, Any] = {
    "model.hidden": 512,
    "model.layers": 7,
    "model.init": "wu2016",
    "model.recurrent_init": "orthogonal",
    "model.dropout": 0.5,
    "train.optimiser": "sgd",
    "train.lr": 0.02,
    "train.batch_size": 1,
    "train.loss_per": "token",  # eq. 3
    "train.epochs": 30,
    "train.patience": 0,
}
WU_DECIDES = (
    "30 epochs without early stopping; layers 1 and 2 have no skip; what the window's gate reads; embeddings of norm 1 "
    "where there are no vectors; biases; RARE is a class only where --tag-cutoff makes it; characters of prefix and "
    "suffix are taken from the word as it is written (normalised_affixes: after section 6.1.1's lower case and digits)"
)

RECIPES = (
    Recipe(
        "default",
        "tagging",
        "ours, measured on UD English EWT: Adam, falling rate, averaged weights, character features in the window",
        {
            "input.word_size": 100,
            "input.word_init": "zero",
            "input.window": 3,
            "input.window_gate": False,
            "input.window_over": "all",
            "input.affix_length": 0,
            "input.capital_size": 8,
            "input.shapes": True,
            "input.filters": 100,
            "input.affix_size": 50,
            "input.dropout": 0.5,
            "input.word_dropout": 0.2,
            "input.form_dropout": 0.1,
            "model.joined": True,
            "model.dropout": 0.5,
            "train.optimiser": "adam",
            "train.lr": 0.002,
            "train.lr_half_life": 2000,
            "train.adam_beta2": 0.9,
            "train.clip_norm": 5.0,
            "train.batch_size": 32,
            "train.average": 0.999,
            "train.epochs": 60,
            "train.patience": 5,
        },
    ),
    Recipe(
        "wu2016",
        "tagging",
        "Wu, Zhang & Zong 2016, sections 5 and 6.1: on-line SGD 0.02, no clipping, orthogonal recurrent weights",
        WU_2016,
        decides=WU_DECIDES,
    ),
    Recipe(
        "wu2017",
        "tagging",
        "Wu, Zhang & Zong 2017: as wu2016, with an ungated window over words, capitals and characters together",
        WU_2016 | {"input.window_over": "all", "input.window_gate": False},
        decides=f"the text that is left describes only the input: sizes and training are those of 2016; {WU_DECIDES}",
    ),
    Recipe(
        "default",
        "lm",
        "ours, measured on the Penn Treebank: SGD 1 that falls by updates, dropout, averaged weights",
        {
            "model.input_dropout": 0.2,
            "model.output_dropout": 0.3,
            "train.optimiser": "sgd",
            "train.lr": 1.0,
            "train.lr_half_life": 8000,
            "train.clip_norm": 5.0,
            "train.batch_size": 20,
            "train.loss_per": "batch",
            "train.average": 0.999,
            "train.epochs": 30,
            "train.patience": 3,
        },
    ),
    Recipe(
        "tran2016",
        "lm",
        "Tran, Bisazza & Monz 2016, section 4.2: SGD 1 halved from epoch 5 on, batches of 20 sentences of one length",
        {
            "input.min_length": 10,
            "input.max_length": 80,
            "input.same_length": True,
            "train.optimiser": "sgd",
            "train.lr": 1.0,
            "train.lr_decay": 0.5,
            "train.lr_decay_after": 4,  # as printed; the authors' code halves from the sixth epoch on
            "train.clip_norm": 5.0,
            "train.batch_size": 20,
            "train.loss_per": "batch",
            "train.epochs": 15,
            "train.patience": 0,
        },
        decides="from the authors' code: the loss is divided by 20 sentences and summed over time; the lengths 10 to "
        "80 count </s>; ours: sentences left over from the batches of a length make a smaller batch",
    ),
    Recipe(
        "default",
        "sentiment",
        "ours, measured on SST: Tai et al.'s training with fixed vectors of equal length",
        sentiment_recipes.DEFAULT,
        sentiment_recipes.RATES_BY_MODEL,
    ),
    Recipe(
        "tsakalos2017",
        "sentiment",
        "Tsakalos 2017, section 5.1.4: AdaGrad 0.05, batches of 25, fixed vectors, neutral nodes without a label",
        sentiment_recipes.TSAKALOS_2017,
        sentiment_recipes.RATES_BY_MODEL,
        "the dropout is on the states under the classifier; the penalty is on biases too; the mean of eq. 5.3 is taken "
        "over a batch; rates of rntn and matrix-vector, which the dissertation does not train",
    ),
    Recipe(
        "tai2015",
        "sentiment",
        "Tai, Socher & Manning 2015, section 5.3: the loss a sentence, tuned vectors, neutral nodes as a third class",
        sentiment_recipes.TAI_2015,
        sentiment_recipes.RATES_BY_MODEL,
    ),
)


def recipes_of(task: str) -> dict[str, Recipe]:
    """The recipes of a task by name."""
    return {recipe.name: recipe for recipe in RECIPES if recipe.task == task}


def find_recipe(name: str, task: str) -> Recipe:
    """The recipe called `name` for `task`; raises `UsageError` with the choices."""
    known = recipes_of(task)
    if name not in known:
        raise UsageError(unknown_name(f"recipe for {task}", name, known))
    return known[name]
