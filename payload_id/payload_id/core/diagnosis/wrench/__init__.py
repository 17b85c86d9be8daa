"""Why no payload explains a wrench: a sensor mounted or compensated otherwise, or a contact.

In: `WrenchSamples`, rows and a quick fit.
Out: cause, times and size of what is not explained, as numbers; `identification` puts it in words.
"""
