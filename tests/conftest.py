"""Lets all tests import `naive`, the slow twins: pytest puts the folder of this file on the
path."""
