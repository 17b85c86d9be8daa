"""Controllers as pure step functions: what to command, given what is measured and desired."""
