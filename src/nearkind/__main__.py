"""``python -m nearkind``: the command line."""

from nearkind.cli import main

main()
