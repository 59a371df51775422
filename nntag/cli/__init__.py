"""The command line: one file a command; flags in, one workflow call, a report out."""

from nntag.cli.app import main

__all__ = ["main"]
