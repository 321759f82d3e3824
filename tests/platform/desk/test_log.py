"""Acts in the administration stand in the audit log, once."""

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.core import serializers
from stichkampf_platform.people.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_an_entry_that_comes_from_another_database_before_its_person_is_no_act(person):
    LogEntry.objects.log_actions(person("ruth").pk, [person("karl")], CHANGE, "a name", single_object=True)
    noted = AuditEntry.objects.count()
    (entry,) = serializers.deserialize("json", serializers.serialize("json", LogEntry.objects.all()))
    LogEntry.objects.all().delete()
    entry.object.user_id = 10**6
    entry.save()
    assert (LogEntry.objects.count(), AuditEntry.objects.count()) == (1, noted)
    LogEntry.objects.all().delete()
