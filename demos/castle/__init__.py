"""A castle of crates and joints, a cannon, and time that runs backwards: the demo `rewind`."""
