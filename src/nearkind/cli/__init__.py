"""The command line: a file a command, each of which collects facts and shows them.

Files named after a command are light: whatever is heavy waits for the command to run.
``application`` runs commands and turns bad data into one sentence, ``options`` holds
what several commands ask for, ``showing`` draws facts.
"""

from nearkind.cli.application import app, main

__all__ = ["app", "main"]
