"""Random encoders of a few units, made by the tests themselves: BERT with word pieces, RoBERTa with bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "cat",
    "##s",
    "sat",
    "on",
    "mat",
    "un",
    "##like",
    "##ly",
]
VOCABULARY += [".", "##1", "1", "a", "##a"]
VOCABULARY += [
    "dog",
    "walk",
    "run",
    "play",
    "ends",
    "now",
    "ann",
    "bob",
]  # of the taggers' tests
LAYERS, SIZE, LONGEST = 2, 8, 12


def make_bert(folder: Path, seed: int = 1) -> Path:
    """A BERT encoder with 2 layers of 8 units that takes 12 pieces; skips the test where transformers is missing."""
    transformers = pytest.importorskip("transformers")
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=LONGEST).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=SIZE,
        num_hidden_layers=LAYERS,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=LONGEST,
        initializer_range=0.5,
    )
    torch.manual_seed(seed)
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def make_roberta(folder: Path) -> Path:
    """A RoBERTa encoder, whose pieces are bytes and whose positions begin at 2."""
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    folder.mkdir(parents=True)
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *alphabet, "Ġc", "Ġca", "Ġcat"]
    vocabulary = {name: number for number, name in enumerate(names)}
    merges = [("Ġ", "c"), ("Ġc", "a"), ("Ġca", "t")]
    tokenizer = transformers.RobertaTokenizerFast(vocab=vocabulary, merges=merges, model_max_length=LONGEST)
    tokenizer.save_pretrained(folder)
    config = transformers.RobertaConfig(
        vocab_size=len(names),
        hidden_size=SIZE,
        num_hidden_layers=LAYERS,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=LONGEST + 2,
        pad_token_id=1,
    )
    torch.manual_seed(2)
    transformers.RobertaModel(config).save_pretrained(folder)
    return folder
