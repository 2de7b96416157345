"""Turns findings, plans and events into text; prints nothing."""
