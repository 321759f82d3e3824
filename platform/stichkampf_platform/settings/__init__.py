"""`base` runs on one machine as it is, `production` takes everything from the environment, `test` is for the suite."""
