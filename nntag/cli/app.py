"""The Typer app: every command with its file, in the order of `nntag --help`."""

from __future__ import annotations

from typing import Annotated

import typer

import nntag
from nntag.cli.analyse import attention_command
from nntag.cli.arpa import export_command, import_command
from nntag.cli.cache import cache_command
from nntag.cli.command import StrictCommand
from nntag.cli.compare import compare_command
from nntag.cli.complete import complete_command
from nntag.cli.evaluate import eval_command
from nntag.cli.experiment import experiment_command
from nntag.cli.generate import generate_command
from nntag.cli.models import models_command
from nntag.cli.parse import parse_command
from nntag.cli.plot import plot_command
from nntag.cli.preprocess import preprocess_command
from nntag.cli.read import read_command
from nntag.cli.score import score_command
from nntag.cli.tag import tag_command
from nntag.cli.train import train_command
from nntag.cli.verify import verify_command

COMMANDS = {
    "preprocess": preprocess_command,
    "train": train_command,
    "eval": eval_command,
    "compare": compare_command,
    "tag": tag_command,
    "parse": parse_command,
    "score": score_command,
    "generate": generate_command,
    "complete": complete_command,
    "experiment": experiment_command,
    "plot": plot_command,
    "read": read_command,
    "cache": cache_command,
    "verify": verify_command,
    "models": models_command,
}
WIDEST_HELP = 120  # columns; narrower where the terminal is
GROUPS = {
    "analyse": ("Look inside trained models.", {"attention": attention_command}),
    "arpa": ("n-gram models as ARPA files.", {"export": export_command, "import": import_command}),
}


def build_app() -> typer.Typer:
    """The app with all commands."""
    app = typer.Typer(
        name="nntag",
        help="Train, evaluate and run neural taggers, language models and tree models.",
        epilog="Start with: nntag preprocess ccgbank --sample; nntag train; nntag eval; nntag tag < sentences.txt",
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST_HELP},
    )
    app.callback()(_nntag)
    for name, command in COMMANDS.items():
        app.command(name, cls=StrictCommand)(command)
    for name, (help, commands) in GROUPS.items():
        group = typer.Typer(no_args_is_help=True, help=help, rich_markup_mode=None)
        group.callback()(lambda: None)  # without it Typer would turn a group of one command into that command
        for own_name, command in commands.items():
            group.command(own_name, cls=StrictCommand)(command)
        app.add_typer(group, name=name, help=help)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nntag {nntag.__version__}")
        raise typer.Exit()


def _nntag(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Train, evaluate and run neural taggers, language models and tree models."""
