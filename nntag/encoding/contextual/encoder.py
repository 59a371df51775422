"""A pre-trained encoder from a folder; windows of word pieces in, one vector a word and layer out.

Any model that transformers' AutoModel loads will do: BERT, RoBERTa, ELECTRA, DeBERTa, the encoder of T5, ... Its own
code is never run (`trust_remote_code` is off) and weights are read from safetensors files alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nntag.config.contextual import ContextualInput
from nntag.encoding.batching import sorted_batches
from nntag.encoding.contextual.files import encoder_files, import_transformers
from nntag.encoding.contextual.pieces import Window, WordPieces, longest_input
from nntag.errors import RunError, UsageError

BATCH_PIECES = 2048  # padded word pieces that go through the encoder together
MOST_WINDOWS = 256
UNUSED = ("pooler.", "cls.", "lm_head.", "classifier.", "decoder.", "embed_out.")  # weights that no hidden state needs


class ContextualEncoder(nn.Module):
    """The encoder with its tokenizer and what is taken from it; L layers of width D."""

    def __init__(self, model: nn.Module, tokenizer: Any, settings: ContextualInput):
        super().__init__()
        self.model, self.settings = model, settings
        self.pieces = WordPieces(tokenizer, longest_input(tokenizer, model, settings.contextual_longest))
        self.layers, self.size = encoder_shape(model.config, settings)

    def windows(self, sentences: Sequence[Sequence[str]]) -> list[Window]:
        """What `forward` takes; the words of all sentences, one after the other, are its rows."""
        return self.pieces.windows(sentences, self.settings.contextual_pooling)

    def forward(self, windows: Sequence[Window], words: int) -> Tensor:
        """float32[words, L, D], the last layer last. Windows go through the encoder in batches of like length."""
        device = next(self.model.parameters()).device
        vectors = torch.zeros(words, self.layers, self.size, device=device)
        lengths = np.array([len(window.ids) for window in windows], np.int64)
        for chosen in sorted_batches(lengths, MOST_WINDOWS, BATCH_PIECES):
            rows, weights, states = self._read([windows[number] for number in chosen], device)
            vectors.index_add_(0, rows, states * weights[:, None, None])
        return vectors

    def make_tunable(self, checkpointing: bool) -> ContextualEncoder:
        """The encoder itself, its weights free to change; with `checkpointing` a backward pass computes the layers'
        insides anew in place of keeping them."""
        self.requires_grad_(True)
        pooler = getattr(self.model, "pooler", None)
        if pooler is not None:  # it makes one vector of a sentence, which nobody asks for
            pooler.requires_grad_(False)
        if checkpointing:
            names = ("activation_checkpointing_enable", "gradient_checkpointing_enable")  # of today and of before
            enable = next(getattr(self.model, name) for name in names if hasattr(self.model, name))
            enable({"use_reentrant": False})
        return self

    def _read(self, windows: Sequence[Window], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
        """int64[P], float32[P], float32[P, L, D]: word, weight and states of the pieces whose states are used."""
        ids = _pad([window.ids for window in windows], self.pieces.padding).to(device)
        present = _pad([np.ones_like(window.ids) for window in windows], 0).to(device)
        rows = _pad([window.rows for window in windows], -1).to(device)
        weights = _pad([window.weights for window in windows], 0.0).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=use_bfloat16(self.settings, device)):
            hidden = self.model(input_ids=ids, attention_mask=present, output_hidden_states=True).hidden_states
        used = rows >= 0
        states = torch.stack([layer[used].float() for layer in hidden[len(hidden) - self.layers :]], 1)
        return rows[used], weights[used], states


def _pad(rows: Sequence[np.ndarray], value: float) -> Tensor:
    """[B, P]: the rows one below the other, `value` after their ends."""
    padded = np.full((len(rows), max(len(row) for row in rows)), value, rows[0].dtype)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return torch.from_numpy(padded)


def load_encoder(folder: Path, settings: ContextualInput, device: torch.device) -> ContextualEncoder:
    """The encoder in `folder`, in evaluation mode and frozen. Raises `RunError`, `UsageError`."""
    encoder_files(folder)
    transformers = import_transformers()
    tokenizer = load_tokenizer(folder)
    try:
        model, report = transformers.AutoModel.from_pretrained(
            folder,
            trust_remote_code=False,
            use_safetensors=True,
            local_files_only=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except Exception as error:  # whatever a damaged folder makes the library raise
        raise _cannot_load(folder, "encoder", error) from None
    missing = sorted(name for name in report["missing_keys"] if not name.startswith(UNUSED))
    if missing or report["mismatched_keys"]:
        wrong = missing[0] if missing else str(sorted(report["mismatched_keys"])[0])
        raise RunError(f"{folder}: the weights do not fit config.json: {wrong} is missing or of another size")
    return _wrap(model, tokenizer, settings, device)


def build_encoder(folder: Path, settings: ContextualInput, device: torch.device) -> ContextualEncoder:
    """An encoder of the shape that `folder` describes with random weights, to be filled from a checkpoint."""
    config = load_config(folder)
    try:
        model = import_transformers().AutoModel.from_config(config, trust_remote_code=False)
    except Exception as error:
        raise _cannot_load(folder, "encoder", error) from None
    return _wrap(model, load_tokenizer(folder), settings, device)


def _wrap(model: Any, tokenizer: Any, settings: ContextualInput, device: torch.device) -> ContextualEncoder:
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    return ContextualEncoder(model, tokenizer, settings).to(device).eval().requires_grad_(False)


def load_config(folder: Path) -> Any:
    """The `config.json` in `folder`; raises `RunError`."""
    try:
        return import_transformers().AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _cannot_load(folder, "encoder", error) from None


def load_tokenizer(folder: Path) -> Any:
    """The tokenizer in `folder`; raises `RunError`."""
    transformers = import_transformers()
    try:  # byte-level tokenizers must take each word as one after a space
        return transformers.AutoTokenizer.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True, add_prefix_space=True
        )
    except Exception as error:
        raise _cannot_load(folder, "tokenizer", error) from None


def _cannot_load(folder: Path, what: str, error: Exception) -> RunError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return RunError(f"{folder}: cannot load the {what}: {reason[:200]}")


def encoder_shape(config: Any, settings: ContextualInput) -> tuple[int, int]:
    """L and D: how many layers are taken, the embeddings below the first one counted, and their width.

    Raises `UsageError` where more are asked for than there are.
    """
    layers, asked = config.num_hidden_layers + 1, settings.contextual_layers
    if asked > layers:
        raise UsageError(f"contextual_layers={asked}, but {settings.contextual} has {layers}, its embeddings counted")
    return asked or layers, config.hidden_size


def use_bfloat16(settings: ContextualInput, device: torch.device) -> bool:
    """Whether the encoder computes in bfloat16: as asked, or where the processor or GPU multiplies in it."""
    if settings.contextual_precision != "auto":
        return settings.contextual_precision == "bfloat16"
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    checks = (getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return any(check() for check in checks if check is not None)
