"""An audit of what sandboxes share: one acts, another looks, and statistics say which look tells which act.

In each round a new sandbox does a random half of the actions, is frozen, and ends; another one, which lives
through all rounds, notes before, meanwhile and after every number that it can read. Both make every system
call of the machine, allowed or not, with many arguments: names and descriptors of files, places in them,
memory and small numbers. What a call cannot do by itself, such as starting threads or filling memory, is
written out. The audit knows nothing of which action could show where: it compares every look with every one.

Before that, two sandboxes that live at once tell the numbers of all objects that they reach, and which calls
do more than refuse (`objects.py`): what both reach is named without any chance, and only calls that do
something are made afterwards.

`tests/arbiter/sandbox/isolation/test_sharing_audit.py` runs it, and says how it is judged.
"""
