"""The groups that migrations make, whose members may do more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def allow(apps: Any, group: str, app: str, may: Mapping[str, Sequence[str]]) -> None:
    """Let the members of a group, which is made where it is missing, do this to models of an app.

    :param apps: of a migration, or of the program.
    :param may: the actions, such as `view`, by the name of the model.
    """
    members, _ = apps.get_model("auth", "Group").objects.get_or_create(name=group)
    for model, actions in may.items():
        # Django makes these itself, but only after the last migration
        content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
            app_label=app, model=model
        )
        named = apps.get_model(app, model)._meta.verbose_name_raw
        for action in actions:
            permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
                content_type=content_type,
                codename=f"{action}_{model}",
                defaults={"name": f"Can {action} {named}"},
            )
            members.permissions.add(permission)
