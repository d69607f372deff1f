"""Adapters that lie: each one is a small sandbox with exactly one vice, and says that it enforces everything.

They are the harness's own known answers. A harness that believes exit codes, error texts, beacons or claims would call most of them
safe; `conformance/meta/test_miniatures.py` pins the cells that each one must get. They are ordinary adapters in every other way: the
same protocol, opened through the same registry, and under a random name, so that nothing can know them by it:

    pytest conformance/suite/test_cells.py --adapter conformance.miniatures.fakes_beacons:ADAPTER

| file                | what it does                                          | what must be said of it                             |
|---------------------|-------------------------------------------------------|-----------------------------------------------------|
| enforces_nothing    | claims everything, confines nothing                   | escaped                                             |
| refuses_politely    | says no before it starts anything                     | refused-to-run: adapter-refused                     |
| exits_zero          | runs nothing, ends with 0                             | refused-to-run: no-ready-beacon                     |
| crashes_on_start    | dies by a signal before anything                      | refused-to-run: no-ready-beacon                     |
| skips_attempt       | runs the twin, drops the attack from the plan         | inconclusive: no-acted-beacon                       |
| blocks_twin         | denies allowed work as well                           | inconclusive: twin-did-not-land, collateral         |
| fakes_beacons       | knows the agent's format and does nothing             | inconclusive: twin-did-not-land                     |
| hangs_after_ready   | says `ready` and no more                              | inconclusive: deadline                              |
| escapes_sometimes   | confines, but every fifth start is free               | escaped k/n: landed-sometimes                       |
| swallows_writes     | lets writes succeed on copies                         | enforced: swallowed; reads of secrets escape        |
| leaves_residue      | confines, but leaves a file in the work tree          | enforced, with residue                              |
| checks_then_uses    | checks a path, then opens it by name                  | enforced, but races escape                          |

Each module has a class and one instance, `ADAPTER`.
"""
