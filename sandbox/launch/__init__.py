"""From a launch plan to a running process and back to nothing: environment, descriptors, process trees, events, and the two seams
through which transports start things (`port.py`, `manager.py`)."""
