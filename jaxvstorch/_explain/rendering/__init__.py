"""How explanations look: as text, in a terminal, as HTML."""
