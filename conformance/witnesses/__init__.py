"""Host-side oracles. Each looks at one kind of effect from outside and never asks the guest."""
