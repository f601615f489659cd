"""Functions in JAX that take more than a line, to be pasted.

Each does what the PyTorch function of its name does, with the same parameters; what the map checks
are calls of these. Those whose name begins with ``_`` help the others.
"""

from jaxvstorch.names.paste.attention import *  # noqa: F403
from jaxvstorch.names.paste.convolutions import *  # noqa: F403
from jaxvstorch.names.paste.creation import *  # noqa: F403
from jaxvstorch.names.paste.elementwise import *  # noqa: F403
from jaxvstorch.names.paste.images import *  # noqa: F403
from jaxvstorch.names.paste.indexing import *  # noqa: F403
from jaxvstorch.names.paste.initial import *  # noqa: F403
from jaxvstorch.names.paste.linear_algebra import *  # noqa: F403
from jaxvstorch.names.paste.losses import *  # noqa: F403
from jaxvstorch.names.paste.norms import *  # noqa: F403
from jaxvstorch.names.paste.optimizers import *  # noqa: F403
from jaxvstorch.names.paste.pooling import *  # noqa: F403
from jaxvstorch.names.paste.recurrent import *  # noqa: F403
from jaxvstorch.names.paste.reductions import *  # noqa: F403
from jaxvstorch.names.paste.sampling import *  # noqa: F403
from jaxvstorch.names.paste.shapes import *  # noqa: F403
from jaxvstorch.names.paste.spectra import *  # noqa: F403
