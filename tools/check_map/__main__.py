"""``python -m tools.check_map``, which ``nox -s names`` runs.

Tries every line of the map, or those that the words given name or begin, prints what differs, and
writes it into ``verdicts.json``. It runs the probes too where no word is given, or where one is
``probes``. Exits with 1 where a line cannot stand.
"""

import sys

from tools.check_map.whole import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
