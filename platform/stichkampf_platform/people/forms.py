from __future__ import annotations

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError

from stichkampf_platform.throttle import SignInThrottle, seconds_to_wait


class SignInForm(AuthenticationForm):
    """Name and password, looked at only so often from one address: to check a guess takes long."""

    def clean(self) -> dict:
        if wait := seconds_to_wait(SignInThrottle, self.request):
            raise ValidationError(f"Too many attempts from here; try again in {wait} seconds.")
        return super().clean()
