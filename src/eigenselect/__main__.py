"""``python -m eigenselect``: the command."""

from eigenselect.cli.main import main

main()
