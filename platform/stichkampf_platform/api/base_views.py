"""Base classes of the API's views. They refuse unknown query parameters."""

from __future__ import annotations

from rest_framework import generics, views
from rest_framework.exceptions import ValidationError


class APIView(views.APIView):
    """A view that answers 400 to an unknown query parameter and names the known ones."""

    def initial(self, request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        known = self.query_parameters()
        unknown = sorted(set(request.query_params) - set(known))
        if unknown:
            raise ValidationError(
                {
                    "detail": f"There is no query parameter {', '.join(map(repr, unknown))} here; there"
                    f" {'are ' + ', '.join(known) if known else 'is none'}."
                }
            )

    def query_parameters(self) -> list[str]:
        """Return the known query parameters: those of pagination if the view returns a list, else none."""
        if self.request.method not in ("GET", "HEAD") or getattr(self, "paginator", None) is None:
            return []
        return [self.paginator.limit_query_param, self.paginator.offset_query_param]


class ListAPIView(APIView, generics.ListAPIView):
    pass


class ListCreateAPIView(APIView, generics.ListCreateAPIView):
    pass


class RetrieveAPIView(APIView, generics.RetrieveAPIView):
    """A view of one object, without pagination."""

    pagination_class = None
