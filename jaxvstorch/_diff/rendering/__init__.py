"""A report of ``diff`` as text and as HTML."""
