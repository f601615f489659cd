"""The book's own directives, and the notebooks made of its pages."""

import importlib
from io import StringIO
from pathlib import Path

import nbformat
import pytest
from extensions import definitions, diagram, notebooks, pair_directive
from extensions.errors import sentence
from extensions.plain_markdown import Converter, Directive, Link
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from jaxvstorch._pairs import source
from jaxvstorch._pairs.registry import PAIRS, position, topics

BOOK = Path(pair_directive.__file__).parents[1]
OWN = ("pair_directive", "diagram", "results", "topics")

PLAIN = Converter(
    directives={"pair": lambda directive: f"<pair {directive.argument}>"},
    resolve=lambda role, content: Link(f"{role}:{content}", None),
    page_url=lambda page: f"https://book/{page}.html",
)


def build(folder: Path, page: str) -> tuple[Sphinx, str]:
    """Read one page with the book's extensions; returns what Sphinx warned of, too."""
    (folder / "index.md").write_text(f"# Title\n\n{page}\n", encoding="utf-8")
    return rebuild(folder)


def rebuild(folder: Path) -> tuple[Sphinx, str]:
    """Read what has changed."""
    settings = {
        "extensions": ["myst_parser", "sphinx_design", *(f"extensions.{name}" for name in OWN)],
        "html_theme_options": {"repository_url": "https://example.org/project"},
        "myst_enable_extensions": ["colon_fence"],
    }
    warnings, out = StringIO(), folder / "_build"
    with docutils_namespace():
        app = Sphinx(folder, None, out, out, "dummy", settings, status=None, warning=warnings)
        app.build()
    return app, warnings.getvalue()


@pytest.mark.parametrize("known", PAIRS, ids=str)
def test_every_pair_can_be_shown(known):
    for half in pair_directive.halves(known.topic, known.name):
        assert half.source.startswith(("def ", "@"))
        assert (BOOK.parent / half.file).exists()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("def f(a: A, *, b: B = 1) -> C:\n    return a", "def f(a, *, b=1):\n    return a"),
        ("@d\ndef f(\n    a: A,\n) -> C:\n    # why\n    x: int = 1",
         "@d\ndef f(a):\n    # why\n    x: int = 1"),
        ("class A:\n    x: B\n\n    def f(self, a: B) -> C:\n        return a",
         "class A:\n    x: B\n\n    def f(self, a):\n        return a"),
        ("A = 1", "A = 1"),
    ],
)  # fmt: skip
def test_types_of_a_signature_are_left_out(text, shown):
    assert pair_directive.untyped(text) == shown


def test_a_function_s_types_are_told():
    text = 'def f(a: Float[Array, "n"], b: int = 1) -> Float[Array, ""]:\n    return a'
    assert pair_directive.types(text) == "(a: Float[Array, 'n'], b: int=1) -> Float[Array, '']"
    assert pair_directive.types("class A:\n    x = 1") == ""


def test_a_docstring_is_left_out():
    assert pair_directive.quiet('def f():\n    """Say so."""\n    return 1') == (
        "def f():\n    return 1"
    )
    text = 'class A:\n    """A."""\n\n    x = 1\n\n    def f(self):\n        """F."""\n        pass'
    shown = "class A:\n    x = 1\n\n    def f(self):\n        pass"
    assert pair_directive.quiet(text) == shown
    assert pair_directive.quiet("A = 1") == "A = 1"


def test_a_pair_is_shown_with_what_it_uses():
    jax, torch = pair_directive.halves("branching", "activate_switch", ("_ACTIVATIONS",))
    assert jax.source.startswith("_ACTIVATIONS = (jnp.tanh")
    assert torch.source.startswith("_ACTIVATIONS = (torch.tanh")
    with pytest.raises(LookupError, match="defines no 'nothing'"):
        pair_directive.halves("branching", "activate_switch", ("nothing",))


def test_a_helper_that_one_half_needs_is_shown_in_that_half():
    jax, torch = pair_directive.halves("loops", "recurrence_sequential", ("_driven_step",))
    assert jax.source.startswith("def _driven_step(")
    assert torch.source.startswith("def recurrence_sequential(")


def test_helpers_of_one_half_are_in_the_file_s_order():
    helpers = ("clip_gradient.defvjp", "_clip_backward", "_ClipGradient")
    jax, torch = pair_directive.halves("autodiff", "clip_gradient", helpers)
    positions = [jax.source.index(f"{name}(") for name in ("def clip_gradient", *helpers[1::-1])]
    assert positions == sorted(positions)
    assert "_ClipGradient" not in jax.source
    assert torch.source.startswith("class _ClipGradient(")
    assert torch.source.endswith("return _ClipGradient.apply(x, limit)")


def test_a_pair_is_two_synced_tabs_and_its_files_are_dependencies(tmp_path):
    app, warnings = build(tmp_path, "```{pair} branching.select_where\n```")
    text = app.env.get_doctree("index").pformat()
    assert warnings == ""
    assert 'sync_id="jax"' in text
    assert 'sync_id="torch"' in text
    assert "jnp.where(" in text
    assert "torch.where(" in text
    dependencies = {(tmp_path / path).resolve() for path in app.env.dependencies["index"]}
    assert {source.path("branching", half).resolve() for half in ("jax", "torch")} <= dependencies


def test_an_unchanged_page_is_not_read_again(tmp_path):
    directives = ("{pair} branching.select_if", "{diagram} branching-tree", "{results} branching")
    build(tmp_path, "\n".join(f"```{directive}\n```" for directive in directives))
    app, _ = rebuild(tmp_path)
    assert app.env.get_outdated_files(config_changed=False) == (set(), set(), set())


def test_an_unknown_pair_is_a_warning_that_names_the_nearest(tmp_path):
    _, warnings = build(tmp_path, "```{pair} branching.select_wher\n```")
    assert "no pair branching.select_wher; the nearest is branching.select_where" in warnings


def test_a_part_lists_its_topics_in_order_and_a_page_that_is_missing_is_a_warning(tmp_path):
    first, *others = (topic for topic in topics() if position(topic)[0] == 1)
    for topic in [*others, f"{others[0]}-again"]:
        path = tmp_path / "topics" / f"{topic}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {topic}\n", encoding="utf-8")
    app, warnings = build(tmp_path, "```{topics} 1\n:caption: Part 1\n```")
    pages = [others[0], f"{others[0]}-again", *others[1:]]
    assert app.env.toctree_includes["index"] == [f"topics/{page}" for page in pages]
    assert f"nonexisting document 'topics/{first}'" in warnings


def test_an_unknown_diagram_is_an_error_that_names_the_others(tmp_path):
    _, warnings = build(tmp_path, "```{diagram} branching-trees\n```")
    assert "no drawing branching-trees" in warnings
    assert "branching-tree" in warnings


@pytest.mark.parametrize("path", sorted(diagram.FIGURES.glob("*.svg")), ids=lambda path: path.stem)
def test_every_drawing_has_a_title_and_a_description(path):
    assert diagram.title(path.stem)
    assert "<desc" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("myst", "plain"),
    [
        ("(label)=\n# Title", "# Title"),
        ("See {py:func}`jax.jit`.", "See py:func:jax.jit."),
        ("See [it](../purity.md#refs).", "See [it](https://book/../purity.html#refs)."),
        ("```{pair} a.b\n```", "<pair a.b>"),
        ("```{note}\nText.\n```", "> **Note**\n>\n> Text."),
        ("See {term}`a\n  word`.", "See term:a word."),
        (":::{admonition} A title\n:class: tip\nText.\n:::", "> **A title**\n>\n> Text."),
        (
            "````{tab-set}\n```{tab-item} JAX\n:sync: jax\nText.\n```\n````",
            "**JAX**\n\nText.",
        ),
        ("```python\nx = {py:func}`y`\n```", "```python\nx = {py:func}`y`\n```"),
        ("```{code-block} console\n$ ls\n```", "```console\n$ ls\n```"),
        ("% a comment\nText.", "Text."),
    ],
)
def test_myst_becomes_plain_markdown(myst, plain):
    assert PLAIN(myst) == plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Use jnp.where(d == 0, 1, f(d)), i.e. two.",
            "Use `jnp.where(d == 0, 1, f(d))`, i.e. two.",
        ),
        ("x[mask].sum() has no shape (or two).", "`x[mask].sum()` has no shape (or two)."),
        ("Set dim=1, as log_softmax does.", "Set `dim=1`, as `log_softmax` does."),
        ("It is `y = f(x)` <there>.", r"It is `y = f(x)` \<there\>."),
    ],
)
def test_code_in_a_sentence_of_the_index_is_shown_as_code(text, shown):
    assert sentence(text) == shown


def test_a_directive_without_plain_form_is_an_error():
    with pytest.raises(LookupError, match=r"\{frobnicate\}"):
        PLAIN("```{frobnicate}\n```")


def test_a_directive_gets_its_options():
    got: list[Directive] = []
    Converter({"x": lambda d: got.append(d) or ""}, PLAIN.resolve, PLAIN.page_url)(
        "```{x} the argument\n:alt: some text\n\nThe body.\n```"
    )
    assert got == [Directive("x", "the argument", {"alt": "some text"}, "The body.")]


def test_a_page_becomes_a_notebook_that_installs_first():
    header = "---\nkernelspec:\n  name: python3\n---\n"
    page = "# T\n\n```{code-cell} ipython3\n:tags: [a]\n1\n```\n"
    notebook = notebooks.make_notebook(header + page, PLAIN, "%pip install it")
    nbformat.validate(notebook)
    assert [cell.source for cell in notebook.cells] == [
        f"%pip install it\n{notebooks.LOAD}",
        "# T",
        "1",
    ]
    assert notebook.cells[2].metadata == {"tags": ["a"]}


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_the_inventories_name_what_exists(library):
    pytest.importorskip(library, reason=f"the names are looked up in {library}")
    lines = (BOOK / "inventories" / f"{library}.inv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Sphinx inventory version 1"
    for line in lines[3:]:
        name, kind, _ = line.split()
        if kind != "mod":
            assert find(name) is not None
        else:
            importlib.import_module(name)


def find(name: str) -> object:
    """The object of a dotted name: the longest part that is a module, then attributes."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            value = getattr(value, part)
        return value
    raise ModuleNotFoundError(name)


def test_definitions_are_shown_by_framework_and_without_docstrings():
    names = "parallelism/processes/jax_step.main parallelism/processes/torch_step.main"
    blocks = definitions.blocks(names)
    assert list(blocks) == ["jax", "torch"]
    assert blocks["jax"].startswith("```python\ndef main():\n    if arguments :=")
    plain = definitions.plain(names)
    assert plain.index("**JAX**") < plain.index("**PyTorch**")
    without_framework = "memory/inputs.step"
    assert definitions.plain(without_framework) == definitions.blocks(without_framework)["inputs"]
    with pytest.raises(LookupError, match="defines no 'nothing'"):
        definitions.blocks("parallelism/processes/jax_step.nothing")
