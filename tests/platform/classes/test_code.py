"""Code of a class: read by its teacher where that was declared, and by nobody else."""

import io
import zipfile

import pytest
from stichkampf_platform.bots.services import submit_version
from stichkampf_platform.classes.enrolment import create_class, join, slips
from stichkampf_platform.classes.export import class_archive
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import CodeLikeness
from stichkampf_platform.classes.name_lists import ListedName
from support import archive

pytestmark = pytest.mark.slow

PROGRAM = archive("from stichkampf.bots import RandomBot as Bot\n")
SAID = "Your teacher reads the code of bots that you submit."


@pytest.fixture
def declared(house, teacher):
    """Make a class of Ada's whose teacher reads code, or does not, and its first slip."""

    def make(*, code_read, by=None):
        key = new_key()
        made = create_class(
            teacher=by or teacher(),
            name="10b",
            games=["sticheln"],
            names=[ListedName("Ada Lovelace"), ListedName("Alan Turing")],
            key=key,
            code_read=code_read,
        )
        return made, slips(school_class=made, key=key)[0]

    return make


def written(owner, slug="karl", content=PROGRAM):
    return submit_version(owner=owner, slug=slug, content=content, file_name="karl.zip").version


def code_address(made, version):
    return f"/classes/{made.pk}/code/{version.pk}/"


def test_the_teacher_reads_what_was_declared_on_page_and_in_the_export(declared, client):
    made, slip = declared(code_read=True)
    version = written(slip.pupil.person)
    client.force_login(made.teacher)
    address = code_address(made, version)
    assert f'href="{address}"' in client.get(slip.pupil.get_absolute_url()).content.decode()
    answer = client.get(address)
    assert b"".join(answer.streaming_content) == PROGRAM
    assert "no-store" in answer["Cache-Control"]
    name = f"{slip.pupil.person.username}-karl-v1.zip"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    with zipfile.ZipFile(io.BytesIO(b"".join(class_archive(made)))) as export:
        assert export.read(f"code/{slip.pupil.person.username}/karl-v1.zip") == PROGRAM
    other = written(made.pupils.exclude(pk=slip.pupil.pk).get().person)
    CodeLikeness.objects.create(school_class=made, one=version, other=other, share=0.9)
    page = client.get(made.get_absolute_url()).content.decode()
    assert address in page
    assert code_address(made, other) in page


def test_an_archive_that_is_gone_is_not_found_and_leaves_the_export_whole(declared, client):
    made, slip = declared(code_read=True)
    version = written(slip.pupil.person)
    version.archive.storage.delete(version.archive.name)
    client.force_login(made.teacher)
    assert client.get(code_address(made, version)).status_code == 404
    with zipfile.ZipFile(io.BytesIO(b"".join(class_archive(made)))) as export:
        assert not any(name.startswith("code/") for name in export.namelist())
        assert "people.csv" in export.namelist()


def test_nobody_else_reads_it_and_the_teacher_not_what_was_not_declared(declared, client, teacher, person):
    made, slip = declared(code_read=True)
    version = written(slip.pupil.person)
    guest = person("guest")
    join(code=made.code, by=guest)
    own = written(guest, slug="emil")
    quiet, other = declared(code_read=False, by=made.teacher)
    undeclared = written(other.pupil.person)
    client.force_login(made.teacher)
    for at, of in ((made, own), (quiet, undeclared), (made, undeclared), (quiet, version)):
        assert client.get(code_address(at, of)).status_code == 404
    told = client.get(made.pupils.get(person=guest).get_absolute_url()).content.decode()
    assert "is for them alone, too" in told
    for stranger in (teacher("tom"), slip.pupil.person, guest):
        client.force_login(stranger)
        assert client.get(code_address(made, version)).status_code == 404


@pytest.mark.parametrize("code_read", [True, False])
def test_slip_and_submission_say_that_code_is_read(declared, client, teacher, code_read):
    client.force_login(teacher())
    form = {"name": "10b", "names": "Ada Lovelace", "games": "sticheln", "key": new_key()}
    form |= {"code_read": "on"} if code_read else {}
    shown = client.post("/classes/new/", form)
    sent = shown.context["form"].sent_again()
    page = client.post("/classes/new/", {name: value for name, value in sent if value}).content.decode()
    assert (SAID in page, "First password" in page) == (code_read, True)
    _, slip = declared(code_read=code_read, by=teacher("tom"))
    client.force_login(slip.pupil.person)
    assert (SAID in client.get("/submit/").content.decode()) == code_read
