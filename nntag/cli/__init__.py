"""The command line: one file a command; flags in, one call, a printed report out."""

from nntag.cli.main import main

__all__ = ["main"]
