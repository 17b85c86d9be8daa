"""Set-up of the environment that `./payload-id` runs in; standard library only.

`__main__` is the sequence: look at the machine (`machine`), make the virtual environment if it is
missing or out of date (`environment`), build what changed (`build`), become the command
(`handover`). Nothing is trusted that has no stamp; a stamp is written last and holds a hash of
everything that its step was made from. Which packages: the groups in pyproject.toml; which
releases: requirements.lock.
"""
