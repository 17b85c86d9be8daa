"""Why no payload explains a wrench: a sensor mounted or compensated otherwise, or a contact.

In: `WrenchSamples`, rows and a quick fit.
Out: sentences that name cause and time.
"""
