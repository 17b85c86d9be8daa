"""What is known of the driver behind a robot file: controller, commands that arrive, faults, load.

In: the section 'driver' of a robot file.
Out: facts that were checked against each other; what nobody stated is unknown.
"""
