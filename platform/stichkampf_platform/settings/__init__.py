"""`base` runs on one machine as it is, `production` wants the environment, `test` is for the suite."""
