#!/usr/bin/perl
# A bot without any library: HTTP/2, gRPC and protobuf by hand, as far as the wire of bots needs them.
# It plays the last of its legal actions. Good for trials of the wire, not for winning.
use strict;
use warnings;
use IO::Socket::UNIX;

my $socket = IO::Socket::UNIX->new(Peer => $ENV{STICHKAMPF_SOCKET}) or die "no arbiter: $!";

# HTTP/2 (RFC 9113): frames of length, type, flags and stream; ours is stream 1.
sub frame { my ($type, $flags, $stream, $payload) = @_;
    $socket->print(substr(pack("N", length $payload), 1) . pack("CCN", $type, $flags, $stream) . $payload) }
sub take { my ($count) = @_; my $bytes = "";
    while (length $bytes < $count) { read($socket, $bytes, $count - length $bytes, length $bytes) or exit 0 }
    return $bytes }

# Protobuf: a message is a list of fields, each a number and a value.
sub varint { my ($number) = @_; my $bytes = "";
    while ($number > 127) { $bytes .= chr($number & 127 | 128); $number >>= 7 }
    return $bytes . chr $number }
sub number { my ($field, $value) = @_; return varint($field << 3) . varint($value) }
sub text { my ($field, $value) = @_; return varint($field << 3 | 2) . varint(length $value) . $value }
sub read_varint { my ($bytes) = @_; my ($value, $shift) = (0, 0);
    while (1) { my $byte = ord substr($$bytes, 0, 1, ""); $value |= ($byte & 127) << $shift; $shift += 7;
        return $value if $byte < 128 } }
sub fields { my ($bytes) = @_; my %found;
    while (length $bytes) {
        my $tag = read_varint(\$bytes);
        my $value = ($tag & 7) == 0 ? read_varint(\$bytes)
            : substr($bytes, 0, ($tag & 7) == 1 ? 8 : ($tag & 7) == 5 ? 4 : read_varint(\$bytes), "");
        push @{$found{$tag >> 3}}, $value;
    }
    return \%found }

# gRPC: a message in a DATA frame, after a byte for no compression and its length.
sub say_frame { my ($message) = @_; frame(0, 0, 1, pack("CN", 0, length $message) . $message) }

sub hear { my ($message) = @_;
    my $frame = fields($message);
    say_frame(text(3, number(1, fields($_)->{1}[0] // 0))) for @{$frame->{3} || []};    # a ping, and its pong
    for my $updates (@{$frame->{2} || []}) { for (@{fields($updates)->{1} || []}) {
        my $update = fields($_);
        my $question = $update->{4} ? fields($update->{4}[0]) : next;
        my $answer = number(1, $update->{1}[0]) . number(2, $question->{1}[0]) . text(3, $question->{2}[-1]);
        say_frame(text(2, text(1, $answer)));
    } } }

$socket->print("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
frame(4, 0, 0, "");
my %headers = (":method" => "POST", ":scheme" => "http", ":authority" => "arbiter",
    ":path" => "/stichkampf.wire.v1.BotGateway/Play", "content-type" => "application/grpc", "te" => "trailers");
my $block = "";
$block .= "\0" . pack("C/a C/a", $_, $headers{$_}) for sort keys %headers;    # HPACK: literal, not indexed
frame(1, 4, 1, $block);
say_frame(text(1, number(1, 1) . number(2, 1) . text(6, "perl/$]")));

my $inbox = "";
while (1) {
    my ($high, $low, $type, $flags, $stream) = unpack("CnCCN", take(9));
    my $payload = take($high << 16 | $low);
    exit 0 if $type == 3 || $type == 7 || $type == 1 && $flags & 1;    # reset, goodbye, the end of the stream
    frame(4, 1, 0, "") if $type == 4 && !($flags & 1);          # settings: taken
    frame(6, 1, 0, $payload) if $type == 6 && !($flags & 1);    # a ping of HTTP/2
    next unless $type == 0;
    next unless length $payload;
    frame(8, 0, $_, pack("N", length $payload)) for 0, 1;    # room for as much again
    $inbox .= $payload;
    while (length $inbox >= 5 && length $inbox >= 5 + (my $size = unpack("x N", $inbox))) {
        hear(substr(substr($inbox, 0, 5 + $size, ""), 5));
    }
}
