"""The API as a page to read, made from its own OpenAPI description.

reference   operations and shapes of the description, as the page shows them
views       the page
"""
