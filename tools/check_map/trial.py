"""One line of the map, tried beside PyTorch in the way that its kind needs."""

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning
from jaxvstorch._port.map.running.call import of_pytorch
from jaxvstorch._port.map.running.compare import compare
from jaxvstorch._port.map.running.namespace import namespace
from tools.check_map.draws import try_draws
from tools.check_map.forms import try_form
from tools.check_map.functions import try_function
from tools.check_map.layers import try_module
from tools.check_map.optimizers import try_optimizer, try_schedule
from tools.check_map.tally import Tally


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
