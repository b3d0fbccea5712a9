"""Recording of the requests that a program sends to the API of a model, through a proxy on this machine."""
