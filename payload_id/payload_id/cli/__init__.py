"""The command line: a folder for each verb of `payload-id`, and what they share."""
