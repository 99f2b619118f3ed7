"""Drawings as SVG text, and PNG files made from them."""
