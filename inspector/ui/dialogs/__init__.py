"""What lies over a screen: dialogs that ask, and readers that show one thing whole."""
