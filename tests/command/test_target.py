"""The function that the command line names: found, imported, or refused with a cure."""

import sys
import textwrap
from pathlib import Path

import pytest

from jaxvstorch._command import BadInputError
from jaxvstorch._command.target import load

MODEL = """
from dataclasses import dataclass

import helper_of_model

def loss(x, y=1):
    return x

class Net:
    def forward(self, x):
        return x
    @staticmethod
    def act(x):
        import late_helper_of_model
        return late_helper_of_model.twice(x)

@dataclass
class Config:
    width: int = 3

net = Net()
call = net.forward
width = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a model, as the working directory."""
    monkeypatch.chdir(tmp_path)
    write("model.py", MODEL)
    write("helper_of_model.py", "")
    write("many.py", "f0 = f1 = f2 = f3 = f4 = f5 = f6 = f7 = f8 = lambda x: x")
    write("late_helper_of_model.py", "def twice(x): return 2 * x")
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(textwrap.dedent(text))


def error_of(text: str) -> str:
    with pytest.raises(BadInputError) as caught, load(text):
        pytest.fail("it was found")
    return str(caught.value)


@pytest.mark.parametrize("name", ["loss", "Net.forward", "Net.act", "call", "net.forward"])
@pytest.mark.parametrize("where", ["model.py", "./model.py", "model"])
def test_a_function_is_found_in_a_file_and_in_a_module(folder, monkeypatch, where, name) -> None:
    monkeypatch.delitem(sys.modules, "model", raising=False)
    with load(f"{where}:{name}") as target:
        assert target.function.__name__ == name.rpartition(".")[2].replace("call", "forward")
        assert target.module.__file__ == str(folder / "model.py")


def test_its_folder_is_on_the_path_until_it_was_explained(folder, monkeypatch) -> None:
    monkeypatch.chdir("/")
    before = list(sys.path)
    with load(f"{folder / 'model.py'}:Net.act") as target:
        assert sys.path[0] == str(folder)
        assert target.function(3) == 6
    assert sys.path == before


def test_two_files_of_one_name_are_two_modules(folder) -> None:
    write("other/model.py", "def loss(x): return 'other'")
    write("other/json.py", "def loss(x): return 'json'")
    with load("model.py:loss") as first, load("other/model.py:loss") as second:
        assert (first.function(1), second.function(1)) == (1, "other")
    with load("other/json.py:loss") as target:
        assert target.function(1) == "json"
    assert sys.modules["json"].dumps(1) == "1"


def test_a_file_that_was_edited_is_read_anew(folder) -> None:
    with load("model.py:loss"):
        pass
    write("model.py", "def loss(x): return 'a longer text than it was'")
    with load("model.py:loss") as target:
        assert target.function(1) == "a longer text than it was"


def test_a_file_of_a_package_is_imported_as_part_of_it(folder) -> None:
    write("its_package/__init__.py", "three = 3")
    write("its_package/part/__init__.py", "")
    write(
        "its_package/part/jax.py", "from .. import three\nimport json as jax\ndef f(): return three"
    )
    with load("its_package/part/jax.py:f") as target:
        assert target.module.__name__ == "its_package.part.jax"
        assert target.function() == 3


def test_a_package_is_a_file_too(folder) -> None:
    write("one_package/__init__.py", "from . import inner\ndef f(): return inner.one")
    write("one_package/inner.py", "one = 1")
    with load("one_package/__init__.py:f") as target:
        assert target.function() == 1


def test_a_package_that_is_installed_elsewhere_is_not_taken_for_this_one(folder) -> None:
    write("jaxvstorch/__init__.py", "")
    write("jaxvstorch/_messages.py", "def f(): pass")
    assert "its name jaxvstorch._messages is taken by " in error_of("jaxvstorch/_messages.py:f")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model.py", "expected FILE.py:function or package.module:function, not 'model.py'"),
        ("model.py:", "expected FILE.py:function"),
        (":loss", "expected FILE.py:function"),
        ("absent.py:loss", "absent.py does not exist: expected a Python file"),
        ("no/such.py:loss", "no/such.py does not exist"),
        ("./:loss", "./ is a folder: expected a Python file"),
        ("notes.txt:loss", "notes.txt is not Python: its name must end in .py"),
        ("no_such_module:loss", "there is no module 'no_such_module' here"),
        ("no_such.module:loss", "there is no module 'no_such' here"),
        ("model.py:lose", "model.py has no 'lose'. Did you mean loss?"),
        ("model.py:zzz", "model.py has no 'zzz'. It has loss, Net, Config, call."),
        ("many.py:zzz", "many.py has no 'zzz'. It has f0, f1, f2, f3, f4, f5, f6, f7 and 1 more."),
        ("model.py:Net.forwards", "Net in model.py has no 'forwards'. Did you mean forward?"),
        ("model.py:width.x", "width in model.py has no 'x'."),
        ("model.py:Net", "Net in model.py is a class: name one of its methods"),
        ("model.py:width", "width in model.py is not a function: it is of type int"),
        ("model.py:net", "net in model.py is not a function: it is of type Net"),
    ],
)
def test_what_cannot_be_found_says_why(folder, text, said) -> None:
    write("notes.txt", "def loss(): pass")
    assert error_of(text).startswith(said)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(:\n  pass", "bad.py could not be imported: SyntaxError: "),
        ("\n\n1 / 0", "bad.py could not be imported: ZeroDivisionError: division by zero (line 3)"),
        ("import no_such_thing", "bad.py could not be imported: ModuleNotFoundError: No module"),
        ("raise SystemExit(3)", "bad.py could not be imported: SystemExit: 3 (line 1)"),
        ("from . import x", "bad.py could not be imported: ImportError: "),
    ],
)
def test_a_file_that_fails_to_import_is_one_line(folder, source, said) -> None:
    write("bad.py", source)
    before = list(sys.path)
    message = error_of("bad.py:f")
    assert message.startswith(said)
    assert "\n" not in message
    assert "bad" not in sys.modules
    assert sys.path == before


def test_ctrl_c_in_an_import_passes_through(folder) -> None:
    write("slow.py", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt), load("slow.py:f"):
        pass
