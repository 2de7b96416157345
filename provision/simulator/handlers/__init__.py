"""Which request is answered by what: routes, and a handler for each."""
