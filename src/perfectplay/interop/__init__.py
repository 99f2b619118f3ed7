"""Games of other systems as games of ours, ours as theirs, and what checks our answers."""
