"""Generate `stichkampf.wire.v1` from the .proto files beside this one.

    python proto/generate.py [FOLDER]

FOLDER is the folder that holds the package `stichkampf`; without it, `sdk/` of this repository. The result is
committed, and a test compares it with a fresh one.
"""

import sys
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
SDK = PROTO.parent / "sdk"


def generate(folder: Path) -> None:
    """Write the modules and their .pyi files below `folder`; raise RuntimeError if protoc refuses."""
    names = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    status = protoc.main(
        [
            "protoc",
            f"--proto_path={PROTO}",
            f"--proto_path={resources.files('grpc_tools') / '_proto'}",
            f"--python_out={folder}",
            f"--pyi_out={folder}",
            f"--grpc_python_out={folder}",
            *names,
        ]
    )
    if status:
        raise RuntimeError(f"protoc ended with status {status}; its message is above")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else SDK)
