"""The control service: the gRPC calls with which a platform runs matches and watches them."""
