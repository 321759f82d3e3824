// What a seat knows of its table, kept from the events of the wire.
#pragma once

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <string>
#include <utility>
#include <vector>

#include "stichkampf/wire/v1/bot.pb.h"

namespace wire = stichkampf::wire::v1;

inline google::protobuf::Struct json_object(const std::string& text) {
  google::protobuf::Struct object;
  (void)google::protobuf::util::JsonStringToMessage(text, &object);  // the arbiter sends JSON objects only
  return object;
}

struct Table {
  std::string game;
  google::protobuf::Struct options;
  unsigned seat = 0, seats = 0;
  std::string phase;
  std::vector<std::string> hand;
  google::protobuf::Struct facts;
  std::vector<std::pair<int, std::string>> trick;    // seat and card, in the order played
  std::vector<std::pair<int, std::string>> history;  // seat and action

  Table() = default;
  explicit Table(const wire::TableStart& start)
      : game(start.game()), options(json_object(start.options_json())), seat(start.seat()), seats(start.seats()) {}

  void follow(const wire::Event& event) {
    switch (event.kind()) {
      case wire::EVENT_KIND_DEAL:
        hand.assign(event.cards().begin(), event.cards().end());
        facts.Clear();
        trick.clear();
        break;
      case wire::EVENT_KIND_PHASE:
        phase = event.text();
        break;
      case wire::EVENT_KIND_FACTS: {
        const auto changed = json_object(event.facts_json());
        for (const auto& [name, value] : changed.fields()) (*facts.mutable_fields())[name] = value;
        break;
      }
      case wire::EVENT_KIND_MOVE:
        history.emplace_back(event.seat(), event.text());
        if (event.text().rfind("play ", 0) == 0) trick.emplace_back(event.seat(), event.text().substr(5));
        break;
      case wire::EVENT_KIND_TRICK:
        trick.clear();
        break;
      default:
        break;
    }
  }
};
