"""Bearer-token authentication: `Authorization: Bearer TOKEN`, or `Token TOKEN` as in older clients."""

from __future__ import annotations

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS

from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.people.services import use_token

WRONG = (
    "This is not a valid API token. Make one on your account page and send it as: Authorization: Bearer TOKEN"
)


class TokenAuthentication(BaseAuthentication):
    """Authenticate by token. Every invalid token gets the same answer, which gives no reason away."""

    def authenticate(self, request):
        words = get_authorization_header(request).split()
        if not words or words[0].lower() not in (b"bearer", b"token"):
            return None
        if len(words) != 2:
            raise AuthenticationFailed(WRONG)
        try:
            token = use_token(words[1].decode("ascii"))
        except UnicodeDecodeError:
            token = None
        if token is None:
            raise AuthenticationFailed(WRONG)
        if token.scope == ApiToken.Scope.READER and request.method not in SAFE_METHODS:
            raise PermissionDenied(
                f"The token {token.name!r} is for reading only; make another on /account/tokens/."
            )
        return token.owner, token

    def authenticate_header(self, request) -> str:
        return 'Bearer realm="stichkampf"'


class TokenScheme(OpenApiAuthenticationExtension):
    """The entry of the OpenAPI document for `TokenAuthentication`."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema) -> dict:
        return {"type": "http", "scheme": "bearer"}
