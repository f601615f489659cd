"""Every task of the project: ``nox -l`` lists them, ``nox -s NAME`` runs one."""

import glob
import os
import shutil
import signal
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.5"
nox.options.sessions = ["lint", "tests", "book"]
# The project's image holds what every session needs, and has no network to get more.
IN_IMAGE = bool(os.environ.get("JAXVSTORCH_IMAGE"))
nox.options.default_venv_backend = "none" if IN_IMAGE else "virtualenv"
nox.options.reuse_venv = "yes"
# One worker for each core; one that has no tests left takes another's, for some take a minute.
SPREAD = ("-n", "auto", "--dist", "worksteal")
TESTED = ("--group", "test", "--group", "bench", "--group", "docs", "-e", ".")
UNBUILT = "not built_book and not built_image"


def install(session: nox.Session, *arguments: str) -> None:
    """Install, unless in the image, the versions that CI and the book were last tested with."""
    if not IN_IMAGE:
        session.install("-c", "constraints.txt", *arguments)


@nox.session
def tests(session: nox.Session) -> None:
    """Run all cheap tests, except of the built book, and doctests; arguments go to pytest."""
    install(session, *TESTED)
    session.run("pytest", *SPREAD, "tests", "-m", UNBUILT, *session.posargs)
    if not session.posargs:
        session.run("pytest", "--doctest-modules", "jaxvstorch")


@nox.session
def nightly(session: nox.Session) -> None:
    """Run the costly tests too, and compile every pair; ``-- branching``: only its pairs."""
    install(session, *TESTED)
    if topics := session.posargs:
        chosen = " or ".join(f"{topic}." for topic in topics)
        session.run("pytest", *SPREAD, "tests/test_pairs.py", "--matrix", "-k", chosen)
    else:
        session.run("pytest", *SPREAD, "tests", "--matrix", "-m", UNBUILT)
        session.run("python", "-m", "tools.check_map")


@nox.session
def names(session: nox.Session) -> None:
    """Try every name of the map in both, and record what differs; ``-- torch.std`` tries one."""
    install(session, *TESTED)
    session.run("python", "-m", "tools.check_map", *session.posargs)


@nox.session
def topic(session: nox.Session) -> None:
    """Run one topic's tests and build its pages, without running others: ``-- branching``."""
    if len(session.posargs) != 1:
        session.error("name one topic, as in `nox -s topic -- branching`")
    (name,) = session.posargs
    install(session, *TESTED)
    if Path("tests/examples", name).is_dir():
        session.run("pytest", *SPREAD, f"tests/examples/{name}")
    shared = ("tests/test_pairs.py", "tests/test_registry.py", "tests/test_signatures.py")
    chosen = f"{name}. or {name}]"
    session.run("pytest", *SPREAD, *shared, "tests/explain/test_example_marks.py", "-k", chosen)
    output = f"book/_build/{name}"
    session.env["JAXVSTORCH_TOPIC"] = name
    session.run("sphinx-build", "-n", "-W", "-T", "-j", "4", "book", output)
    session.log(f"open {output}/topics/{name}.html")


@nox.session(python="3.13")
def tests_jax_only(session: nox.Session) -> None:
    """Run the tests that need no PyTorch, on the newest Python with the newest JAX."""
    needed = ("flax", "jax", "jaxtyping", "ml-dtypes", "numpy", "optax", "rich", "typer")
    session.install(*needed, "--group", "test")
    session.install("--no-deps", "-e", ".")
    other = ("--ignore=tests/book", "--ignore=tests/images")
    session.run("pytest", *SPREAD, "tests", *other, *session.posargs)


@nox.session(python="3.13")
def newest(session: nox.Session) -> None:
    """Run tests and pages with the newest JAX and PyTorch; ``-- -k NAME`` runs some tests only."""
    session.install("--upgrade", *TESTED)
    session.run("pytest", *SPREAD, "tests", "-m", UNBUILT, *session.posargs)
    if not session.posargs:
        strict = ("-n", "-W", "-T", "--keep-going")
        session.run("sphinx-build", *strict, "-j", "4", "book", "book/_build/newest")


@nox.session
def book(session: nox.Session) -> None:
    """Build the book and print where it is; ``-- serve`` opens it and rebuilds on every save."""
    install(session, "--group", "docs", "-e", ".")
    # Pages wait for kernels of their own, so more jobs than cores are faster.
    if "serve" in session.posargs:
        watched = ("--watch", "jaxvstorch", "--ignore", "*/_build/*", "--open-browser")
        session.run("sphinx-autobuild", "-j", "4", *watched, "book", "book/_build/served")
        return
    output = "book/_build/html"
    strict = ("-n", "-W", "-T", "--keep-going")
    session.run("sphinx-build", *strict, "-j", "4", "book", output)
    session.log(f"open {output}/index.html")


@nox.session
def browser(session: nox.Session) -> None:
    """Open the built book in headless Chromium, and check its notebooks; ``nox -s book`` first."""
    groups = ("test", "docs", "browser")
    install(session, *(f"--group={group}" for group in groups), "-e", ".")
    session.run("pytest", *SPREAD, "tests/book", "-m", "built_book", *session.posargs)


@nox.session
def hardware(session: nox.Session) -> None:
    """Compile for an H100 and a TPU v5e, without either; write the results that the book shows."""
    install(session, "--group", "hardware", "-e", ".")
    session.run("python", "-m", "tools.compile_hardware")


@nox.session
def port_programs(session: nox.Session) -> None:
    """Run ``port`` on public programs, and write the results; ``-- mnist`` runs only that one."""
    install(session, *TESTED)
    session.install("einops", "gpytorch", "pyro-ppl", "torch-geometric")  # what the programs import
    session.run("python", "-m", "tools.port_programs", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Time both frameworks on this machine; ``-- --quick``, ``--sessions 5``, ``compare OLD``."""
    run_benchmarks(session, *session.posargs)


@nox.session
def reproduce(session: nox.Session) -> None:
    """Measure published ratios again, quickly, and write a report; ``-- --against FILE``."""
    run_benchmarks(session, "reproduce", *session.posargs)


def run_benchmarks(session: nox.Session, *arguments: str) -> None:
    """Run them so that Ctrl-C or SIGTERM leaves them time to keep what they measured."""
    install(session, "--group", "bench", "-e", ".")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    session.run("python", "-m", "benchmarks", *arguments, terminate_timeout=60)


@nox.session
def lint(session: nox.Session) -> None:
    """Check format, style, types and spelling, and validate workflows, results and the like."""
    install(session, "--group", "lint", "--group", "bench", "nox", "-e", ".")
    workflows = sorted(glob.glob(".github/workflows/*.yml"))
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("mypy")
    session.run("codespell")
    session.run("validate-pyproject", "pyproject.toml")
    session.run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)
    session.run("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")
    results = ("--schemafile", "benchmarks/results.schema.json")
    session.run("check-jsonschema", *results, *sorted(glob.glob("benchmarks/published/*.json")))
    session.run("zizmor", "--offline", "--no-progress", "action.yml", *workflows)
    session.run("hadolint", "docker/Dockerfile")
    session.run("shellcheck", ".ci/run", ".ci/engine", *glob.glob("cluster/slurm/*.sbatch"))
    session.run("kubernetes-validate", "--strict", *sorted(glob.glob("cluster/kubernetes/*.yaml")))


@nox.session(venv_backend="none")
def docker(session: nox.Session) -> None:
    """Build an image and run a session in it: ``-- cpu tests``, ``-- cuda13 bench --quick``."""
    # On Ctrl-C a container first keeps what it has measured.
    session.run(sys.executable, "-m", "tools.images", *session.posargs, interrupt_timeout=90)


@nox.session
def images(session: nox.Session) -> None:
    """Check the image for the CPU; ``nox -s docker -- cpu`` first."""
    install(session, "--group", "test", "--group", "bench", "-e", ".")
    session.run("pytest", "tests/images", "-m", "built_image", *session.posargs)


@nox.session(venv_backend="none")
def publish_image(session: nox.Session) -> None:
    """Build an image and push it with its provenance: ``-- v1.2.3 cpu``."""
    session.run(sys.executable, "-m", "tools.images", "publish", *session.posargs)


@nox.session
def requirements(session: nox.Session) -> None:
    """Pin each image's packages again; fails if an extra would bring two CUDA stacks."""
    session.install("uv")
    session.run("python", "-m", "tools.requirements")


@nox.session(venv_backend="none")
def publish_notebooks(session: nox.Session) -> None:
    """Replace the branch ``notebooks`` of a git remote (``-- URL``) with the built notebooks."""
    git = ("git", "-C", "book/_build/html/notebooks")
    author = ("-c", "user.name=docs", "-c", "user.email=docs@jaxvstorch.invalid")
    session.run(*git, "init", "--quiet", "--initial-branch", "notebooks")
    session.run(*git, "add", "--all")
    session.run(*git, *author, "commit", "--quiet", "--message", "Publish the book's notebooks")
    session.run(*git, "push", "--force", *session.posargs, "notebooks")


@nox.session
def installed(session: nox.Session) -> None:
    """Install the built wheel alone, and run every command and what README and pages show."""
    install(session, "--group", "installed")
    build_distributions(session)
    bare = os.path.join(session.virtualenv.location, "bare")
    session.run("python", "-m", "venv", "--clear", bare)

    def pip(*arguments: str) -> None:
        session.run(f"{bare}/bin/python", "-m", "pip", "--quiet", *arguments, external=True)

    def test(*arguments: str, **environ: str) -> None:
        command = ("pytest", *SPREAD, "--confcutdir", "tests/installed", *arguments)
        session.run(*command, env={"JAXVSTORCH_BARE": bare, **environ})

    alone = "tests/installed/test_one_framework.py"
    pip("install", "-c", "constraints.txt", *glob.glob("dist/*.whl"))
    test("tests/installed", "--ignore", alone, *session.posargs)
    of_jax = ("flax", "jax", "jaxlib", "optax")
    pip("uninstall", "--yes", *of_jax)
    test(alone, JAXVSTORCH_ALONE="torch")
    pip("uninstall", "--yes", "torch")
    pip("install", "-c", "constraints.txt", *of_jax)
    test(alone, JAXVSTORCH_ALONE="jax")


def build_distributions(session: nox.Session) -> None:
    """Build sdist and wheel into an emptied ``dist/``, and check them."""
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build")
    session.run("twine", "check", "--strict", *glob.glob("dist/*"))


@nox.session
def build(session: nox.Session) -> None:
    """Build sdist and wheel into an emptied ``dist/`` and check them; ``-- v1.2.3`` a tag too."""
    install(session, "--group", "release")
    build_distributions(session)
    for tag in session.posargs:
        if not os.path.exists(f"dist/jaxvstorch-{tag.removeprefix('v')}.tar.gz"):
            session.error(f"{tag} is not the version in jaxvstorch/__init__.py")
