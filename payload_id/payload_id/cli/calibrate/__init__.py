"""`payload-id calibrate`: learn the arm itself from recordings with known payloads, or none.

In: recordings, and what is known of their payloads; to make them, a planner and a person.
Out: a robot file with what was learnt beside it, and a report.
"""
