"""Classes as their teachers see them."""

from __future__ import annotations

from rest_framework import serializers

from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.tournaments.models import Tournament


class ClassLadderSerializer(serializers.ModelSerializer):
    tournament = serializers.CharField(source="slug", help_text="Its word in addresses of tournaments.")
    ladder = serializers.CharField(source="ladder.slug", help_text="Its word in addresses of ladders.")

    class Meta:
        model = Tournament
        fields = ["name", "game", "state", "tournament", "ladder"]


class OwnClassSerializer(serializers.ModelSerializer):
    """One of your classes in a list."""

    page = serializers.CharField(source="get_absolute_url", read_only=True)
    people = serializers.IntegerField(help_text="The number of them.")
    ladders = ClassLadderSerializer(many=True)

    class Meta:
        model = SchoolClass
        fields = [
            "id",
            "name",
            "page",
            "code",
            "people",
            "public",
            "code_read",
            "ladders",
            "created_at",
            "ended_at",
            "compared_at",
        ]


class ClassVersionSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="bot.full_name")

    class Meta:
        model = Version
        fields = ["bot", "number", "state"]


class RejectedVersionSerializer(ClassVersionSerializer):
    """A version that was rejected, and why."""

    class Meta(ClassVersionSerializer.Meta):
        fields = [*ClassVersionSerializer.Meta.fields, "reason"]


class ClassRatingSerializer(serializers.ModelSerializer):
    """The rating of a person's best bot in one snapshot."""

    at = serializers.DateTimeField(source="snapshot.at")
    bot = serializers.CharField(source="version.bot.slug")
    version = serializers.IntegerField(source="version.number")

    class Meta:
        model = Rating
        fields = ["at", "bot", "version", "elo", "plus_minus", "blocks", "provisional"]


class NewestRatingSerializer(serializers.Serializer):
    game = serializers.CharField(source="ladder.game")
    newest = ClassRatingSerializer()


class PersonInClassSerializer(serializers.Serializer):
    """The numbers of a person since they are in the class."""

    id = serializers.IntegerField(source="pupil.pk", help_text="In addresses of the class.")
    name = serializers.CharField(source="pupil.name", help_text="Only you see it.")
    login = serializers.CharField(source="pupil.person.username", help_text="The name that all others see.")
    made_here = serializers.BooleanField(
        source="pupil.made_here", help_text="The class made the account; false: it came with the code."
    )
    joined_at = serializers.DateTimeField(source="pupil.joined_at")
    attempts = serializers.IntegerField(help_text="Submitted versions.")
    approved = serializers.IntegerField()
    rejected = serializers.IntegerField()
    in_vain = RejectedVersionSerializer(
        many=True, help_text="Rejected since the last that was not, the newest first: who has some is stuck."
    )
    matches = serializers.IntegerField(help_text="On the private ladders, in blocks that are over.")
    faults = serializers.IntegerField(help_text="In these matches.")
    last_active = serializers.DateTimeField(allow_null=True)
    bots = ClassVersionSerializer(source="versions", many=True, help_text="The newest version of each.")
    ratings = NewestRatingSerializer(source="trends", many=True, help_text="Of the best bot on each ladder.")


class AlikeProgramSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="Of the person; empty for one who has left the class.")
    version = ClassVersionSerializer()


class LikenessSerializer(serializers.Serializer):
    """Two programs that are much alike: a hint and no proof."""

    share = serializers.FloatField(help_text="Of their tokens, in the same order, from 0 to 1.")
    programs = AlikeProgramSerializer(many=True)


class ClassSerializer(OwnClassSerializer):
    """All that the page of a class shows."""

    progress = PersonInClassSerializer(many=True, help_text="Everybody, by name.")
    likenesses = LikenessSerializer(source="alike", many=True, help_text="The most alike first.")
    not_compared = serializers.CharField(
        source="what_is_missing", help_text="What was not compared, and why; empty where all was."
    )

    class Meta(OwnClassSerializer.Meta):
        fields = [*OwnClassSerializer.Meta.fields, "progress", "likenesses", "not_compared"]


class RatingsOverTimeSerializer(NewestRatingSerializer):
    over_time = ClassRatingSerializer(source="ratings", many=True, help_text="Oldest first.")


class ClassSubmissionSerializer(serializers.ModelSerializer):
    version = ClassVersionSerializer()

    class Meta:
        model = Submission
        fields = ["version", "created_at"]


class ClassPersonSerializer(PersonInClassSerializer):
    """All that the page of a person of a class shows."""

    ratings = RatingsOverTimeSerializer(source="trends", many=True)
    submissions = ClassSubmissionSerializer(many=True, help_text="Newest first, without their logs.")
    no_reset = serializers.CharField(
        help_text="Why you cannot give this person a new password; empty if you can."
    )


class NamesReadSerializer(serializers.Serializer):
    """The names that a dry run read."""

    names = serializers.ListField(child=serializers.CharField(), help_text="In the order of the class.")


class SlipSerializer(serializers.Serializer):
    """Name and first password of a person, with which they sign in."""

    id = serializers.IntegerField(source="pupil.pk", help_text="In addresses of the class.")
    name = serializers.CharField(source="pupil.name")
    login = serializers.CharField(source="pupil.person.username")
    password = serializers.CharField(help_text="Shown this once and stored nowhere.")


class SlipsSerializer(serializers.Serializer):
    """The slips of people, to be handed over."""

    class_id = serializers.IntegerField()
    code = serializers.CharField(help_text="For people with an account of their own.")
    sign_in_at = serializers.CharField(help_text="The page where one signs in.")
    code_at = serializers.CharField(help_text="The page where one gives the code.")
    slips = SlipSerializer(
        many=True, help_text="By name; empty if newer passwords have replaced those of this key."
    )
