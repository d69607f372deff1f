"""The native backend on Linux: bubblewrap. `files` looks at the disk, `mounts` lays out what the process sees, `coverage` says what
is held, `backend` puts them together, `trial` starts it once to see whether it really confines."""
