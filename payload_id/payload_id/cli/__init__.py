"""The command line: one folder for each verb of `payload-id`, each with its `command`."""
