"""The package can be imported where Python lacks the modules of Unix."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
UNIX_ONLY = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix", "syslog")
IMPORT_ALL = """
import importlib, sys
import filelock, matplotlib, matplotlib.pyplot, nltk, numpy, rich, safetensors.torch, torch, typer
for name in {unix_only!r}:  # what other packages need of them is their own affair: they are imported before
    sys.modules[name] = None
for name in {modules!r}:
    importlib.import_module(name)
"""


def test_every_module_can_be_imported_without_the_modules_of_unix() -> None:
    files = sorted((ROOT / "nntag").rglob("*.py"))
    modules = [".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files]
    modules.remove("nntag.__main__")
    if importlib.util.find_spec("spacy") is None:  # which loads this one itself
        modules.remove("nntag.integrations.spacy")
    code = IMPORT_ALL.format(unix_only=UNIX_ONLY, modules=modules)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(modules) > 150
