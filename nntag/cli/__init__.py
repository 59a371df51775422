"""The command line: one file per command; flags in, one call, a printed report out."""

from nntag.cli.main import main

__all__ = ["main"]
