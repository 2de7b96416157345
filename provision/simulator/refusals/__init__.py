"""Azure's refusals: status, code and wording, each in one place. Who refuses decides what to say."""
