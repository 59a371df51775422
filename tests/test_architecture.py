"""The arrow between the packages, which files may know torch, typer and rich, how long a file may be."""

from __future__ import annotations

import ast
import functools
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "nntag").rglob("*.py"))
ARROW = (
    {"cli"},
    {"experiments"},
    {"integrations"},
    {"commands"},
    {"tagging", "language_models", "trees"},
    {"training"},
    {"encoding"},
    {"sample"},
    {"corpora"},
    {"config", "errors", "progress", "figures", "files", "json_files", "manifest", "schema", "tables"},
)  # a file imports from its own room or from groups further down this list
RANKS = {name: rank for rank, group in enumerate(ARROW) for name in group}
ENTRANCES = {"nntag", "nntag.__main__"}  # `nntag.load` and `python -m nntag` stand above all
TORCH_FREE = ("nntag", "nntag.cli.app", "nntag.tables", "nntag.progress", "nntag.errors")


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def parse(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imported_names(file: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file names in an import, wherever it stands (functions and TYPE_CHECKING too)."""
    package = module_of(file) if file.name == "__init__.py" else module_of(file).rpartition(".")[0]
    for node in ast.walk(parse(file)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *([base] if base else [])])
            if base == "nntag":  # `from nntag import x` may name the package x
                yield from ((f"nntag.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield base, node.lineno


def package_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_every_package_has_its_place_in_the_arrow() -> None:
    packages = {package_of(module_of(file)) for file in FILES} - {"", "__main__"}
    assert packages <= set(RANKS)


def is_allowed(own: str, target: str) -> bool:
    """Imports are free in the last group; rooms of any other group do not know each other: the tasks above all."""
    bottom = RANKS[own] == RANKS[target] == len(ARROW) - 1
    return own == target or bottom or RANKS[target] > RANKS[own]


def test_imports_follow_the_arrow() -> None:
    faults = []
    for file in FILES:
        own = package_of(module_of(file))
        for name, line in imported_names(file):
            target = package_of(name)
            known = name.split(".")[0] == "nntag" and target in RANKS  # else another library, or the version in nntag
            if known and module_of(file) not in ENTRANCES and not is_allowed(own, target):
                faults.append(f"{file}:{line}: {own} must not import {name}")
    assert not faults


def test_no_circle_of_files() -> None:
    modules = {module_of(file): file for file in FILES}
    imports = {name: {m for m, _ in imported_modules(file, modules)} - {name} for name, file in modules.items()}
    done: set[str] = set()
    while ready := [name for name, needed in imports.items() if name not in done and needed <= done]:
        done.update(ready)
    assert not sorted(set(modules) - done - ENTRANCES), "these files, or files that they import, import each other"


def imported_modules(file: Path, modules: dict[str, Path]) -> Iterator[tuple[str, int]]:
    """The modules of the package that a file names in an import; `from package import module` names the module."""
    package = module_of(file) if file.name == "__init__.py" else module_of(file).rpartition(".")[0]
    for node in ast.walk(parse(file)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found = name if name in modules else node.module
                if found in modules and found != "nntag":  # the version and `load` stand above all
                    yield found, node.lineno
    assert package or file.parent == ROOT / "nntag"


def test_typer_and_rich_stay_in_the_command_line() -> None:
    for file in FILES:
        roots = {name.split(".")[0] for name, _ in imported_names(file)}
        assert package_of(module_of(file)) == "cli" or not roots & {"typer", "rich"}, file
        assert "click" not in roots, file  # typer carries its own


def test_pickles_are_neither_written_nor_read() -> None:
    for file in FILES:
        roots = {name.split(".")[0] for name, _ in imported_names(file)}
        calls = {ast.unparse(node.func) for node in ast.walk(parse(file)) if isinstance(node, ast.Call)}
        assert not roots & {"pickle", "dill", "joblib", "cloudpickle"}, file
        assert not calls & {"torch.load", "torch.save"}, file


def test_files_stay_short() -> None:
    assert not [file for file in FILES if len(file.read_text(encoding="utf-8").splitlines()) > 300]


def test_the_arrow_is_seen_in_every_kind_of_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    file = tmp_path / "nntag" / "config" / "x.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "import nntag.a\nfrom nntag import b\nfrom nntag.c import d\nfrom . import e\nfrom ..f import g\n"
        "def late():\n    import nntag.h\nif TYPE_CHECKING:\n    from nntag.i import j\n"
    )
    names = [name for name, _ in imported_names(file)]
    assert sorted(names) == ["nntag.a", "nntag.b", "nntag.c", "nntag.config", "nntag.f", "nntag.h", "nntag.i"]


def test_torch_free_modules_do_not_import_torch() -> None:
    free = [module_of(file) for file in FILES if package_of(module_of(file)) in ("corpora", "config", "sample")]
    code = f"import importlib, sys\nfor name in {[*free, *TORCH_FREE]!r}:\n importlib.import_module(name)\n"
    code += " assert 'torch' not in sys.modules, name\n"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


def test_help_is_quick_and_does_not_import_torch() -> None:
    code = "import sys\nfrom nntag.cli import main\nsys.argv = ['nntag', '--help']\n"
    code += "try:\n main()\nexcept SystemExit as end:\n assert not end.code\nassert 'torch' not in sys.modules\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    best = float("inf")
    for _ in range(3):  # the machine may be busy with other things
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True, timeout=60
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if best < 0.4:
            break
    assert best < 0.4
    for command in ("preprocess", "train", "eval", "tag", "read", "models"):
        assert command in result.stdout
