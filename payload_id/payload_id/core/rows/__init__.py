"""Rows A phi + B psi = b + w, |w| <= d: the one form of every measurement."""
