"""The hint about code: renamed copies are found, own work and the lesson's code are not."""

import re
import sys
from pathlib import Path

import pytest
import stichkampf
from stichkampf.cli.project.project_files import KINDS, PYTHON, project_files
from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.python_statements import statements
from stichkampf_platform.bots.services import submit_version
from stichkampf_platform.classes import likeness, tasks
from stichkampf_platform.classes.likeness import ComparedProgram, alike
from stichkampf_platform.storage.models import StoredFile
from support import archive

THUMBS = Path(stichkampf.__file__).parent / "bots" / "thumbs"


def code_of(name):
    return (THUMBS / f"{name}.py").read_text()


def renamed(text):
    """The same program with other names, comments and blank lines."""
    return "# mine\n" + re.sub(r"\b(\w*[a-z]{2}\w*_\w+)\b", r"my_\1", text).replace("\n\n", "\n\n\n")


def programs(*texts):
    return [
        ComparedProgram(number, number, list(statements(text))) for number, text in enumerate(texts, start=1)
    ]


def test_a_renamed_copy_is_found_and_own_work_is_not():
    one, other = code_of("sticheln"), code_of("tricks")
    found = alike(programs(one, other, renamed(one)))
    assert list(found) == [(1, 3)]
    assert found[1, 3] > 0.95


def test_a_new_project_and_what_many_have_are_not_counted():
    given = [project_files("bot", kind, PYTHON, None)["bot.py"] for kind in KINDS]
    assert alike(programs(*given, *given)) == {}
    lesson = code_of("sticheln")
    assert alike(programs(*[lesson] * 6)) == {}


def test_two_bots_of_one_person_are_not_compared():
    text = list(statements(code_of("sticheln")))
    assert alike([ComparedProgram(1, 7, text), ComparedProgram(2, 7, text)]) == {}


@pytest.mark.database
def test_a_worker_compares_a_class_when_something_is_new(make_class):
    made, slips = make_class("Ada", "Ben", "Carl")
    tasks.compare_code()
    text = code_of("sticheln")
    for slip, content in zip(slips, [text, renamed(text), code_of("tricks")], strict=True):
        submit_version(owner=slip.pupil.person, slug="karl", content=archive(content))
    assert list(likeness.due_classes()) == [made]
    tasks.compare_code()
    assert not likeness.due_classes()
    hint = made.likenesses.get()
    assert {hint.one.bot.owner, hint.other.bot.owner} == {slip.pupil.person for slip in slips[:2]}
    Version.objects.filter(pk=hint.one.pk).update(archive="")
    likeness.compare(school_class=made)
    assert not made.likenesses.exists()


@pytest.fixture
def two_pupils(make_class, client):
    """A class of two with the same program, and its page as the teacher reads it."""
    made, slips = make_class("Ada", "Ben")
    for slip in slips:
        content = archive(code_of("sticheln") + f"# {slip.pupil.name}")
        submit_version(owner=slip.pupil.person, slug="karl", content=content)
    client.force_login(made.teacher)
    return made, lambda: client.get(f"/classes/{made.pk}/").text


def test_code_is_compared_where_no_library_for_networks_is(two_pupils, monkeypatch):
    made, page = two_pupils
    assert "Not compared yet" in page()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("onnx", "onnxruntime", "torch")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("onnx", "onnxruntime", "torch"):
        monkeypatch.setitem(sys.modules, name, None)  # so that importing it fails
    tasks.compare_code()
    assert made.likenesses.count() == 1
    assert "% of the tokens" in page()


def test_a_comparison_that_fails_is_said_on_the_page_and_by_the_api(two_pupils, client, monkeypatch):
    made, page = two_pupils
    monkeypatch.setattr(likeness, "alike", lambda programs: 1 / 0)
    tasks.compare_code()
    assert "Not compared: the comparison fails (ZeroDivisionError" in page()
    assert "Nothing stands out" not in page()
    told = client.get(f"/api/v1/classes/{made.pk}/").json()
    assert told["not_compared"].startswith("Not compared: ")


def test_a_program_that_cannot_be_read_is_named_as_not_compared(two_pupils):
    made, page = two_pupils
    bad, *_ = Version.objects.filter(bot__owner__pupils__school_class=made)
    StoredFile.objects.filter(name=bad.archive.name).update(content=b"no archive")
    tasks.compare_code()
    assert "they cannot be read: " in page()
    assert str(bad) in page()
    assert "Nothing stands out" not in page()
