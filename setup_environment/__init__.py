"""Set-up of the environment that `./payload-id` runs in; standard library only.

`main.run` is the sequence: look at the machine, make the virtual environment if it is missing or
out of date, build what changed, hand over to the command. Nothing is trusted that has no stamp;
a stamp is written last and holds a hash of everything that its step was made from.
"""
