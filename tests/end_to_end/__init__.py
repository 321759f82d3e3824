"""Tests of the whole platform with real programs. A package, so that its platforms end with its last test."""
