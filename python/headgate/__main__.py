"""`python -m headgate`: the command line if no script of that name is on the PATH."""

from headgate.cli.main import main

main()
