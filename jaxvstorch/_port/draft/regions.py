"""Finds the steps of a program's training, and the statements that compute their losses."""

import ast
import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from jaxvstorch._port.draft.clipping import clips_gradients
from jaxvstorch._port.draft.reading import (
    bodies,
    changed_by_hand,
    first_reads,
    gradient_call,
    names_in,
    stepped,
    stores,
)
from jaxvstorch._port.draft.recorded import Handing, Steps, holders, weights_of
from jaxvstorch._port.filling import Span, span_of


@dataclass
class Step:
    """One place of a program that takes a step, in a list of statements.

    Attributes:
        seen: what the run showed of it.
        losses: the expressions whose gradients are taken and added up.
        region: the statements that compute the losses, and those that call ``backward``.
        changes: those between the gradient and the step, such as clipping.
        optimizer: the name whose ``step`` is called; empty where weights are changed by hand.
        trained: the names of the modules that it steps.
        end: the index of that call, or of the statement that changes the weights.
        again: the statements of the region that an earlier step computes too.
        new_value: of a weight ``p`` with the gradient ``g``, where it is changed by hand.
        adds: whether it only adds its gradients to those before: the step is elsewhere.
        apart: whether a function that is called takes the step, or nothing does: this one returns
            its gradients.
    """

    seen: Steps
    losses: list[ast.expr]
    region: list[ast.stmt]
    changes: list[ast.stmt]
    optimizer: str
    trained: list[str]
    end: int
    again: list[ast.stmt] = field(default_factory=list)
    new_value: ast.expr | None = None
    adds: bool = False
    apart: bool = False

    @property
    def loss_name(self) -> str | None:
        """The name of its loss, if it has one."""
        only = self.losses[0] if len(self.losses) == 1 else None
        return only.id if isinstance(only, ast.Name) else None

    @property
    def reads(self) -> set[str]:
        """The names that it reads before it stores them."""
        return first_reads([*self.region, *self.changes])


def find_steps(
    body: Sequence[ast.stmt],
    seen_at: Callable[[ast.Call], Steps | None],
    trainers: Collection[str] = (),
    handing: Mapping[Span, Handing] = MappingProxyType({}),
    stepped_at_all: bool = True,
) -> list[Step]:
    """The steps that a list of statements takes and that can be rewritten, in order.

    Args:
        body: the statements.
        seen_at: what the run showed of a call of ``backward``.
        trainers: the names of the functions that take steps themselves.
        handing: the optimizer that each call steps in a function below.
        stepped_at_all: whether the program takes steps; if not, its gradients are what it wants.
    """
    found: list[Step] = []
    begin, earlier = 0, list[ast.stmt]()
    stepped_at_all = stepped_at_all or any(map(changed_by_hand, body))
    for end, node in enumerate(body):
        by_hand = changed_by_hand(node)
        part = body[begin:end]
        backward = [n for n in part if gradient_call(n) == "backward"]
        seen = [seen_at(n.value) for n in backward]  # type: ignore[attr-defined]
        kinds = seen[0].kinds if seen and seen[0] is not None else {}
        changed = stepped(node) or (by_hand and by_hand[0])
        known = kinds.get(changed or "") == ("module" if by_hand else "optimizer")
        below = None if known else _stepped_below(node, seen, handing)
        if not stepped_at_all and gradient_call(node) == "backward":
            part, backward = body[begin : end + 1], [node]
            seen = [seen_at(node.value)]  # type: ignore[attr-defined]
            known, changed = seen[0] is not None, ""
        if (changed := below or changed) is None or not (known or below):
            continue
        part = _after_call(part, trainers)
        step = _step(part, backward, changed, earlier, seen[0]) if None not in seen else None
        if step is None:
            break  # this one and what follows it are left as they are
        if by_hand:
            step.changes.append(node)
            step.new_value = by_hand[1]
        step.apart = below is not None or not changed
        step.end, begin = end, end + 1
        earlier += [n for n in part if gradient_call(n) is None]
        found.append(step)
    return found


def _stepped_below(
    node: ast.stmt,
    seen: Sequence[Steps | None],
    handing: Mapping[Span, Handing],
) -> str | None:
    """The name of the optimizer that a statement steps in a function that it calls."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not seen or seen[0] is None:
        return None
    handed = handing.get(span_of(call)) if hasattr(call, "lineno") else None
    names = [n for n, kind in seen[0].kinds.items() if kind == "optimizer" and handed]
    return next((n for n in names if seen[0].namespace[n] is handed.optimizer), None)  # type: ignore[union-attr]


def adding_step(
    scope: Sequence[ast.stmt], seen_at: Callable[[ast.Call], Steps | None]
) -> Step | None:
    """What adds gradients up, where an optimizer steps with them in another list of statements.

    Its ``end`` is in the list that calls ``backward``; what clips is in the one that steps.

    Args:
        scope: the statements of a function, or of a file.
        seen_at: what the run showed of a call of ``backward``.

    Returns:
        None if there is no such place, or more than one.
    """
    every = list(bodies(scope))
    added = [(b, n) for b in every for n in b if gradient_call(n) == "backward"]
    taken = [(body, node) for body in every for node in body if stepped(node) is not None]
    if len(added) != 1:
        return None
    body, call = added[0]
    seen = seen_at(call.value)  # type: ignore[attr-defined]
    taken = [
        (b, n) for b, n in taken
        if seen is not None and seen.kinds.get(stepped(n) or "") == "optimizer"
    ]  # fmt: skip
    if seen is None or len(taken) != 1 or taken[0][0] is body:
        return None
    around, last = taken[0]
    end = _index(body, call)
    step = _step(body[: end + 1], [call], stepped(last) or "", [], seen)
    if step is not None:
        step.adds, step.end = True, end
        step.changes = [n for n in around[: _index(around, last)] if clips_gradients(n)]
    return step


def around_step(
    step: Step, others: Sequence[ast.stmt], body: Sequence[ast.stmt]
) -> tuple[list[ast.stmt], list[ast.stmt], bool]:
    """The other statements before a step, as they stand before and after its call.

    One between that reads what the step changes goes before it.

    Returns:
        Those before, those after, and whether one of these should have come before.
    """
    reading = [n for n in step.region if names_in(n, ast.Load)]  # not `losses = []`
    first = min(i for i, n in enumerate(body) if any(n is part for part in reading))
    changed = {*step.trained, *filter(None, [step.optimizer])}
    counted = any(True for name in step.trained for _ in step.seen.namespace[name].buffers())
    stored = set().union(*map(stores, step.region))
    before, after, late = list[ast.stmt](), list[ast.stmt](), False
    for part in others:
        reads = names_in(part, ast.Load)
        between = _index(body, part) > first
        apart = not reads & stored and not counted
        if not between or (reads & changed and apart):
            before.append(part)
        else:
            after.append(part)
            stored |= stores(part)
            late = late or bool(reads & changed)
    return before, after, late


def _after_call(body: Sequence[ast.stmt], trainers: Collection[str]) -> Sequence[ast.stmt]:
    """The statements after the last one whose result comes from a function that takes steps."""
    calls = [
        place for place, node in enumerate(body)
        if stores(node) and any(_is_call_of(part, trainers) for part in ast.walk(node))
    ]  # fmt: skip
    return body[calls[-1] + 1 :] if calls else body


def _is_call_of(node: ast.AST, names: Collection[str]) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names


def _step(
    body: Sequence[ast.stmt],
    backward: Sequence[ast.stmt],
    changed: str,
    earlier: Sequence[ast.stmt],
    seen: Steps | None,
) -> Step | None:
    """The step of an optimizer, or of a module, after statements, if it can be rewritten."""
    assert seen is not None
    if not all(any(n is part for part in body) for n in backward):
        return None
    calls = [n.value for n in backward]  # type: ignore[attr-defined]
    losses = [call.func.value for call in calls]
    others = [p for n in body if gradient_call(n) is None for p in ast.walk(n)]
    if any(isinstance(p, ast.Attribute) and p.attr == "backward" for p in others):
        return None  # one in a branch
    if any(call.args or {w.arg for w in call.keywords} - {"retain_graph"} for call in calls):
        return None
    if len(losses) > 1 and len({n.id for n in losses if isinstance(n, ast.Name)}) < len(losses):
        return None
    read = names_in(ast.Module([*earlier, *body], []), ast.Load)
    near = {n: seen.namespace[n] for n, k in seen.kinds.items() if k == "module" and n in read}
    is_optimizer = seen.kinds.get(changed) == "optimizer"
    trained = [changed] if changed else list(near)
    if is_optimizer:
        trained = holders(weights_of(seen.namespace[changed]), near)
    again, region = _region(earlier, body, backward, set(trained))
    kept = any(text in ast.unparse(n) for text in seen.lists for n in region)
    if not trained or not region or kept:
        return None  # what it is the gradient of was computed elsewhere
    places = [_index(body, n) for n in backward]
    first, last = min(places), max(places)
    between = [n for n in body[first:last] if gradient_call(n) == "zero_grad"]
    if any(names_in(n, ast.Load) & {changed, *trained} for n in between):
        return None  # the gradients before do not count
    changes = [n for n in body[last + 1 :] if clips_gradients(n)]
    region = [*map(copy.deepcopy, again), *region]
    optimizer = changed if is_optimizer else ""
    return Step(seen, losses, region, changes, optimizer, trained, 0, again)


def _region(
    earlier: Sequence[ast.stmt],
    body: Sequence[ast.stmt],
    backward: Sequence[ast.stmt],
    trained: set[str],
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statements that losses need, from the first one that calls a trained module on.

    Returns:
        Those of earlier steps that the losses come from, and those of the body.
    """
    needed, chosen = set[str](), list[ast.stmt]()
    for node in reversed([*earlier, *body]):
        if any(node is call for call in backward):
            chosen.insert(0, node)
            needed |= names_in(node, ast.Load)
        elif stored := stores(node) & needed:
            chosen.insert(0, node)
            needed = needed - stored | names_in(node, ast.Load)
    again, region, derived = list[ast.stmt](), list[ast.stmt](), set(trained)
    begun = list[ast.stmt]()
    for node in chosen:
        comes = bool(names_in(node, ast.Load) & derived)
        derived |= stores(node) if comes else set()
        if not any(node is part for part in earlier):
            if comes or again or region:
                region.append(node)
            else:
                begun.append(node)
        elif comes:
            again.append(node)
    region = [*(n for n in begun if _begins_sum(n, region, body)), *region]
    return again, _with_readers(body, region) if region else []


def _begins_sum(node: ast.stmt, region: Sequence[ast.stmt], body: Sequence[ast.stmt]) -> bool:
    """Whether a statement is such as ``losses = []`` or ``loss = 0``, which the region adds to."""
    value = node.value if isinstance(node, ast.Assign) else None
    literal = isinstance(value, ast.Constant | ast.List | ast.Dict | ast.Tuple)
    if value is None or not literal or names_in(value, ast.Load):
        return False
    names = stores(node)
    between = body[_index(body, node) + 1 : _index(body, region[0])]
    apart = all(names.isdisjoint(names_in(n, ast.Load) | stores(n)) for n in between)
    return bool(region) and apart and bool(names & set[str]().union(*map(stores, region)))


def _with_readers(body: Sequence[ast.stmt], region: list[ast.stmt]) -> list[ast.stmt]:
    """A region with the assignments between that read what it stores over later."""
    whole, stored = list[ast.stmt](), set[str]()
    inside = body[_index(body, region[0]) : _index(body, region[-1]) + 1]
    for place, node in enumerate(inside):
        chosen = any(node is part for part in region)
        rest = [n for n in inside[place + 1 :] if any(n is part for part in region)]
        later = set().union(*map(stores, rest))
        if not chosen and names_in(node, ast.Load) & stored & later and not gradient_call(node):
            if not isinstance(node, ast.Assign):
                return []
            chosen = True
        if chosen:
            whole.append(node)
            stored |= stores(node)
    return whole


def _index(body: Sequence[ast.stmt], node: ast.stmt) -> int:
    return next(i for i, part in enumerate(body) if part is node)
