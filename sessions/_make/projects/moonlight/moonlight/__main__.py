import sys

from moonlight.page import page
from moonlight.phase import events

print(page(events(int(sys.argv[1]))), end="")
