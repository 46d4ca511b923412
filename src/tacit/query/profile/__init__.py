"""The private profile of a data set: how much people have, released once, then free for every later query."""
