"""The command of volunteers, who lend a site a machine."""
