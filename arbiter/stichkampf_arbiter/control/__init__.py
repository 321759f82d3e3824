"""The control service: gRPC calls of the platform in, matches and news of them out."""
