import pytest
from django.core.exceptions import ValidationError
from django.db.models.signals import pre_save
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people import services
from stichkampf_platform.people.models import ApiToken, User

pytestmark = pytest.mark.database


def test_a_token_is_kept_only_as_a_digest(person):
    token, text = services.create_token(owner=person(), name="laptop")
    stored = ApiToken.objects.values().get(pk=token.pk)
    assert text not in str(stored)
    assert services.use_token(text) == token


def test_a_revoked_token_opens_nothing(person):
    token, text = services.create_token(owner=person(), name="laptop")
    services.revoke_token(owner=token.owner, token_id=token.pk)
    assert services.use_token(text) is None


def test_the_token_of_a_closed_account_opens_nothing(person):
    token, text = services.create_token(owner=person(), name="laptop")
    User.objects.filter(pk=token.owner_id).update(is_active=False)
    assert services.use_token(text) is None


def test_a_token_of_another_person_cannot_be_revoked(person):
    token, text = services.create_token(owner=person("ann"), name="laptop")
    with pytest.raises(RequestRefused, match="no token with the number"):
        services.revoke_token(owner=person("bob"), token_id=token.pk)
    assert services.use_token(text) == token


def test_a_name_is_for_one_live_token_and_free_again_after_it(person):
    ann = person()
    token, _ = services.create_token(owner=ann, name="laptop")
    with pytest.raises(RequestRefused, match="choose another name"):
        services.create_token(owner=ann, name="Laptop")
    services.revoke_token(owner=ann, token_id=token.pk)
    services.create_token(owner=ann, name="Laptop")


@pytest.mark.parametrize("name", ["house", "Ann", "a b", "-ann", "ann--bob", "ä", "a/b", "x" * 31, ""])
def test_a_name_that_could_not_stand_in_a_record_is_refused(db, name):
    with pytest.raises(ValidationError) as refusal:
        services.sign_up(username=name, password="trumpf-sticht-alles")
    assert "username" in refusal.value.message_dict
    assert not User.objects.exists()


def test_everything_that_is_wrong_with_a_sign_up_is_said_at_once(person):
    person("ann")
    with pytest.raises(ValidationError) as refusal:
        services.sign_up(username="ann", password="short", email="nowhere")
    assert set(refusal.value.message_dict) == {"username", "password", "email"}


def test_the_administrators_password_is_made_once(db):
    person, password = services.ensure_administrator(username="admin")
    assert person.check_password(password)
    assert services.ensure_administrator(username="admin") == (person, None)


def test_the_second_of_two_sign_ups_for_a_name_is_refused(db):
    def quicker(**_):
        User.objects.bulk_create([User(username="ann")])

    pre_save.connect(quicker, sender=User)
    try:
        with pytest.raises(ValidationError, match="That name is taken"):
            services.sign_up(username="ann", password="trumpf-sticht-alles")
    finally:
        pre_save.disconnect(quicker, sender=User)
