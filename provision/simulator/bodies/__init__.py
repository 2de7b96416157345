"""What a body may hold: the words for it, how it is read, and what a body that does not fit is answered with."""
