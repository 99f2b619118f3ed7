"""Heap games: codes, nim values, periods, misere play."""
