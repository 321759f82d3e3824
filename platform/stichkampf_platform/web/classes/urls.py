from __future__ import annotations

from django.urls import path

from stichkampf_platform.web.classes import views

urlpatterns = [
    path("classes/", views.listing, name="classes"),
    path("classes/new/", views.new, name="new-class"),
    path("classes/<int:class_id>/", views.school_class, name="class"),
    path("classes/<int:class_id>/add/", views.add, name="add-to-class"),
    path("classes/<int:class_id>/end/", views.end, name="end-class"),
    path("classes/<int:class_id>/ladders/", views.choose_ladders, name="class-ladders"),
    path("classes/<int:class_id>/people/<int:pupil_id>/", views.pupil, name="pupil"),
    path("classes/<int:class_id>/people/<int:pupil_id>/remove/", views.remove, name="remove-from-class"),
    path("classes/<int:class_id>/people/<int:pupil_id>/password/", views.password, name="reset-password"),
]
