"""Settings shared by all installations. On one machine they work unchanged: `make up` uses them."""

from __future__ import annotations

import os
from pathlib import Path
from socket import gethostname

from csp.constants import NONE, SELF
from stichkampf import limits

from stichkampf_platform.core.environment import checked_parts, read_name, read_number, read_program
from stichkampf_platform.settings.database import database_settings
from stichkampf_platform.settings.logs import log_settings
from stichkampf_platform.settings.object_store import store_settings
from stichkampf_platform.settings.provider import origin_of, provider_settings
from stichkampf_platform.settings.queues import DEFAULT_QUEUE, QUEUES  # noqa: F401  settings by their names
from stichkampf_platform.settings.redis_cache import cache_settings
from stichkampf_platform.settings.stored_secret import stored_secret
from stichkampf_platform.web.template_loader import OPTIONS

# Before numpy is loaded: the matrices of ratings are too small for several threads, which only slow a busy
# machine; and the order of sums, so the last bit of a rating, must not depend on the number of threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

STATE_DIR = Path(os.environ.get("STICHKAMPF_STATE_DIR", "var")).resolve()

SECRET_KEY = os.environ.get("SECRET_KEY") or stored_secret(STATE_DIR / "secret-key")
DEBUG = False
ALLOWED_HOSTS = os.environ.get("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
CSRF_TRUSTED_ORIGINS = [origin for origin in os.environ.get("CSRF_TRUSTED_ORIGINS", "").split(",") if origin]

INSTALLED_APPS = [
    "stichkampf_platform.settings.apps.CompositionConfig",
    "stichkampf_platform.desk.apps.DeskConfig",
    "stichkampf_platform.desk.apps.StichkampfAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "stichkampf_platform.core",
    "stichkampf_platform.storage",
    "stichkampf_platform.people",
    "stichkampf_platform.bots",
    "stichkampf_platform.ladders",
    "stichkampf_platform.tournaments",
    "stichkampf_platform.ratings",
    "stichkampf_platform.classes",
    "stichkampf_platform.experiments",
    "stichkampf_platform.play",
    "stichkampf_platform.operations",
    "stichkampf_platform.marks",
    "stichkampf_platform.api",
    "stichkampf_platform.web",
    "stichkampf_platform.web.accounts",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
]

MIDDLEWARE = [
    "stichkampf_platform.serving.private_pages.keep_private",
    "stichkampf_platform.operations.probes.answer_probes",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "stichkampf_platform.serving.page_cache.compression.CompressionMiddleware",
    "stichkampf_platform.web.languages.middleware.LanguageMiddleware",
    "stichkampf_platform.web.encodings.take_utf8",
    "stichkampf_platform.serving.page_cache.middleware.keep_public_pages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "stichkampf_platform.web.accounts.callers.tell_caller",
    "stichkampf_platform.web.accounts.middleware.OpenSessionMiddleware",
    "stichkampf_platform.web.accounts.middleware.SecondFactorMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "stichkampf_platform.urls"
ASGI_APPLICATION = "stichkampf_platform.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            **OPTIONS,
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- the truth: one database, SQLite unless DATABASE_URL says otherwise

DATABASES = {
    "default": database_settings(
        os.environ.get("DATABASE_URL") or f"sqlite:///{STATE_DIR / 'stichkampf.sqlite3'}"
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# requests answered at once in one process of the site, each with a connection to the database
SITE_REQUEST_SLOTS = read_number("STICHKAMPF_SITE_PLACES", otherwise=6, most=64)

REDIS_URL = os.environ.get("REDIS_URL") or f"redis+socket://{STATE_DIR / 'redis.sock'}"

CACHES = {
    # in the database, not in Redis: losing Redis must not take the site down
    "default": {
        "BACKEND": "stichkampf_platform.core.passing_writes.PassingDatabaseCache",
        "LOCATION": "cache",
    },
    # which pages are still true; every program of the platform writes here, and without it no page is kept
    "changes": cache_settings(REDIS_URL),
    # the pages themselves: a bounded number in each process, as Redis has the queues to hold
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 1000},
    },
}

# archives and records wait in the database and are copied into the store: a folder, or a bucket of S3
STORAGES = {
    "default": {"BACKEND": "stichkampf_platform.storage.outbox.OutboxStorage"},
    "archives": {"BACKEND": "stichkampf_platform.storage.outbox.OutboxStorage"},
    "records": {"BACKEND": "stichkampf_platform.storage.outbox.OutboxStorage"},
    "store": store_settings(os.environ, STATE_DIR / "store"),
    "staticfiles": {"BACKEND": "stichkampf_platform.serving.static_files.MinifiedStaticFilesStorage"},
}
STATIC_URL = "/static/"
STATIC_ROOT = STATE_DIR / "static"
DOWNLOADS = Path(os.environ.get("STICHKAMPF_DOWNLOADS") or STATE_DIR / "download").resolve()

# with less free space no archive is accepted: the database and the arbiter need the rest
FREE_DISK_BYTES = read_number("STICHKAMPF_FREE_DISK_MB", otherwise=512, least=0, most=10**9) * limits.MIB

# days after which match records and what bots wrote are deleted; 0: never. Results and ratings stay
RECORD_DAYS = read_number("STICHKAMPF_RECORD_DAYS", otherwise=0, least=0, most=36_500)

# --- people

AUTH_USER_MODEL = "people.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
AUTHENTICATION_BACKENDS = ["stichkampf_platform.people.backends.LimitedBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "web:home"
LOGOUT_REDIRECT_URL = "web:home"
ACCOUNT_ADAPTER = "stichkampf_platform.web.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "stichkampf_platform.web.accounts.forms.SignInForm",
    "signup": "stichkampf_platform.web.accounts.forms.JoinForm",
    "add_email": "stichkampf_platform.web.accounts.forms.EmailForm",
    "change_password": "stichkampf_platform.web.accounts.forms.ChangePasswordForm",
    "set_password": "stichkampf_platform.web.accounts.forms.SetPasswordForm",
    "reset_password": "stichkampf_platform.web.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "stichkampf_platform.web.accounts.forms.NewPasswordForm",
    "reauthenticate": "stichkampf_platform.web.accounts.forms.PasswordAgainForm",
}
VERIFY_EMAIL = os.environ.get("STICHKAMPF_VERIFY_EMAIL") == "1"
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if VERIFY_EMAIL else "none"
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if VERIFY_EMAIL else "email", "password1*"]
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_CHANGE_EMAIL = True  # one address a person
ACCOUNT_PREVENT_ENUMERATION = "strict"  # no answer tells whether a mail address has an account
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # in the browser that joined
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Stichkampf: "
ACCOUNT_SIGNUP_REDIRECT_URL = "web:tokens"
ACCOUNT_RATE_LIMITS = False  # RATES below instead, which hold however many requests come at once

# --- second factors: apps with codes (TOTP), passkeys (WebAuthn), and recovery codes

MFA_ADAPTER = "stichkampf_platform.web.accounts.second_factors.FactorAdapter"
MFA_FORMS = {
    "authenticate": "stichkampf_platform.web.accounts.factor_forms.SecondFactorForm",
    "reauthenticate": "stichkampf_platform.web.accounts.factor_forms.SecondFactorAgainForm",
    "activate_totp": "stichkampf_platform.web.accounts.factor_forms.AppForm",
    "add_webauthn": "stichkampf_platform.web.accounts.factor_forms.PasskeyForm",
    "login_webauthn": "stichkampf_platform.web.accounts.factor_forms.PasskeySignInForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"
MFA_TOTP_ISSUER = "Stichkampf"
MFA_TOTP_TOLERANCE = 1  # spans of 30 seconds before and after, since clocks of phones differ
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # an address is optional, and confirmed before the first sign-in or never
MFA_RATE_LIMITS = False  # RATES below
STAFF_NEED_SECOND_FACTOR = os.environ.get("STICHKAMPF_STAFF_SECOND_FACTOR") == "1"
AUDIT_DAYS = read_number("STICHKAMPF_AUDIT_DAYS", otherwise=730, least=30, most=36_500)
"""Days after which an entry of the audit log is deleted."""

# --- sign-in with an outside provider, if one is named

SOCIALACCOUNT_PROVIDERS = provider_settings(os.environ)
SOCIALACCOUNT_ADAPTER = "stichkampf_platform.web.accounts.provider.ProviderAdapter"
SOCIALACCOUNT_FORMS = {"signup": "stichkampf_platform.web.accounts.provider.ProviderJoinForm"}
SOCIALACCOUNT_AUTO_SIGNUP = False  # the name stands in front of bots' names, so its person chooses it
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5

# Most events, and the seconds in which they may happen, by what they are counted for. Households and schools
# share an address.
HOUR, DAY = 3600, 24 * 3600
RATES = {
    "sign-up": {"address": (10, HOUR)},
    "tokens": {"address": (300, HOUR), "account": (limits.TOKENS_PER_HOUR, HOUR)},
    "submissions": {"address": (300, HOUR), "account": (limits.SUBMISSIONS_PER_HOUR, HOUR)},
    "challenges": {"account": (limits.CHALLENGE_BLOCKS_PER_DAY, DAY)},
    "comparisons": {"account": (limits.COMPARISON_BLOCKS_PER_DAY, DAY)},
    "counterfactuals": {
        "account": (limits.ACCOUNT_COUNTERFACTUAL_BLOCKS_PER_DAY, DAY),
        "version": (limits.COUNTERFACTUAL_BLOCKS_PER_DAY, DAY),
    },
    "passwords": {"address": (60, HOUR), "account at address": (10, HOUR), "account": (50, DAY)},
    "second factors": {"address": (60, HOUR), "account at address": (10, HOUR), "account": (50, DAY)},
    "passkeys": {"address": (60, HOUR)},
    "mails": {"address": (10, HOUR), "account": (3, HOUR)},
    "codes": {"address": (300, HOUR), "account": (30, HOUR)},
    "protests": {"account": (5, DAY)},
    "announcements": {"account": (12, DAY)},
    "marks": {"address": (60, HOUR), "account": (20, HOUR)},
    "continuations": {"address": (300, HOUR), "account": (60, HOUR)},
    "tables": {"address": (300, HOUR), "account": (120, HOUR)},
    "guests of a day": {"address": (3, DAY)},
    "name reports": {"address": (20, DAY), "account": (10, DAY)},
    "same hands": {"address": (80, DAY), "site": (400, DAY)},
}
ADDRESS_DAYS = 180
"""Days after which the digest of the address of a sign-up or sign-in is deleted."""

# --- languages: English pages have the shorter addresses, German ones begin with /de/

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * DAY
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [Path(__file__).parent.parent / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
FORMAT_MODULE_PATH = ["stichkampf_platform.core.formats"]

# --- browsers

SESSION_ENGINE = "stichkampf_platform.people.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF, *origin_of(os.environ)],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024

# --- the API

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "stichkampf_platform.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["stichkampf_platform.api.renderers.AnyTextJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "stichkampf_platform.api.parsers.NestingLimitedJSONParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_PAGINATION_CLASS": "stichkampf_platform.api.pagination.LimitOffsetPages",
    "PAGE_SIZE": 50,
    "DEFAULT_SCHEMA_CLASS": "stichkampf_platform.api.schema.SchemaWithErrors",
    "URL_FORMAT_OVERRIDE": None,  # `?format=` is no query parameter here
    # without this, drf-spectacular puts any ?version= of a visitor into a header
    "ALLOWED_VERSIONS": ["1"],
    "EXCEPTION_HANDLER": "stichkampf_platform.api.errors.explain",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Stichkampf",
    "DESCRIPTION": "Bots, tournaments, match records and ratings of trick-taking card games. Seats, deals,"
    " moves, blocks and lanes count from 0, as in the match record; pages count from 1.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "PREPROCESSING_HOOKS": ["stichkampf_platform.api.schema.described"],
    "ENUM_NAME_OVERRIDES": {
        "VersionState": "stichkampf_platform.bots.models.Version.State",
        "TournamentState": "stichkampf_platform.tournaments.models.Tournament.State",
        "ExperimentKind": "stichkampf_platform.experiments.models.Experiment.Kind",
        "NoticeKind": "stichkampf_platform.people.models.NoticeKind",
        "RulingRole": "stichkampf_platform.tournaments.models.Ruling.Role",
        "TableState": "stichkampf_platform.tournaments.models.Table.State",
    },
}

# --- seen from outside

METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
"""The token with which `/metrics` is read from elsewhere; empty: from this machine only."""

# --- the work

STANDINGS = "stichkampf_platform.ratings.standings.standings"
"""The function that returns the standings of a tournament, whose rulings note the places in them."""
STRENGTH = "stichkampf_platform.ratings.queries.newest_strength"
"""The function that returns the newest ratings of a ladder, by which equals are seated together."""

ARBITER_ADDRESS = read_program("STICHKAMPF_ARBITER_ADDRESS", otherwise=f"unix:{STATE_DIR / 'arbiter.sock'}")
# the arbiter where remote bots dial in, whichever node takes their blocks
GATE_ADDRESS = read_program("STICHKAMPF_GATE_ADDRESS", otherwise=ARBITER_ADDRESS)
NODE = read_name("STICHKAMPF_NODE", otherwise=gethostname())
LEASE_SECONDS = 10
MAIN_LADDERS = os.environ.get("STICHKAMPF_LADDERS") != "0"

SITE_ADDRESS = os.environ.get("SITE_ADDRESS") or "http://localhost:8000"
checked_parts("SITE_ADDRESS", SITE_ADDRESS, "http", "https", example="https://play.example.org")

# --- notices: owners get them by mail too; without a mail server the mails are written into a folder

EMAIL_HOST = os.environ.get("EMAIL_HOST", "")
EMAIL_PORT = read_number("EMAIL_PORT", otherwise=25, most=65_535)
EMAIL_HOST_USER = os.environ.get("EMAIL_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_PASSWORD", "")
EMAIL_USE_TLS = os.environ.get("EMAIL_TLS") == "1"
EMAIL_TIMEOUT = 5  # the sweep shares its workers with the mail
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = STATE_DIR / "mail"
DEFAULT_FROM_EMAIL = os.environ.get("EMAIL_FROM") or "stichkampf@localhost"

# --- marks: the most matches that wait for theirs, and the most continuations that wait

MARKS_BACKLOG = 100

# --- conduct: points of a version's last matches, for each match with a fault and for each forfeited one

CONDUCT_MATCHES = 50
CONDUCT_FAULT_POINTS = 1
CONDUCT_FORFEIT_POINTS = 3
CONDUCT_SUSPENDED_WITH_POINTS = 15

LOGGING = log_settings(os.environ.get("STICHKAMPF_LOG_FORMAT") or "line")
