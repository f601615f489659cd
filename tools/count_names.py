"""``python -m tools.count_names PACKAGE...``: how much of packages' use of a framework is answered.

A package is a folder or a wheel. Each use of a public name, such as ``jnp.sum`` under whatever
alias it was imported, counts once. A name is answered where the map has a line for it, and usefully
where that line has an expression or a recipe, not only words. A package's uses of its own names do
not count, and neither do methods: the text does not say whose they are. Prints both shares, with
every package of equal weight and by raw uses, and the names that are missing most.
"""

import argparse
import ast
import json
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, meaning, rows

# Names as the map writes them; the longest comes first.
CANONICAL = {"jax.numpy": "jnp", "jax.lax": "lax", "flax.nnx": "nnx"}
ROOTS = {
    "jax": ("jax", "jnp", "lax", "nnx", "optax"),
    "libraries": ("flax", "equinox", "haiku"),
    "torch": ("torch",),
}


def main(arguments: list[str]) -> int:
    """Count the names of the packages that are given; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.count_names", description=__doc__)
    parser.add_argument("packages", nargs="+", type=Path, help="folders or wheels")
    parser.add_argument("--of", choices=ROOTS, default="jax", help="whose names are counted")
    parser.add_argument("--missing", type=int, default=40, help="how many names to list")
    parser.add_argument("--json", type=Path, help="write the counts here too")
    options = parser.parse_args(arguments)
    counts = {package.name: count(package, ROOTS[options.of]) for package in options.packages}
    counts = {name: found for name, found in counts.items() if found}
    known = rows() if options.of == "torch" else jax_rows()
    print(_table(counts, known))
    for name, share in missing(counts, known)[: options.missing]:
        uses = [found[name] for found in counts.values() if found[name]]
        print(f"{name} {sum(uses)} in {len(uses)}, {share:.2%}{_how(name, known)}")
    if options.json:
        options.json.write_text(json.dumps({p: dict(c.most_common()) for p, c in counts.items()}))
    return 0


def count(package: Path, roots: tuple[str, ...]) -> Counter[str]:
    """The uses of names under some roots in a package's sources."""
    own = package.name.partition("-")[0].removeprefix("dm_").partition("_")[0]
    uses: Counter[str] = Counter()
    for text in _sources(package):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        uses.update(name for name in names_in(tree) if name.partition(".")[0] in roots)
    return Counter({n: k for n, k in uses.items() if _package_of(n) != own})


def _package_of(name: str) -> str:
    root = name.partition(".")[0]
    return {"jnp": "jax", "lax": "jax", "nnx": "flax"}.get(root, root)


def _sources(package: Path) -> Iterator[str]:
    if package.is_dir():
        for file in sorted(package.rglob("*.py")):
            yield file.read_text(encoding="utf-8", errors="replace")
        return
    with zipfile.ZipFile(package) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                yield archive.read(name).decode("utf-8", errors="replace")


def names_in(tree: ast.AST) -> Iterator[str]:
    """Each use of an imported public name, in full and as the map writes it."""
    imported = dict(_imports(tree))
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if id(node) in inner or not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in imported:
            continue
        name = canonical(".".join((imported[node.id], *parts)))
        if "." in name and not any(part.startswith("_") for part in name.split(".")):
            yield name


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each local name and what it was imported from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                yield alias.asname or root, alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def canonical(name: str) -> str:
    """A full name as the map writes it: ``jax.numpy.sum`` is ``jnp.sum``."""
    for full, short in CANONICAL.items():
        if name == full or name.startswith(f"{full}."):
            return short + name.removeprefix(full)
    return name


def row_of(name: str, known: Mapping[str, Row]) -> Row | None:
    """The row of a name, or of what it is an attribute of."""
    while "." in name:
        if name in known:
            return known[name]
        name = name.rpartition(".")[0]
    return None


def useful(row: Row | None) -> bool:
    """Whether a row says more than words."""
    meant = meaning(row) if row else None
    return meant is not None and bool(meant.expression or meant.option("recipe"))


@dataclass(frozen=True)
class Share:
    """How much of a package's uses the map answers, and how much usefully."""

    package: str
    uses: int
    answered: int
    useful: int

    def line(self) -> str:
        """The share as a line of the table."""
        shares = f"{self.answered / self.uses:7.1%} {self.useful / self.uses:7.1%}"
        return f"{self.package[:40]:40} {self.uses:7} {shares}"


def shares(counts: dict[str, Counter[str]], known: Mapping[str, Row]) -> list[Share]:
    """The share of each package."""
    found = []
    for package, uses in counts.items():
        rows_of = {name: row_of(name, known) for name in uses}
        answered = sum(times for name, times in uses.items() if rows_of[name])
        helped = sum(times for name, times in uses.items() if useful(rows_of[name]))
        found.append(Share(package, uses.total(), answered, helped))
    return found


def _table(counts: dict[str, Counter[str]], known: Mapping[str, Row]) -> str:
    of_each = shares(counts, known)
    answered = sum(share.answered / share.uses for share in of_each) / len(of_each)
    helped = sum(share.useful / share.uses for share in of_each) / len(of_each)
    total = [sum(s.uses for s in of_each), sum(s.answered for s in of_each),
             sum(s.useful for s in of_each)]  # fmt: skip
    return "\n".join([
        f"{'package':40} {'uses':>7} {'answer':>7} {'useful':>7}",
        *(share.line() for share in of_each),
        f"{'every package alike':40} {'':7} {answered:7.1%} {helped:7.1%}",
        Share("by raw uses", *total).line(),
    ])  # fmt: skip


def missing(counts: dict[str, Counter[str]], known: Mapping[str, Row]) -> list[tuple[str, float]]:
    """The names without a useful answer, by their mean share of a package's uses."""
    parts: defaultdict[str, float] = defaultdict(float)
    for uses in counts.values():
        for name, times in uses.items():
            if not useful(row_of(name, known)):
                parts[name] += times / uses.total() / len(counts)
    return sorted(parts.items(), key=lambda item: -item[1])


def _how(name: str, known: Mapping[str, Row]) -> str:
    return ", in words" if row_of(name, known) else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
