// One stream to the arbiter, from hello to its end. Hosted and remote bots differ only in the address and the token.
"use strict";

const path = require("node:path");
const grpc = require("@grpc/grpc-js");
const protoLoader = require("@grpc/proto-loader");
const { Table } = require("./table");
const { choose } = require("./choose");

const definition = protoLoader.loadSync("stichkampf/wire/v1/bot.proto", {
  includeDirs: [process.env.STICHKAMPF_PROTO ?? path.join(__dirname, "proto")],
  keepCase: true,
  enums: String,
  defaults: true,
});
const { BotGateway } = grpc.loadPackageDefinition(definition).stichkampf.wire.v1;

// Play tables until the stream ends; resolves to {code, details, welcomed, resumeToken}.
function play({ address, token, plaintext, games = [], resumeToken = Buffer.alloc(0), onOpen = () => {} }) {
  const credentials = plaintext ? grpc.credentials.createInsecure() : grpc.credentials.createSsl();
  const client = new BotGateway(address, credentials, {
    "grpc.enable_http_proxy": 0,
    "grpc.keepalive_time_ms": 4000,
    "grpc.keepalive_timeout_ms": 3000,
  });
  const metadata = new grpc.Metadata();
  if (token) metadata.set("authorization", `Bearer ${token}`);
  const stream = client.play(metadata);
  const tables = new Map();
  let welcomed = false;

  const answer = (update) => {
    const table = tables.get(update.table);
    const { decision, legal, hand } = update.question;
    table.hand = hand; // the wire always tells what the seat holds now
    try {
      return { table: update.table, decision, action: choose(table, legal) };
    } catch (error) {
      console.error(error.stack);
      return { table: update.table, decision, failure: { message: String(error) } };
    }
  };

  const take = (update) => {
    if (update.start) tables.set(update.table, new Table(update.start)); // a resumption starts it over
    for (const event of update.events) tables.get(update.table)?.follow(event);
    if (update.end) tables.delete(update.table);
    return update.question ? [answer(update)] : [];
  };

  stream.on("data", (message) => {
    if (message.welcome) {
      welcomed = true;
      resumeToken = message.welcome.resume_token;
      onOpen(() => message.welcome.takes_leave && stream.write({ leave: {} }), () => tables.size);
    } else if (message.ping) {
      stream.write({ pong: { number: message.ping.number } });
    } else if (message.updates) {
      const answers = message.updates.tables.flatMap(take);
      if (answers.length) stream.write({ answers: { answers } });
    }
  });
  stream.on("error", () => {}); // the status tells the same
  stream.write({
    hello: {
      wire_version_min: 1,
      wire_version_max: 1,
      games,
      resume_token: resumeToken,
      agent: `stichkampf-example node/${process.versions.node}`,
    },
  });
  return new Promise((resolve) => {
    stream.on("status", ({ code, details }) => {
      client.close();
      resolve({ code, details, welcomed, resumeToken });
    });
  });
}

module.exports = { play, status: grpc.status };
