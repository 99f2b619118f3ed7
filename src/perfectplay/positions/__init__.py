"""From rules to positions: batches of positions expanded, found and numbered."""
