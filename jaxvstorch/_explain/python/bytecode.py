"""Follows a function's bytecode, and records what it accesses outside itself."""

import builtins
import enum
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import harmless, statements
from jaxvstorch._explain.python.accesses import (
    Access,
    AccessKind,
    access_kind,
    attribute_access_kind,
    is_stream,
)
from jaxvstorch._explain.python.code_or_data import is_code
from jaxvstorch._explain.python.instructions import (
    IMPORTED,
    Instruction,
    instructions,
    local_loaded,
)
from jaxvstorch._explain.python.outside_objects import Outside

_IMMUTABLE = (bool, int, float, complex, str, bytes, tuple, frozenset)


def _assignments(file: str, name: str) -> int:
    """How often a file assigns a variable that inner functions share, apart from parameters."""
    parsed = statements.read(file)
    return parsed.assignment_counts[name] if parsed else 0


_READS = ("LOAD_GLOBAL", "LOAD_NAME")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_WRITES = ("STORE_GLOBAL", "DELETE_GLOBAL")
REST = "torch_dynamo_resume_in_"  # how Dynamo names the rest of a function after a graph break


class Bytecode:
    """Follows the instructions of shown code one by one, and records what they access outside."""

    def __init__(
        self,
        global_reads: bool = True,
        on_load: Callable[[str, Any], None] | None = None,
        outside: Outside | None = None,
    ) -> None:
        """Begin without any accesses.

        Args:
            global_reads: whether to record reads of globals, or of closure variables only.
            on_load: called with the name and value of each object from outside that is loaded.
            outside: the objects from outside whose attributes count when they are read.
        """
        self._global_reads = global_reads
        self._on_load = on_load or (lambda name, value: None)
        self._outside = outside
        self._local = ""  # the variable that the last instruction loaded
        self._object: tuple[str, Any] | None = None  # or the attribute that holds an object
        self.accesses: dict[tuple[str, str, Location], Access] = {}
        self._chain: Any = None  # the module, class or stream that the last instruction loaded
        self._name = ""
        # By the code object's id: hashing one takes long. Keeping the object keeps its id.
        self._codes: dict[int, tuple[CodeType, dict[int, Instruction]]] = {}
        self._shared: dict[tuple[str, str], set[str]] = {}

    def opcode(self, frame: FrameType) -> None:
        """Look at the instruction that is about to run."""
        code = frame.f_code
        instruction = self.entered(code).get(frame.f_lasti)
        if instruction is not None:
            self.instruction(instruction, code, frame.f_globals, lambda: _variables(frame))

    def entered(self, code: CodeType) -> dict[int, Instruction]:
        """Note a function of this call: the variables that it shares are not outside."""
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = code, instructions(code)
            for name in code.co_cellvars:
                self._shared.setdefault((code.co_filename, name), set()).add(code.co_qualname)
        return known[1]

    def instruction(
        self, instruction: Instruction, code: CodeType, names: dict[str, Any], variables: Any
    ) -> None:
        """Look at one instruction of a function with these globals and closure variables."""
        if instruction.name == "EXTENDED_ARG":  # belongs to the one that follows
            return
        location = (code.co_filename, instruction.line)
        chain, self._chain = self._chain, None
        local, self._local = self._local, local_loaded(instruction)
        held, self._object = self._object, None
        if instruction.name in _READS:
            value = names.get(instruction.argument, getattr(builtins, instruction.argument, None))
            self._read(str(instruction.argument), value, location)
        elif instruction.name == IMPORTED:
            self._begin(instruction.argument, variables().get(instruction.argument), location)
        elif instruction.name in _ATTRIBUTES and chain is not None:
            self._attribute(chain, str(instruction.argument), location)
        elif instruction.name in _ATTRIBUTES and self._outside and (local or held):
            name, owner = held or (local, variables().get(local))
            self._attribute_of_object(name, owner, str(instruction.argument), location)
        elif instruction.name == "STORE_ATTR" and harmless.is_a(chain, FunctionType):
            self._on_load(self._name, chain)
        elif instruction.name in _WRITES:
            self.add(Access(AccessKind.WRITTEN, f"global {instruction.argument}", location))
        elif instruction.name in ("LOAD_DEREF", "STORE_DEREF"):
            self._closure(instruction, code, location, variables)

    def _closure(
        self, instruction: Instruction, code: CodeType, location: Location, variables: Any
    ) -> None:
        name = str(instruction.argument)
        if name not in code.co_freevars or name == "__class__" or self._is_of_this_call(code, name):
            return
        if instruction.name == "STORE_DEREF":
            self.add(Access(AccessKind.WRITTEN, f"nonlocal {name}", location))
            return
        value = variables().get(name)
        is_fixed = harmless.is_a(value, *_IMMUTABLE) and _assignments(code.co_filename, name) <= 1
        if not is_fixed:  # a variable bound once to an immutable value never goes stale
            self._read(name, value, location, is_closure=True)

    def _is_of_this_call(self, code: CodeType, name: str) -> bool:
        """Whether a variable belongs to a function around this one that runs in the same call."""
        owners = self._shared.get((code.co_filename, name), ())
        if code.co_name.startswith(REST):
            return bool(owners)
        return any(code.co_qualname.startswith(f"{owner}.<locals>.") for owner in owners)

    def _read(self, name: str, value: Any, location: Location, is_closure: bool = False) -> None:
        if not self._begin(name, value, location) and (is_closure or self._global_reads):
            self._add_read(name, value, location)

    def _begin(self, name: str, value: Any, location: Location) -> bool:
        """Note that something from outside is loaded; return whether that alone is an access."""
        kind = access_kind(value)
        if kind is not None:
            self.add(Access(kind, name, location))
        elif harmless.is_a(value, ModuleType, type, FunctionType) or is_stream(value):
            self._chain, self._name = value, name
        return kind is not None

    def _attribute(self, owner: Any, attribute: str, location: Location) -> None:
        if harmless.is_a(owner, FunctionType):
            self._on_load(self._name, owner)
        name = f"{self._name}.{attribute}"
        value = harmless.attribute(owner, attribute)
        kind = attribute_access_kind(owner, attribute) or access_kind(value)
        if kind is not None:
            self.add(Access(kind, name, location))
            return
        if harmless.is_a(value, ModuleType, type) or is_stream(value):
            self._chain, self._name = value, name
        if self._global_reads and not attribute.startswith("__") and _is_readers(owner):
            self._add_read(name, value, location)

    def _attribute_of_object(
        self, name: str, owner: Any, attribute: str, location: Location
    ) -> None:
        if not self._outside or not self._outside.is_frozen(owner, attribute):
            return
        name, value = f"{name}.{attribute}", harmless.attribute(owner, attribute)
        if self._outside.add(value):
            self._object = name, value
        elif not is_code(value):
            self.add(Access(AccessKind.READ, name, location, value))

    def _add_read(self, name: str, value: Any, location: Location) -> None:
        self._on_load(name, value)
        is_member = "." in name and harmless.is_a(value, enum.Enum)  # its class never rebinds it
        if not is_code(value) and not is_stream(value) and not is_member:
            self.add(Access(AccessKind.READ, name, location, value))
        elif self._outside is not None:
            self._outside.add(value)

    def add(self, access: Access) -> None:
        """Record an access, each only once."""
        self.accesses.setdefault((access.kind, access.name, access.location), access)


def _is_readers(owner: Any) -> bool:
    """Whether a module, class or function is the reader's own, and not a library's."""
    if harmless.is_a(owner, ModuleType):
        return harmless.is_readers_module(owner)
    if harmless.is_a(owner, FunctionType):
        return harmless.is_readers_file(owner.__code__.co_filename)
    return harmless.is_a(owner, type) and harmless.is_readers(owner)


def _variables(frame: FrameType) -> dict[str, Any]:
    return dict(frame.f_locals)


def read_statically(
    follower: Bytecode,
    code: CodeType,
    names: dict[str, Any],
    variables: dict[str, Any],
    lines: set[int] | None = None,
) -> None:
    """Follow all instructions of a function, or those of some lines, without running them."""
    for instruction in instructions(code).values():
        if lines is None or instruction.line in lines:
            follower.instruction(instruction, code, names, lambda: variables)
