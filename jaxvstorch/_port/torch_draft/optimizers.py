"""Optimizers of optax as those of ``torch.optim``."""

import ast
import copy
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from jaxvstorch._port.from_jax.fitting import Argument
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.map.running.values import RefusedError
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.chains import Part, added_up
from jaxvstorch._port.torch_draft.groups import in_tree, rule
from jaxvstorch._port.torch_draft.layers import row_for
from jaxvstorch._port.torch_draft.schedules import Schedules


class _Wrapper(NamedTuple):
    name: str
    inner: str
    number: str


_WRAPPERS = {
    "MultiSteps": _Wrapper("MultiSteps", "opt", "every_k_schedule"),
    "apply_if_finite": _Wrapper("StepsIfFinite", "inner", "max_consecutive_errors"),
}
_FIRST = {
    "clip_by_global_norm": "max_norm", "clip": "max_delta", "add_decayed_weights": "weight_decay",
}  # fmt: skip


class Optimizers(Schedules):
    """Rewrites what makes an optimizer: its settings, schedule, and changes of gradients."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.made_optimizers: list[ast.stmt] = []
        self.made_name, self.made_scope = "", 0
        self.changes_gradients = False  # whether gradients are others after a step
        self.making: str | None = None  # the parameters, in a function that makes an optimizer

    def _parameters(self, node: ast.expr) -> str:
        """What an optimizer of PyTorch takes for the weights of a model, or for a tree of them."""
        if isinstance(node, ast.Call) and node.args:  # eqx.filter(model, eqx.is_array)
            return self._parameters(node.args[0])
        model = ast.unparse(self.variables(node))
        if self.kinds_of(node) & {kinds.MODULE, kinds.VARIABLES} or model.endswith(".model"):
            return f"{model}.parameters()"
        return f"trainable({model})"

    def _made_optimizer(self, node: ast.expr, parameters: str, target: ast.expr) -> list[ast.stmt]:
        """The statements that make an optimizer, its schedule and what changes its gradients."""
        name = ast.unparse(target)
        statements = ast.parse("\n".join(self._made_lines(node, parameters, name))).body
        if not self.made_optimizers and self.making is None:
            self.made_name, self.made_scope = name, self.scope
            self.made_optimizers += statements
        return statements

    def _made_lines(self, node: ast.expr, parameters: str, name: str) -> list[str]:
        """The same as lines of source."""
        if isinstance(node, ast.Name):
            node = self.transformations.get(node.id) or self._elsewhere(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in self.makers:
            made: Any = self._call(node.func, node)
            model = parameters.removesuffix(".parameters()").removeprefix("trainable(")
            model = model.rstrip(")") if parameters.startswith("trainable(") else model
            made.args.insert(0, ast.parse(model, mode="eval").body)
            return [f"{name} = {ast.unparse(made)}"]
        parts = [*added_up([*self._chained(node)])]
        wrapper = _WRAPPERS.get(parts[0].name) if len(parts) == 1 else None
        if wrapper is not None and (inner := parts[0].argument(0, wrapper.inner)) is not None:
            number = parts[0].argument(1, wrapper.number)
            if not isinstance(number, ast.Lambda) and number is not None:
                number = self.visit(copy.deepcopy(number))
                lines = self._made_lines(inner, parameters, name)
                return [*lines, f"{name} = {wrapper.name}({name}, {ast.unparse(number)})"]
        lines, before, after = list[str](), list[str](), list[str]()
        everything = parameters
        lines, parameters = self._without_frozen(parts, parameters)
        made = ""
        for i, part in enumerate(parts):
            is_last = i + 1 == len(parts)
            first = part.argument(0, _FIRST.get(part.name, ""))
            text = ast.unparse(self.visit(copy.deepcopy(first))) if first is not None else ""
            if part.name == "clip_by_global_norm":
                before.append(f"torch.nn.utils.clip_grad_norm_({everything}, {text})")
            elif part.name == "clip":
                before.append(f"torch.nn.utils.clip_grad_value_({everything}, {text})")
            elif part.name == "add_decayed_weights" and not made and not is_last:
                chosen, more = self._chosen(part, everything, 1)
                lines += more
                before.append(f"for p in {chosen}:\n        p.grad.add_(p.detach(), alpha={text})")
            elif part.name in ("multi_transform", "partition") and not made:
                more = self._several(part, parameters, name)
                made = more.pop() if more else ""
                lines += more
            elif not made and (fitted := self._fitted(part, parameters, name, after, lines)):
                made = fitted
            elif part.name not in ("identity", "set_to_zero"):
                self.todo.append(f"optax.{part.name} has no counterpart in torch.optim")
        if not made:
            self.todo.append(f"{ast.unparse(node)} has no counterpart in torch.optim")
            made = f"torch.optim.SGD({parameters}, lr=0.0)"
        lines.append(f"{name} = {made}")
        if before:
            self.changes_gradients = True
            body = "\n    ".join(before)
            lines.append(f"def clip(*_):\n    {body}\n{name}.register_step_pre_hook(clip)")
        return [*lines, *after]

    def _without_frozen(self, parts: list[Part], parameters: str) -> tuple[list[str], str]:
        """The parameters without those that ``masked(set_to_zero(), mask)`` keeps as they are."""
        for part in [p for p in parts if p.name == "masked"]:
            inner = [*self._chained(part.argument(0, "inner") or ast.Constant(None))]
            if [p.name for p in inner] == ["set_to_zero"]:
                parts.remove(part)
                texts = self._chosen_text(part, parameters, 1)
                if texts is not None:
                    groups = "[{'params': learning}, {'params': frozen, 'lr': 0.0}]"
                    return [f"learning = {texts[1]}", f"frozen = {texts[0]}"], groups
                self.todo.append("optax.masked: which parameters it chooses is not known")
            elif [p.name for p in inner] == ["add_decayed_weights"]:
                words = [*inner[0].call.keywords]
                mask = part.argument(1, "mask")
                words += [] if mask is None else [ast.keyword("mask", mask)]
                new = ast.copy_location(
                    ast.Call(part.call.func, inner[0].call.args, words), part.call
                )
                parts[parts.index(part)] = Part("add_decayed_weights", new)
        return [], parameters

    def _chosen_text(self, part: Part, parameters: str, place: int) -> tuple[str, str] | None:
        """The parameters that a mask chooses, and the others; None where it is not known."""
        mask = part.argument(place, "mask")
        if mask is None:
            return None
        if parameters.startswith("trainable("):
            in_order = in_tree(self.visit(copy.deepcopy(mask)), parameters[10:-1])
            pairs = f"for p, chosen in zip({parameters}, {in_order}) if"
            return f"[p {pairs} chosen]", f"[p {pairs} not chosen]"
        labels = self.recording.labels.get(self.at(part.call), {})
        if not parameters.endswith(".parameters()") or not labels:
            return None
        named = f"for name, p in {parameters.replace('.parameters', '.named_parameters')} if"
        return f"[p {named} {rule(labels, True)}]", f"[p {named} {rule(labels, False)}]"

    def _chosen(self, part: Part, parameters: str, place: int) -> tuple[str, list[str]]:
        """A name for the parameters that a mask chooses, and the lines that make it."""
        if part.argument(place, "mask") is None:
            return parameters, []
        texts = self._chosen_text(part, parameters, place)
        if texts is None:
            self.todo.append(f"optax.{part.name}: which parameters its mask chooses is not known")
            return parameters, []
        return "decayed", [f"decayed = {texts[0]}"]

    def _several(self, part: Part, parameters: str, name: str) -> list[str]:
        """The lines that make an optimizer for each label, and one of all; none without labels.

        The labels of a tree are the program's; those of a model are the run's.
        """
        transforms = self._dictionary(part.argument(0, "transforms"))
        given = part.argument(1, "param_labels")
        if transforms is None or given is None:
            return []
        lines, names = list[str](), list[str]()
        known = self.recording.labels.get(self.at(part.call), {})
        for key, value in zip(transforms.keys, transforms.values, strict=True):
            label = ast.literal_eval(key) if isinstance(key, ast.Constant) else None
            if parameters.startswith("trainable("):
                labels = in_tree(self.visit(copy.deepcopy(given)), parameters[10:-1])
                text = f"[p for p, label in zip({parameters}, {labels}) if label == {label!r}]"
            elif label in {*known.values()} and parameters.endswith(".parameters()"):
                named = parameters.replace(".parameters", ".named_parameters")
                text = f"[p for name, p in {named} if {rule(known, label)}]"
            else:
                return []
            own = f"{label}" if f"{label}".isidentifier() else f"group_{len(names)}"
            lines.append(f"{own}_parameters = {text}")
            if [p.name for p in self._chained(value)] == ["set_to_zero"]:
                lines.append(f"{own}_optimizer = torch.optim.SGD({own}_parameters, lr=0.0)")
            else:
                lines += self._made_lines(value, f"{own}_parameters", f"{own}_optimizer")
            names.append(f"{own}_optimizer")
        return [*lines, f"Optimizers({', '.join(names)})"] if len(names) > 1 else [
            *lines, *names]  # fmt: skip

    def _dictionary(self, node: ast.expr | None) -> ast.Dict | None:
        if isinstance(node, ast.Name):
            node = self.everywhere.get(node.id)
        if isinstance(node, ast.Dict) and all(isinstance(k, ast.Constant) for k in node.keys):
            return node
        return None

    def _chained(self, node: ast.expr) -> Iterator[Part]:
        if isinstance(node, ast.Name) and node.id in self.transformations:
            yield from self._chained(self.transformations[node.id])
        elif isinstance(node, ast.Name) and self._is_transformation(self._elsewhere(node)):
            yield from self._chained(self._elsewhere(node))
        elif isinstance(node, ast.Call):
            name = self.name(node.func) or ""
            match node.func:
                case ast.Call(args=[made, *_]) if self.name(node.func.func) == (
                    "optax.inject_hyperparams"
                ):
                    name = self.name(made) or ""
                case ast.Attribute(attr="gradient_transformation", value=ast.Call() as inner):
                    yield from self._chained(inner)  # of MultiSteps
                    return
            if name == "optax.chain":
                for part in node.args:
                    yield from self._chained(part)
            elif name.startswith("optax."):
                yield Part(name.removeprefix("optax."), node)

    def _fitted(
        self, part: Part, parameters: str, name: str, after: list[str], lines: list[str]
    ) -> str | None:
        """The optimizer of PyTorch; its schedule goes to ``after``, its groups to ``lines``."""
        node, name_of_row = part.call, f"optax.{part.name}"
        row = jax_rows().get(name_of_row)
        row = row and meaning(row)
        plain = {w.arg for w in node.keywords} <= {"learning_rate", "decay", "eps", "momentum"}
        if plain and row_for(name_of_row) is not None:
            row = row_for(name_of_row)  # with the same step
        if row is None or row.expression is None or row.made is None:
            return None

        groups = list[str]()
        masks = [w for w in node.keywords if w.arg == "mask" and ast.unparse(w.value) != "None"]
        if part.name == "adamw" and masks:
            texts = self._chosen_text(part, parameters, 7)
            if texts is None:
                self.todo.append("optax.adamw: which parameters its mask chooses is not known")
                return None
            groups = [f"decayed = {texts[0]}", f"others = {texts[1]}"]
            parameters = "[{'params': decayed}, {'params': others, 'weight_decay': 0.0}]"
            words = [w for w in node.keywords if w not in masks]
            node = ast.copy_location(ast.Call(node.func, node.args, words), node)

        def argument(part: ast.expr) -> Argument:
            schedule = self.schedule(part)
            if schedule is None:
                return self._plain_argument(part)
            scheduler = name.replace("optimizer", "scheduler")
            scheduler = scheduler if scheduler != name else "scheduler"
            after.append(
                f"{scheduler} = torch.optim.lr_scheduler.LambdaLR({name}, lr_lambda={schedule})"
            )
            after.append(f"{name}.register_step_post_hook(lambda *_: {scheduler}.step())")
            return Argument(1.0, ast.Constant(1.0))

        try:
            text = self._fit(row, node, argument)
        except RefusedError as refusal:
            self.todo.append(f"{name_of_row}: {refusal}= has no counterpart")
            return None
        lines += groups
        return text.replace("(params", f"({parameters}", 1)


class WithParameters(ast.NodeTransformer):
    """The parameters of the model that is compared, for those that the program names."""

    tree = ""  # the expression of a tree of parameters

    def __init__(self, makers: Collection[str]) -> None:
        self.makers = makers

    def visit_Call(self, node: Any) -> Any:
        self.generic_visit(node)
        text = ast.unparse(node.func)
        if text in self.makers:
            node.args[0] = ast.Name("_model", ast.Load())
        if text.endswith(".named_parameters"):
            return ast.Name("_named", ast.Load())
        if text.endswith(".parameters") or text == "trainable":
            self.tree = ast.unparse(node.args[0]) if node.args else ""
            return ast.Name("_parameters", ast.Load())
        return node
