"""From messages to samples: conversion by joint name, judgement, buffering, filters.

In: joint states, wrenches and poses, one at a time or as arrays.
Out: `Samples` and `WrenchSamples` that need no further check, and counts of what was dropped.
"""
