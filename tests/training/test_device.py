"""Device names, good and bad."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
import torch

from nntag.errors import UsageError
from nntag.training.device import choose_device, hand_back_free_memory, keep_freed_memory, use_threads


def test_the_cpu_is_always_there() -> None:
    assert choose_device() == choose_device("cpu") == torch.device("cpu")
    assert choose_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize(
    "name", ["gpu", "", "CPU", " cpu", "cuda:", "cuda:-1", "cuda:007", "cuda:٣", "cuda:" + "9" * 20]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--device must be cpu, cuda, cuda:N or auto, found"):
        choose_device(name)


@pytest.mark.parametrize("name", ["cuda", "cuda:0", "cuda:17"])
def test_a_missing_gpu_is_an_error_and_no_silent_cpu(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match=f"--device {name}: no CUDA GPU can be used here; use --device cpu or auto"):
        choose_device(name)


def test_a_gpu_that_is_not_among_those_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device("cuda:1") == torch.device("cuda:1") and choose_device("auto") == torch.device("cuda")
    with pytest.raises(UsageError, match="--device cuda:2: there are 2 GPUs, numbered from 0"):
        choose_device("cuda:2")


def test_threads() -> None:
    before = torch.get_num_threads()
    try:
        use_threads(2)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    with pytest.raises(UsageError, match="--threads must be at least 1, found 0"):
        use_threads(0)


def test_keeping_freed_memory_does_nothing_that_shows() -> None:
    keep_freed_memory(few_shapes=True)
    assert torch.ones(1 << 20).sum() == 1 << 20


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is freed, and can hand it back")
@pytest.mark.parametrize(("quiet", "due"), [((31,), (32,)), ((31, False), (31, True))])
def test_free_memory_between_blocks_in_use_is_handed_back(quiet: tuple[int, ...], due: tuple[int, ...]) -> None:
    """A block in use behind 128 MB of free ones keeps them all, until they are asked for."""
    blocks = [bytearray(b"x" * 65536) for _ in range(2000)]
    last = bytearray(b"x" * 65536)
    blocks.clear()
    before = _resident_bytes()
    hand_back_free_memory(*quiet)
    assert before - _resident_bytes() < 16 << 20
    hand_back_free_memory(*due)
    assert before - _resident_bytes() > 64 << 20
    assert last
