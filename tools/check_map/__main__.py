"""``python -m tools.check_map``, which ``nox -s names`` runs.

Tries every line of the map, or those whose names are given or begin with a given word, prints what
differs, and writes it into ``verdicts.json``. Runs the probes too if no word is given, or if one is
``probes``. Exits with 1 if a line is wrong.
"""

import sys

from tools.check_map.check_all import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
