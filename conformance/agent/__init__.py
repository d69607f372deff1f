"""What runs inside the sandbox. `agent.py` needs nothing but a Python standard library; it takes its plan from standard input."""
