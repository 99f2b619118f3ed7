"""Games that are solved by turns: rows are anchors, edges are exits of their turns."""
