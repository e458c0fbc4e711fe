"""The command line: one file per command.

A command reads its options, collects facts and prints them, as text or as JSON. Files
named after a command are light: whatever is heavy is imported when the command runs.
``application`` puts the commands together, ``options`` holds the options that several
of them have, in groups that are dataclasses (``option_groups``), and ``console``
prints. ``fits`` has fits by ``fit_settings``; ``model_table`` reads a table as a model
has it, ``predictions`` predicts its rows, ``explanations`` finds neighbours and says
why they are near, and ``comparison`` evaluates methods. ``jit`` and
``deferred_import`` keep starting quick.
"""

from nearkind.cli.application import app, main

__all__ = ["app", "main"]
