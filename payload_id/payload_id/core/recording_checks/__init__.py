"""What a recording says of itself before anything is identified from it: each check a sentence.

In: samples, an arm, what the robot file states.
Out: `CheckResult`s: what was found, what is expected, what to do.
"""
