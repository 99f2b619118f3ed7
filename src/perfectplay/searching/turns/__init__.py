"""Searches of games that go by turns, from anchor to anchor."""
