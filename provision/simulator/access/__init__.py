"""Who may do what, and what stands in the way: roles, denials, locks, policies, registrations, tags."""
