// A Stichkampf bot in C++ that speaks gRPC.
//
// Hosted, the arbiter starts it with STICHKAMPF_SOCKET; remote: bot HOST:PORT TOKEN_FILE
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

#include "stichkampf/wire/v1/bot.grpc.pb.h"
#include "table.h"

namespace {

// --- the bot's own rules: this is the part to change ---------------------------------------------------------------

int value(const std::string& action) {
  const auto digits = action.find_last_not_of("0123456789") + 1;
  return digits < action.size() ? std::stoi(action.substr(digits)) : 0;
}

// Returns one of the legal actions: a high card to lead, a low one to follow, else the first that is possible.
std::string choose(const Table& table, const google::protobuf::RepeatedPtrField<std::string>& legal) {
  std::vector<std::string> cards;
  std::copy_if(legal.begin(), legal.end(), std::back_inserter(cards),
               [](const std::string& action) { return action.rfind("play ", 0) == 0; });
  if (cards.empty()) return legal[0];
  const auto lower = [](const std::string& a, const std::string& b) { return value(a) < value(b); };
  const auto [lowest, highest] = std::minmax_element(cards.begin(), cards.end(), lower);
  return table.trick.empty() ? *highest : *lowest;
}

// --- the wire ------------------------------------------------------------------------------------------------------

class Bot {
 public:
  explicit Bot(std::shared_ptr<grpc::Channel> channel) : stub_(wire::BotGateway::NewStub(channel)) {}

  // Plays tables until the stream ends; `welcomed` says whether the arbiter had let the bot in.
  grpc::Status play(const std::string& token, bool& welcomed) {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    const auto stream = stub_->Play(&context);
    tables_.clear();
    wire::FromBot hello;
    hello.mutable_hello()->set_wire_version_min(1);
    hello.mutable_hello()->set_wire_version_max(1);
    hello.mutable_hello()->set_resume_token(resume_token_);
    hello.mutable_hello()->set_agent("stichkampf-example c++");
    stream->Write(hello);
    for (wire::ToBot message; stream->Read(&message);) {
      wire::FromBot reply;
      if (message.has_welcome()) {
        welcomed = true;
        resume_token_ = message.welcome().resume_token();
        std::cerr << "connected" << std::endl;
      } else if (message.has_ping()) {
        reply.mutable_pong()->set_number(message.ping().number());
      } else {
        for (const auto& update : message.updates().tables()) take(update, reply);
      }
      if (reply.frame_case() != wire::FromBot::FRAME_NOT_SET && !stream->Write(reply)) break;
    }
    return stream->Finish();
  }

 private:
  void take(const wire::TableUpdate& update, wire::FromBot& reply) {
    auto& table = tables_[update.table()];
    if (update.has_start()) table = Table(update.start());  // a resumption starts it over
    for (const auto& event : update.events()) table.follow(event);
    if (update.has_question()) {
      table.hand.assign(update.question().hand().begin(), update.question().hand().end());
      auto* answer = reply.mutable_answers()->add_answers();
      answer->set_table(update.table());
      answer->set_decision(update.question().decision());
      try {
        answer->set_action(choose(table, update.question().legal()));
      } catch (const std::exception& error) {
        answer->mutable_failure()->set_message(error.what());
      }
    }
    if (update.has_end()) tables_.erase(update.table());
  }

  std::unique_ptr<wire::BotGateway::Stub> stub_;
  std::unordered_map<unsigned, Table> tables_;
  std::string resume_token_;
};

std::shared_ptr<grpc::Channel> channel_to(const std::string& address, bool plaintext) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 4000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 3000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  const auto credentials =
      plaintext ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(grpc::SslCredentialsOptions());
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

bool is_fatal(grpc::StatusCode code) {
  return code == grpc::UNAUTHENTICATED || code == grpc::PERMISSION_DENIED || code == grpc::FAILED_PRECONDITION ||
         code == grpc::INVALID_ARGUMENT || code == grpc::UNIMPLEMENTED;
}

int play_remote(const std::string& server, const std::string& token_file) {
  std::string token;
  if (!(std::ifstream(token_file) >> token)) {
    std::cerr << "cannot read a token from " << token_file << std::endl;
    return 2;
  }
  const bool loopback = server.rfind("localhost:", 0) == 0 || server.rfind("127.", 0) == 0;
  Bot bot(channel_to(server, loopback));
  for (auto pause = std::chrono::milliseconds(500);;) {
    bool welcomed = false;
    const auto status = bot.play(token, welcomed);
    std::cerr << "lost " << server << ": " << status.error_message() << std::endl;
    if (is_fatal(status.error_code())) return 1;
    pause = welcomed ? std::chrono::milliseconds(500) : std::min(2 * pause, std::chrono::milliseconds(5000));
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

int main(int count, char** words) {
  if (const char* socket = std::getenv("STICHKAMPF_SOCKET")) {
    bool welcomed = false;
    Bot(channel_to(std::string("unix:") + socket, true)).play("", welcomed);
    return welcomed ? 0 : 1;
  }
  if (count != 3) {
    std::cerr << "usage: bot HOST:PORT TOKEN_FILE" << std::endl;
    return 2;
  }
  return play_remote(words[1], words[2]);
}
