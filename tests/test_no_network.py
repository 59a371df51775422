"""No command opens a network connection: the whole way through nntag with sockets that cannot be made."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.command_line import run_nntag

COMMANDS = (
    "preprocess conllu --sample --sample-size 12 --out d",
    "train --model skip-none --data d --out r --epochs 1 --hidden 4 --set filters=2 --set word_size=4",
    "eval --model r",
    "tag --model r text.txt",
    "preprocess text --sample --sample-size 12 --out l",
    "train --model ngram --data l --out n",
    "score --model n text.txt",
    "arpa export --model n x.arpa",
    "preprocess sst --sample --sample-size 12 --out t",
    "train --model tree-gru --data t --out g --epochs 1 --hidden 4 --set word_size=4",
    "eval --model g",
    "preprocess sherlock --sample --sample-size 30 --out s",
    "read text text.txt",
    "models skip-gated",
    "plot r --out e.svg",
)


def test_no_command_opens_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*arguments: object, **named: object) -> None:
        raise AssertionError(f"a socket was opened: {arguments}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "__init__", forbid)
    monkeypatch.setattr(socket, "create_connection", forbid)
    monkeypatch.setattr(socket, "getaddrinfo", forbid)
    (tmp_path / "text.txt").write_text("the dog\n")
    with pytest.raises(AssertionError, match="a socket was opened"):  # the test can fail
        socket.socket()
    for command in COMMANDS:
        finished = run_nntag(*command.split())
        assert finished.code == 0, (command, finished.err)
