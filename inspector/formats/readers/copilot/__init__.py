"""Read sessions of Copilot Chat and the Copilot command line."""
