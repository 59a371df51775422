"""Imports every command's file, so that each registers itself with the app, in the order of `--help`."""

from nntag.cli import preprocess, train, evaluate, tag, score, complete, analyse, arpa, experiment, plot, read, models  # noqa: F401, I001
