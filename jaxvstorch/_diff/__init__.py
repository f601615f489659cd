"""Where two implementations part: every intermediate array of both, matched by its numbers."""
