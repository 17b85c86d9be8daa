"""Motions that make the payload's parameters observable."""
