"""What `~/identify` needs that moves no arm: the line to the estimator, progress, the result.

In: answers of the estimator, verdicts, how a motion ended.
Out: requests to the estimator, progress and time left, an error code with its sentence.
"""
