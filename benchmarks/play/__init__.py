"""Waiting times of people at tables of the site, and the cost of these people."""
