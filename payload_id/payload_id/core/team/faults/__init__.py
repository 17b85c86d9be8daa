"""What is wrong or missing in a team's data, and about whom.

In: `Evidence`: samples, blocks, windows, frames with their bounds, bounds on the payload.
Out: `Findings`, each with the robots it is about, and what cannot be given.

A hypothesis says how data of one robot would be otherwise; it explains a contradiction where the
data then go with those of the others within all stated bounds (`pair`, `forces`). One is named
where no other robot's explains as much: a cause may be missed, an innocent is not blamed.
"""
