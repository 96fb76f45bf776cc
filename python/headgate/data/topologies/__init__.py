"""Backbones of four-tier networks: where their routers are, and which are joined."""
