"""Prefabs, pools, hooks, scopes, handles and the pooling systems. Knows no pygame."""
