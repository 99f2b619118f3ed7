"""Games that go by turns: what lies between two anchors is walked through once."""
