"""Other programs: files for them, games of theirs as ours, ours as theirs, and what checks us."""
