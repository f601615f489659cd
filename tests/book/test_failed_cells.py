"""A page that fails: the others are built, the last lines name it, and it runs again next time."""

import os
import re
import subprocess
import sys

from extensions import failed_cells
from extensions.failed_cells import COLOURS

CONF = """
extensions = [
    "myst_nb", "extensions.kernels", "extensions.kept_outputs", "extensions.failed_cells",
]
nb_execution_mode = "cache"
nb_execution_timeout = {seconds}
exclude_patterns = ["_build"]
"""
PAGE = """\
---
file_format: mystnb
kernelspec:
  name: python3
orphan: true
---
# Title of {name}

## Before

```{{code-cell}}
:tags: [raises-exception, ValueError]
raise ValueError("promised")
```

## After

```python
# no heading
```

```{{code-cell}}
{cell}
```

```{{code-cell}}
print("never reached on a page that failed")
```
"""
CELLS = {
    "index": "1 + 1",
    "raises": "total = 2 + 2\nassert total == 5, f'two and two is {total}'",
    "dies": "import os\nos._exit(3)",
    "group": "raise ExceptionGroup('both', [ValueError('a')])",
    "no_python": "x = 1\ny = = 2",
}


def build(folder, seconds=1200):
    """Build strictly, as ``nox -s book`` does; returns the exit status and the failures."""
    (folder / "conf.py").write_text(CONF.format(seconds=seconds), encoding="utf-8")
    book = os.path.dirname(os.path.dirname(failed_cells.__file__))
    strict = ("-W", "--keep-going", "-j", "2")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *strict, folder, folder / "_build" / "html"],
        env=os.environ | {"PYTHONPATH": book}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr  # 2: Sphinx itself failed
    errors = re.sub(r"\d+\.py", "cell.py", COLOURS.sub("", done.stderr)).splitlines()
    return done.returncode, [line for line in errors if line.startswith("ERROR: failed: ")]


def write(folder, cells):
    for name, cell in cells.items():
        (folder / f"{name}.md").write_text(PAGE.format(name=name, cell=cell), encoding="utf-8")


def test_other_pages_are_built_and_the_last_lines_name_page_heading_cell_and_error(tmp_path):
    write(tmp_path, CELLS)
    status, failures = build(tmp_path)
    assert status == 1
    assert [line.removeprefix("ERROR: failed: ") for line in failures] == [
        "dies.md, cell at line 22, “After”: `import os …`: Kernel died",
        "group.md, cell at line 22, “After”: `raise ExceptionGroup('both', [ValueError('a')])`: "
        "ExceptionGroup: both (1 sub-exception)",
        "no_python.md, cell at line 22, “After”: `y = = 2`: SyntaxError: invalid syntax "
        "(cell.py, line 2)",
        "raises.md, cell at line 22, “After”: `assert total == 5, f'two and two is "
        "{total}'`: AssertionError: two and two is 4",
    ]
    html = (tmp_path / "_build" / "html" / "index.html").read_text(encoding="utf-8")
    assert "never reached on a page that failed" in html
    # Nothing has changed, and still the pages that failed are not taken for built.
    assert build(tmp_path) == (1, failures)
    # The code of each is another one: two processes cannot write one entry of the cache at once.
    write(tmp_path, {"raises": "2 + 1", "group": "2 + 2", "no_python": "2 + 3"})
    (tmp_path / "dies.md").unlink()
    assert build(tmp_path) == (0, [])


def test_a_cell_that_hangs_is_named(tmp_path):
    cell = "while True: pass"
    page = PAGE.format(name="index", cell=cell).replace('raise ValueError("promised")', cell)
    (tmp_path / "index.md").write_text(page, encoding="utf-8")
    status, (failure,) = build(tmp_path, seconds=1)
    assert status == 1
    assert failure == (
        f"ERROR: failed: index.md, cell at line 11, “Before”: `{cell}`: A cell timed out while it "
        "was being executed, after 1 seconds."
    )
