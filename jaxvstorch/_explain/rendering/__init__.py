"""How an explanation and a ledger look: as text, in a terminal, as HTML."""
