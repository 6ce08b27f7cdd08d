"""Servers and clients of others, as tools/counterparts installs them, and neph against them."""
