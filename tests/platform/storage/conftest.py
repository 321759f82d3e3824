"""The two kinds of store: a folder, and a bucket of a server that speaks S3's language."""

import os
import socket

import boto3
import pytest
from django.conf import settings as django_settings
from stichkampf_platform.settings.object_store import store_settings

OTHER_SERVER = os.environ.get("STICHKAMPF_S3_SERVER", "")
"""The address of a server that is tried instead of moto's, with the keys in the environment."""


@pytest.fixture(scope="session")
def s3_server():
    if OTHER_SERVER:
        yield OTHER_SERVER
        return
    from moto.server import ThreadedMotoServer  # takes a second, which only processes of these tests need

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture
def keys(monkeypatch):
    if not OTHER_SERVER:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a-key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "its-secret")


@pytest.fixture
def bucket(s3_server, keys, request):
    """The settings of a bucket of its own."""
    client = boto3.client("s3", endpoint_url=s3_server, region_name="eu-central-1")
    name = f"test-{abs(hash(request.node.nodeid)):x}"
    client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    environ = {
        "STICHKAMPF_STORE": f"s3://{name}/cards",
        "STICHKAMPF_STORE_ENDPOINT": s3_server,
        "STICHKAMPF_STORE_REGION": "eu-central-1",
    }
    yield environ
    client.close()


@pytest.fixture
def use_store(settings, tmp_path):
    """Give this installation another store."""

    def use(environ):
        settings.STORAGES = {
            **django_settings.STORAGES,
            "store": store_settings(environ, tmp_path / "store"),
        }

    return use


@pytest.fixture(params=["folder", "bucket"])
def store(request, use_store):
    use_store(request.getfixturevalue("bucket") if request.param == "bucket" else {})
