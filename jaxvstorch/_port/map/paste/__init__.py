"""Functions in JAX that take more than a line, for a reader to paste.

Each does what the PyTorch function of its name does, with the same parameters. The map's lines
call them, and so the check runs them. Those whose name begins with ``_`` help the others.
"""

from jaxvstorch._port.map.paste.attention import *  # noqa: F403
from jaxvstorch._port.map.paste.convolutions import *  # noqa: F403
from jaxvstorch._port.map.paste.creation import *  # noqa: F403
from jaxvstorch._port.map.paste.elementwise import *  # noqa: F403
from jaxvstorch._port.map.paste.images import *  # noqa: F403
from jaxvstorch._port.map.paste.indexing import *  # noqa: F403
from jaxvstorch._port.map.paste.initial import *  # noqa: F403
from jaxvstorch._port.map.paste.linear_algebra import *  # noqa: F403
from jaxvstorch._port.map.paste.losses import *  # noqa: F403
from jaxvstorch._port.map.paste.norms import *  # noqa: F403
from jaxvstorch._port.map.paste.optimizers import *  # noqa: F403
from jaxvstorch._port.map.paste.pooling import *  # noqa: F403
from jaxvstorch._port.map.paste.recurrent import *  # noqa: F403
from jaxvstorch._port.map.paste.reductions import *  # noqa: F403
from jaxvstorch._port.map.paste.sampling import *  # noqa: F403
from jaxvstorch._port.map.paste.shapes import *  # noqa: F403
from jaxvstorch._port.map.paste.spectra import *  # noqa: F403
