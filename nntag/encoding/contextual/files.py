"""Where an encoder lies and what it is: a folder or a hub's name in, its files and their hash out."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nntag.errors import RunError, UsageError
from nntag.json_files import check_regular

CONFIG = "config.json"
WEIGHTS = ("*.safetensors", "*.safetensors.index.json")
TOKENIZER = ("tokenizer*", "special_tokens_map.json", "added_tokens.json", "vocab*", "merges.txt", "*.model", "*.bpe.*")


def find_encoder(name: str) -> Path:
    """The folder that `name` means: itself where there is one, else a copy from the Hugging Face hub.

    Only configuration, tokenizer and safetensors weights are fetched, never code. Raises `UsageError`.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if (
        folder.exists()
        or folder.is_absolute()
        or name.startswith((".", "~"))
        or name.endswith("/")
        or name.count("/") > 1
    ):
        raise UsageError(f"--contextual {name}: no such folder; give one that holds {CONFIG}, tokenizer and weights")
    hub: Any = import_transformers("huggingface_hub")
    try:
        return Path(hub.snapshot_download(name, allow_patterns=[CONFIG, *WEIGHTS, *TOKENIZER]))
    except Exception as error:  # the hub's client raises errors of its network library's choice
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise UsageError(
            f"--contextual {name}: no such folder, and the Hugging Face hub does not give it: {reason}"
        ) from None


def import_transformers(name: str = "transformers") -> Any:
    """The package of that name, quiet; raises `UsageError` where the extra is not installed."""
    try:
        if name == "transformers":
            import transformers

            transformers.logging.set_verbosity_error()
            transformers.logging.disable_progress_bar()
            return transformers
        import huggingface_hub

        return huggingface_hub
    except ImportError as error:
        raise UsageError(
            f"contextual vectors need the package transformers ({error}); pip install 'nntag[transformers]'"
        ) from None


def encoder_files(folder: Path) -> list[Path]:
    """Configuration, tokenizer and weights, sorted by name; raises `RunError` where one is missing or no file."""
    if not (folder / CONFIG).is_file():
        raise RunError(f"{folder}: no encoder (no {CONFIG} in it)")
    weights = [path for pattern in WEIGHTS for path in folder.glob(pattern)]
    if not has_weights(folder):
        raise RunError(f"{folder}: no weights in safetensors format; other formats can run code and are not read")
    for path in weights:
        check_regular(path)  # a pipe has no end
    tokenizer = [path for path in tokenizer_files(folder) if path not in weights]
    return sorted({folder / CONFIG, *weights, *tokenizer}, key=lambda path: path.name)


def has_weights(folder: Path) -> bool:
    """Whether there are weights in a format that is read."""
    return any(folder.glob(WEIGHTS[0]))


def tokenizer_files(folder: Path) -> list[Path]:
    """The tokenizer's files, sorted by name; raises `RunError` where there are none."""
    found = {path for pattern in TOKENIZER for path in folder.glob(pattern) if path.is_file()}
    if not found:
        raise RunError(f"{folder}: no tokenizer (no tokenizer.json or vocabulary in it)")
    return sorted(found, key=lambda path: path.name)


def outline_files(folder: Path) -> list[Path]:
    """`encoder_files` but for the weights: all that a run needs of an encoder whose weights are its own."""
    return [folder / CONFIG, *tokenizer_files(folder)]


def hash_files(files: Iterable[Path]) -> str:
    """64 hexadecimal digits: SHA-256 over names and contents of the files, in their order."""
    whole = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.name} {digest}\n".encode())
    return whole.hexdigest()


def copy_files(files: Iterable[Path], target: Path) -> None:
    """Copies the files byte by byte into the folder `target`; raises `RunError`."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        for path in files:
            shutil.copyfile(path, target / path.name)
    except OSError as error:
        raise RunError(f"{error.filename or target}: cannot copy the encoder: {error.strerror}") from None
