"""The administration: Django's own, whose first page says how strangers' code is contained; and its pages
that only show.
"""

from __future__ import annotations

from functools import wraps

from allauth.account.app_settings import EmailVerificationMethod
from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.contrib.contenttypes.models import ContentType
from django.contrib.contenttypes.views import shortcut
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.translation import gettext as _
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.desk.operations import operations
from stichkampf_platform.operations.state_texts import sandbox_summary
from stichkampf_platform.tournaments.running import busy_node

QUICK_SECONDS = 0.5


class AdminSignIn(LoginView):
    """The administration's own form for signing in. A right password leads on as on the site: to a second
    factor where the person has one. A mail address is not asked for, so that no administrator is locked out.
    """

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        return perform_login(
            self.request,
            form.get_user(),
            email_verification=EmailVerificationMethod.NONE,
            redirect_url=self.get_success_url(),
        )


class StichkampfAdminSite(AdminSite):
    site_header = site_title = "Stichkampf"
    login_form = AuthenticationForm  # the default one turns organisers away

    def login(self, request, extra_context=None):
        """Sign in, or go on to the first page for those who are signed in and may see it."""
        if request.method == "GET" and self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index", current_app=self.name))
        context = {**self.each_context(request), "title": _("Sign in"), **(extra_context or {})}
        context.setdefault("app_path", request.get_full_path())
        context.setdefault("username", request.user.get_username())
        if REDIRECT_FIELD_NAME not in {**request.GET.dict(), **request.POST.dict()}:
            context[REDIRECT_FIELD_NAME] = reverse("admin:index", current_app=self.name)
        request.current_app = self.name
        shown = AdminSignIn.as_view(
            extra_context=context, authentication_form=self.login_form, template_name="admin/login.html"
        )
        return shown(request)

    def has_permission(self, request) -> bool:
        """Admit staff, and organisers that are not staff, who may not read reports of others' bots."""
        person = request.user
        return person.is_active and (person.is_staff or person.has_perm("tournaments.add_tournament"))

    def get_urls(self):
        on_site = self.admin_view(self.view_on_site)
        return [
            path("operations/", self.admin_view(operations), name="operations"),
            path("r/<path:content_type_id>/<path:object_id>/", on_site, name="view_on_site"),
            *super().get_urls(),
        ]

    def view_on_site(self, request, content_type_id: str, object_id: str):
        """Redirect only to objects that the person sees here: an address tells a hidden tournament's name."""
        content_type = ContentType.objects.filter(pk=whole_number(content_type_id)).first()
        shown = self._registry.get(content_type.model_class()) if content_type else None
        if not (shown and shown.has_view_permission(request) and shown.get_object(request, object_id)):
            raise Http404
        return shortcut(request, content_type_id, object_id)

    def admin_view(self, view, cacheable: bool = False):
        """Refuse NUL in queries: Django's lists filter by any query, and PostgreSQL takes no NUL."""
        shown = super().admin_view(view, cacheable)

        @wraps(shown)
        def without_nul(request, *args, **kwargs):
            if "%00" in request.META["QUERY_STRING"]:
                raise BadRequest(_("A list cannot be filtered by a NUL character."))
            return shown(request, *args, **kwargs)

        return without_nul

    def index(self, request, extra_context=None):
        if text := busy_node.warning():
            messages.warning(request, text)
        return super().index(
            request,
            {"title": f"Administration, {sandbox_summary(seconds=QUICK_SECONDS)}", **(extra_context or {})},
        )


class NothingAdded:
    """Pages or rows of a model of which nobody adds one here."""

    def has_add_permission(self, request, obj=None) -> bool:
        return False


class ReadOnlyAdmin(NothingAdded, ModelAdmin):
    """Pages of a model that show and never change."""

    def has_change_permission(self, request, obj=None) -> bool:
        return False

    def has_delete_permission(self, request, obj=None) -> bool:
        return False
