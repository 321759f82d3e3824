"""The addresses of volunteers' machines."""
