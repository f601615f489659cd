"""One line of the map, tried beside PyTorch in the way that its kind needs."""

from jaxvstorch.names.check.draws import try_draws
from jaxvstorch.names.check.forms import try_form
from jaxvstorch.names.check.functions import try_function
from jaxvstorch.names.check.layers import try_module
from jaxvstorch.names.check.optimizers import try_optimizer, try_schedule
from jaxvstorch.names.check.tally import Tally
from jaxvstorch.names.row import Row
from jaxvstorch.names.rows import meaning
from jaxvstorch.names.running.call import of_pytorch
from jaxvstorch.names.running.compare import compare
from jaxvstorch.names.running.namespace import namespace


def try_row(row: Row) -> Tally:
    """Run a line beside PyTorch; nothing is run of a name without counterpart."""
    if row.form_of:
        return try_form(row, meaning(row))
    if row.expression is None:
        return Tally()
    if row.made is None:
        return _constant(row)
    if row.name.startswith("torch.optim.lr_scheduler."):
        return try_schedule(row)
    if row.name.startswith("torch.optim."):
        return try_optimizer(row)
    if row.called is not None:
        return try_module(row)
    return try_draws(row) if row.draws else try_function(row)


def _constant(row: Row) -> Tally:
    tally = Tally()
    value = eval(row.expression or "", namespace())
    tally.add("constant", row.name, compare(of_pytorch(row.name), value, wide=True))
    return tally
