"""The committed wire code, generated from the .proto files."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load_generator():
    spec = importlib.util.spec_from_file_location("wire_generator", ROOT / "proto" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_wire_code_is_up_to_date(tmp_path):
    load_generator().generate(tmp_path)
    fresh = {
        path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.py*") if path.is_file()
    }
    assert len(fresh) >= 9
    sdk = ROOT / "sdk"
    committed = {
        path.relative_to(sdk)
        for path in (sdk / "stichkampf" / "wire" / "v1").glob("*.py*")
        if path.name != "__init__.py"
    }
    assert fresh.keys() == committed
    for path, content in fresh.items():
        assert (sdk / path).read_bytes() == content, f"{path} is out of date: run python proto/generate.py"


def test_every_message_and_field_has_a_comment():
    bare = []
    for path in sorted((ROOT / "proto").rglob("*.proto")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            declares = line.strip().startswith(("message ", "enum ", "service ", "rpc ", "oneof ")) or (
                line.startswith("  ") and " = " in line and line.rstrip().endswith(";")
            )
            if declares and not lines[number - 1].strip().startswith("//"):
                bare.append(f"{path.name}:{number + 1}: {line.strip()}")
    assert not bare
