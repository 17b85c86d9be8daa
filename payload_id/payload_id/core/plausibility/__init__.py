"""What a recording says of itself before anything is identified from it: each line a sentence.

In: samples, an arm, what the robot file states.
Out: `Line`s: what was found, what is expected, what to do.
"""
