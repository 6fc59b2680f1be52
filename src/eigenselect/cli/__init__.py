"""The command line. Only ``click`` is imported until a command does its work."""
