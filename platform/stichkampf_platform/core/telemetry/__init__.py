"""The words of programs about themselves while they work.

log_subject     the table or submission that log lines are about
request_counts  counters of requests
"""
