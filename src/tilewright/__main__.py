"""`python -m tilewright`: the command line, also where no `tilewright` command is on the path."""

from tilewright.cli import main

if __name__ == "__main__":
    main()
