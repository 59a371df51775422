"""`python -m nntag`."""

from nntag.cli import main

main()
