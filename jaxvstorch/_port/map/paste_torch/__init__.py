"""Functions in PyTorch that take more than a line, for a reader to paste.

Each does what the JAX function of its name does, with the same parameters. The lines of
``rows/jax`` call them, and so the check runs them. Those whose name begins with ``_`` help the
others.
"""

from jaxvstorch._port.map.paste_torch.control_flow import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.dtypes import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.indexing import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.networks import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.numeric import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.products import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.sampling import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.schedules import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.segments import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.shapes import *  # noqa: F403
from jaxvstorch._port.map.paste_torch.trees import *  # noqa: F403
