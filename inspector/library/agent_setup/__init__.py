"""Installation of Inspector in coding agents: changes to settings that are shown, backed up and undone."""
