"""What each command is told, as one frozen dataclass: its flags on the command line, its argument from Python."""
