"""What the four papers say, written by hand beside their texts: settings with their sections, rows, published figures.

A value is (value, where it stands). "ours" is a decision of this project where the paper is silent; "off" is an
addition of this project that the paper does not have. Settings that are not named here must be at their defaults.
"""

OFF, OURS = "off", "ours"

TRAINING_OFF = {  # what no paper uses unless it says so
    "train.batch_tokens": (0, OFF),
    "train.lr_half_life": (0, OFF),
    "train.warmup_steps": (0, OFF),
    "train.adam_beta2": (0.999, OFF),
    "train.average": (0.0, OFF),
    "train.score_train": (False, OFF),
}

WU_2016 = {
    "recipe": ("wu2016", OURS),
    "model.hidden": (512, "6.1.2"),
    "model.layers": (7, "6.1.4: a 7-layer model"),
    "model.forget_bias": (0.0, "6.1.4: forget bias to 0"),
    "model.dropout": (0.5, "6.1.3: first and last hidden layer"),
    "model.init": ("wu2016", "6.1.2: N(0, 1/sqrt(fan-in)) times 0.1"),
    "model.recurrent_init": ("orthogonal", "6.1.2"),
    "model.bias": (True, OURS),
    "model.joined": (False, "eq. 16: two stacks"),
    "model.gate": ("plain", "eq. 15"),
    "model.mapping": ("identity", "4"),
    "input.word_size": (200, "6.1.2: 200-dimensional GloVe"),
    "input.word_vectors": ("data/raw/vectors/glove.6B.200d.txt", "6.1.2: GloVe"),
    "input.word_init": ("random", "5.1: random or pre-trained"),
    "input.tune_vectors": (True, "6.1.2: initialised with"),
    "input.lowercase": (True, "6.1.1"),
    "input.digits": (True, "6.1.1"),
    "input.min_count": (1, OURS),
    "input.window": (3, "6.1.2"),
    "input.window_gate": (True, "5.1"),
    "input.window_over": ("words", "5.1"),
    "input.affix_length": (5, "5.1"),
    "input.character_size": (5, "6.1.2"),
    "input.normalised_affixes": (False, OURS),
    "input.capital_size": (5, "6.1.2"),
    "input.shapes": (False, "5.1: whether or not a word is capitalised"),
    "input.dropout": (0.25, "6.1.3: local context windows"),
    "input.filters": (0, OFF),
    "input.filter_character_size": (32, OFF),
    "input.affix_size": (0, OFF),
    "input.word_dropout": (0.0, OFF),
    "input.form_dropout": (0.0, OFF),
    "train.optimiser": ("sgd", "6.1.3"),
    "train.lr": (0.02, "6.1.3"),
    "train.batch_size": (1, "6.1.3: one at a time"),
    "train.loss_per": ("token", "eq. 3: 1/N"),
    "train.clip_norm": (0.0, "6.1.3: not used"),
    "train.weight_decay": (0.0, "6.1.3: does not work"),
    "train.lr_decay": (1.0, "6.1.3: an equal learning rate"),
    "train.lr_decay_after": (0, OFF),
    "train.epochs": (30, OURS),
    "train.patience": (0, OURS),
    **TRAINING_OFF,
}
WU_2017 = WU_2016 | {
    "recipe": ("wu2017", OURS),
    "input.window_over": ("all", "inputs: (n+m+r) x d"),
    "input.window_gate": (False, "inputs: a concatenation"),
    "model.gate": ("nonlinear", "shortcut gates"),
    "model.gate_reads": ("both", OURS),
    "model.p": (0.5, OURS),
    "model.topology": (2, "type 2: span 1"),
    "model.links": ([], OFF),
}
TRAN_2016 = {
    "recipe": ("tran2016", OURS),
    "model.hidden": (128, "4.2"),
    "model.memory": (15, "4.2"),
    "model.layers": (1, "3.2"),
    "model.forget_bias": (1.0, "4.2"),
    "model.init_range": (0.05, "4.2"),
    "model.dropout": (0.0, "4.2: none; 6 has it"),
    "model.temporal": (True, "eq. 2"),
    "model.temporal_output": (True, "the authors' code"),
    "model.composition": ("gating", "eqs. 4-7"),
    "model.recurrent_top": (False, "3.2"),
    "model.tie": (False, OFF),
    "model.input_dropout": (0.0, OFF),
    "model.output_dropout": (0.0, OFF),
    "model.query": (0.1, "Sukhbaatar et al. 2015"),
    "model.order": (5, "4.2"),
    "input.min_length": (10, "the authors' code"),
    "input.max_length": (80, "the authors' code"),
    "input.same_length": (True, "4.2: buckets"),
    "input.backward": (False, OFF),
    "train.optimiser": ("sgd", "4.2"),
    "train.lr": (1.0, "4.2"),
    "train.lr_decay": (0.5, "4.2: halved"),
    "train.lr_decay_after": (4, "4.2: after the fourth"),
    "train.epochs": (15, "4.2"),
    "train.batch_size": (20, "4.2"),
    "train.clip_norm": (5.0, "4.2"),
    "train.loss_per": ("batch", "the authors' code"),
    "train.weight_decay": (0.0, OFF),
    "train.patience": (0, "4.2: trained for 15 epochs"),
    **TRAINING_OFF,
}
TSAKALOS_2017 = {
    "recipe": ("tsakalos2017", OURS),
    "model.hidden": (150, "the published code"),
    "model.dropout": (0.5, "5.1.4"),
    "model.leaf": ("projected", "Tai et al. 2015, their code"),
    "model.forget_bias": (0.0, OURS),
    "model.update_gate": ("shared", "eq. 3.34"),
    "model.mix": ("mean", "eq. 3.37"),
    "input.word_vectors": ("data/raw/vectors/glove.840B.300d.txt", "5.1.4: GloVe, 300-dimensional"),
    "input.word_size": (300, "5.1.4"),
    "input.tune_vectors": (False, "5.1.4: not updated"),
    "input.vector_norm": (0.0, OFF),
    "input.vector_lr": (0.1, OFF),
    "input.max_vectors": (100_000, OURS),
    "input.lowercase": (False, OURS),
    "input.dropout": (0.0, OFF),
    "input.neutral_nodes": ("drop", "5.1.2: positive or negative"),
    "train.optimiser": ("adagrad", "5.1.4"),
    "train.lr": (0.05, "5.1.4"),
    "train.batch_size": (25, "5.1.4"),
    "train.weight_decay": (1e-4, "5.1.4"),
    "train.loss_per": ("token", "eq. 5.3: 1/m"),
    "train.epochs": (12, "5.1.2: till the 12th epoch"),
    "train.patience": (2, "5.2: early stopping at 2"),
    "train.lr_decay": (1.0, OFF),
    "train.lr_decay_after": (0, OFF),
    "train.clip_norm": (0.0, OFF),
    **TRAINING_OFF,
}

GATED = {"model": "skip-gated", "model.skip": "output-gated"}
SHORTCUT = {  # as in WU_2017, for the row of 2016's table
    "model": "shortcut",
    "model.gate": "nonlinear",
    "model.gate_reads": "both",
    "model.p": 0.5,
    "model.topology": 2,
    "model.links": [],
}
PLAIN = {"model": "skip-none", "model.skip": "none", "model.gate": "plain"}
HIGHWAY = {"model": "highway-lstm", "model.carry_bias": 0.0}
RHN = {"model": "rhn", "model.depth": 3, "model.output_gate": True, "model.transform_bias": -2.0}
SEVEN, NINE = {"dev": 94.51, "test": 94.67}, {"dev": 94.55, "test": 94.69}  # table 1, Wu 2016

WU_2016_ROWS = {
    "wu2016-table1": {
        "complete": (GATED, SEVEN),
        "no characters": ({**GATED, "input.affix_length": 0}, {"dev": 94.33, "test": 94.45}),
        "no dropout": ({**GATED, "model.dropout": 0.0, "input.dropout": 0.0}, {"dev": 94.06, "test": 94.0}),
        "deeper: 9 layers": ({**GATED, "model.layers": 9}, NINE),
    },
    "wu2016-inputs": {
        "whole input": (GATED, SEVEN),
        "no characters": ({**GATED, "input.affix_length": 0}, {"dev": 94.33, "test": 94.45}),
        "no window gate": ({**GATED, "input.window_gate": False}, {}),
        "no window": ({**GATED, "input.window": 1}, {}),
        "no capitalisation": ({**GATED, "input.capital_size": 0}, {}),
        "characters after lowercasing": ({**GATED, "input.normalised_affixes": True}, {}),
    },
    "wu2016-table2": {  # figures: section 6.1.4
        "no skip": (PLAIN, {"dev": 93.94}),
        "to the gates": ({"model": "skip-gates", "model.skip": "gates"}, {}),
        "to the internal state": ({"model": "skip-internal", "model.skip": "internal"}, {"dev": 94.33}),
        "to the internal state, gated": (
            {"model": "skip-internal-gated", "model.skip": "internal-gated"},
            {"dev": 94.24},
        ),
        "to the output": ({"model": "skip-output", "model.skip": "output"}, {}),
        "to the output, gated": (GATED, SEVEN),
        "to the output, exclusive gate": ({**GATED, "model.gate": "exclusive"}, SEVEN),
        "to the output, sigmoid mapping": ({**GATED, "model.mapping": "sigmoid"}, {"dev": 94.02}),
        "highway LSTM": (HIGHWAY, {"dev": 93.14}),
        "recurrent highway, one layer": (RHN, {}),
    },
    "wu2016-forget-bias": {
        f"{name}, forget_bias {bias}": (
            {**values, "model.forget_bias": bias},
            {"dev": 94.33} if name == "to the internal state" and not bias else {},
        )
        for bias in (0.0, 1.0)
        for name, values in (
            ("to the internal state", {"model": "skip-internal", "model.skip": "internal"}),
            ("to the output, gated", GATED),
            ("to the output, exclusive gate", {**GATED, "model.gate": "exclusive"}),
        )
    },
    "wu2016-initialisation": {
        f"{name}, recurrent_init {kind}": ({**values, "model.recurrent_init": kind}, {})
        for kind in ("orthogonal", "xavier")
        for name, values in (("skip-gated", GATED), ("plain", PLAIN))
    },
    "wu2016-table3": {
        f"{name}, layers {depth}": (
            {**values, "model.layers": depth},
            {("plain", 7): {"dev": 93.94}, ("skip-gated", 7): SEVEN, ("skip-gated", 9): NINE}.get((name, depth), {}),
        )
        for depth in (1, 3, 5, 7, 9, 11)
        for name, values in (
            ("plain", PLAIN),
            ("skip-gated", GATED),
            ("shortcut", SHORTCUT),
        )
    },
    "wu2016-table4": {f"layers {depth}": ({**GATED, "model.layers": depth}, {"test": 97.45}) for depth in (7, 9)},
}
WU_2017_ROWS = {
    "wu2017-gates": {
        "plain LSTM": (PLAIN, {}),
        "linear": ({**SHORTCUT, "model.gate": "linear"}, {}),
        "nonlinear": (SHORTCUT, {}),
        "nonlinear, from below": ({**SHORTCUT, "model.gate_reads": "below"}, {}),
        "stochastic, p = 0.25": ({**SHORTCUT, "model.gate": "stochastic", "model.p": 0.25}, {}),
        "stochastic, p = 0.5": ({**SHORTCUT, "model.gate": "stochastic", "model.p": 0.5}, {}),
        "stochastic, p = 0.75": ({**SHORTCUT, "model.gate": "stochastic", "model.p": 0.75}, {}),
        "stochastic, p learned": ({**SHORTCUT, "model.gate": "stochastic-learned"}, {}),
    },
    "wu2017-topologies": {
        f"{name}, topology {kind}": ({**SHORTCUT, "model.gate": gate, "model.topology": kind, "model.layers": 5}, {})
        for kind in (1, 2, 3, 4, 5)  # figure 1
        for name, gate in (
            ("linear", "linear"),
            ("nonlinear", "nonlinear"),
            ("stochastic", "stochastic"),
            ("stochastic, p learned", "stochastic-learned"),
        )
    },
    "wu2017-depth": {
        f"{name}, layers {depth}": ({**values, "model.layers": depth}, {})
        for depth in (5, 7, 9, 11, 13)
        for name, values in (("shortcut", SHORTCUT), ("skip-gated", {**GATED, "model.gate": "plain"}))
    },
    "wu2017-table6": {f"shortcut, layers {depth}": ({**SHORTCUT, "model.layers": depth}, {}) for depth in (7, 9)},
}

NETWORKS = {
    "5-gram": {"model": "ngram"},
    "MemN": {"model": "memn"},
    "LSTM, 1 layer": {"model": "lstm-lm"},
    "LSTM, 2 layers": {"model": "lstm-lm", "model.layers": 2},
    "LSTM, 3 layers": {"model": "lstm-lm", "model.layers": 3},
    **{
        f"{name}({sign}tM-{letter})": {
            "model": name.lower(),
            "model.recurrent_top": name == "RMR",
            "model.temporal": sign == "+",
            "model.composition": {"l": "linear", "g": "gating"}[letter],
        }
        for name in ("RMR", "RM")
        for sign in "+-"
        for letter in "lg"
    },
}
TABLE_2 = """
5-gram          225.8 167.5 219.0
MemN            169.3 127.5 188.2
LSTM, 1 layer   135.8 108.0 145.1
LSTM, 2 layers  128.6 105.9 139.7
LSTM, 3 layers  125.1 106.5 136.6
RMR(+tM-l)      127.5 109.9 133.3
RMR(-tM-l)      126.4 106.1 134.5
RMR(+tM-g)      126.2 99.5 135.2
RMR(-tM-g)      122.0 98.6 131.2
RM(+tM-l)       121.5 92.4 127.2
RM(-tM-l)       122.9 94.0 130.4
RM(+tM-g)       118.6 88.9 128.8
RM(-tM-g)       129.7 96.6 135.7
"""  # test perplexity: German, Italian, English
PERPLEXITIES = {
    (line[:15].strip(), language): float(figure)
    for line in TABLE_2.strip().splitlines()
    for language, figure in zip(("de", "it", "en"), line[15:].split(), strict=True)
}
DROPOUT = {"model.layers": 3, "model.dropout": 0.3}  # section 6
TRAN_2016_ROWS = {
    "tran2016-table2": {
        f"{name}, {language}": (values, {"test": PERPLEXITIES[name, language]})
        for language in ("de", "it", "en")
        for name, values in NETWORKS.items()
    },
    "tran2016-ptb": {
        name: (values, {"LSTM, 3 layers": {"test": 126.1}, "RM(+tM-g)": {"test": 123.5}}.get(name, {}))
        for name, values in NETWORKS.items()
    },
    "tran2016-figure3": {
        f"{name}, {language}": (NETWORKS[name], {"test": PERPLEXITIES[name, language]})
        for language in ("en", "it", "de")
        for name in ("RMR(-tM-g)", "RM(+tM-g)")
    },
    "tran2016-table4": {
        "5-gram": ({"model": "ngram"}, {}),
        "LSTM": ({**DROPOUT, "model": "lstm-lm", "model.hidden": 256}, {"test": 56.0}),
        "unidirectional RM": ({**DROPOUT, "model": "rm", "model.hidden": 256}, {"test": 64.3}),
        "unidirectional RM, wider": ({**DROPOUT, "model": "rm", "model.hidden": 512}, {"test": 69.2}),
        "bidirectional RM": (
            {**DROPOUT, "model": "rm-bidirectional", "model.hidden": 256, "model.memory": 7},
            {"test": 59.6},
        ),
        "bidirectional RM, wider": (
            {**DROPOUT, "model": "rm-bidirectional", "model.hidden": 512, "model.memory": 10},
            {"test": 67.0},
        ),
    },
}

LSTM, GRU = {"model": "tree-lstm"}, {"model": "tree-gru"}
TSAKALOS_2017_ROWS = {
    "tsakalos2017-table5.1": {
        f"{name}, {task}": ({**values, "train.score_train": True}, {"test": figure})  # figures 5.3 and 5.6: train too
        for name, values, task, figure in (
            ("Tree-LSTM", LSTM, "binary", 84.43),
            ("Tree-GRU", GRU, "binary", 85.61),
            ("Tree-LSTM", LSTM, "fine", 45.71),
            ("Tree-GRU", GRU, "fine", 46.43),
        )
    },
    "tsakalos2017-cells": {
        "Tree-LSTM": (LSTM, {"test": 45.71}),
        "Tree-LSTM, gated leaves": ({**LSTM, "model.leaf": "gated"}, {}),
        "Tree-GRU": (GRU, {"test": 46.43}),
        "Tree-GRU, a gate for each child": ({**GRU, "model.update_gate": "per-child"}, {}),
        "Tree-GRU, children summed": ({**GRU, "model.mix": "sum"}, {}),
        "child-sum Tree-LSTM": ({"model": "tree-lstm-child-sum"}, {}),
        "child-sum Tree-GRU": ({"model": "tree-gru-child-sum"}, {}),
        "plain recursive network": ({"model": "tree-rnn", "model.untied": False}, {}),
        "untied recursive network": ({"model": "tree-rnn-untied", "model.untied": True}, {}),
        "matrix-vector network": (  # not trained in the dissertation: all of it ours
            {
                "model": "matrix-vector",
                "model.hidden": 25,
                "model.rank": 3,
                "model.matrix_lr": 0.1,
                "train.lr": 0.01,
                "input.vector_norm": 1.0,
            },
            {},
        ),  # fmt: skip
        "recursive neural tensor network": ({"model": "rntn", "model.hidden": 30, "train.lr": 0.002}, {}),
    },
}

TABLES = {
    name: (base, rows)
    for base, tables in (
        (WU_2016, WU_2016_ROWS),
        (WU_2017, WU_2017_ROWS),
        (TRAN_2016, TRAN_2016_ROWS),
        (TSAKALOS_2017, TSAKALOS_2017_ROWS),
    )
    for name, rows in tables.items()
}
CORPORA = {  # how the papers' corpora are recognised
    "wu2016-table1": {"splits.train.sentences": 39604},  # section 6.1
    "tran2016-ptb": {"splits.train.sentences": 42068, "splits.dev.sentences": 3370, "splits.test.sentences": 3761},
    "tran2016-table4": {"questions": 1040, "sources.novels": 522},  # section 6
}
