"""The command line. Only ``click`` is imported until a command does its work.

``main`` starts, ``group`` finds the subcommand, and each of ``rank``, ``select``, ``compare``, ``fuse`` and ``methods``
is one in a module of its name. They share ``options`` (what is read from the words), ``run`` (reading and fitting),
``output`` (what is said and written), and ``streams``, ``text`` and ``progress`` for the terminal.

Results go to standard output or files, everything else to standard error, so that a result can be piped.
"""
