"""What can confine a process. Each backend answers three questions: is it here (probe), what can it hold (coverage), how is it
started (compile -> LaunchPlan). Compiling starts nothing and writes nothing."""
