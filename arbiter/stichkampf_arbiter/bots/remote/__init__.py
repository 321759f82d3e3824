"""Remote bots: processes on their authors' machines, which dial in, may lose the line, and come back."""
