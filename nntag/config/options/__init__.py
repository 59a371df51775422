"""The options of each command as one frozen dataclass: its flags on the command line, its argument from Python."""
