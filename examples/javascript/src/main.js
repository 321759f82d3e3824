// Hosted, the arbiter starts this with STICHKAMPF_SOCKET; remote: node bot.js --server HOST:PORT --token-file FILE
"use strict";

const fs = require("node:fs");
const { parseArgs } = require("node:util");
const { setTimeout: pause } = require("node:timers/promises");
const { play, status } = require("./connection");

const FATAL = new Set([
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.FAILED_PRECONDITION,
  status.INVALID_ARGUMENT,
  status.UNIMPLEMENTED,
]);
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;
const LEAVE_LOOK_MS = 200;

async function hosted(socket) {
  const { code, details } = await play({ address: `unix:${socket}`, plaintext: true });
  if (code !== status.OK && code !== status.CANCELLED) throw new Error(`${status[code]}: ${details}`);
}

async function remote({ server, "token-file": file }) {
  const token = fs.readFileSync(file, "utf8").trim();
  const plaintext = /^(localhost|127\.|\[::1\])/.test(server);
  let resumeToken;
  let wait = FIRST_PAUSE_MS;
  for (;;) {
    const ending = await play({ address: server, token, plaintext, resumeToken, onOpen: leaveOnSignals });
    if (FATAL.has(ending.code)) throw new Error(`${server}: ${status[ending.code]}: ${ending.details}`);
    resumeToken = ending.resumeToken;
    console.error(`lost ${server} (${status[ending.code]}: ${ending.details}); trying again`);
    wait = ending.welcomed ? FIRST_PAUSE_MS : Math.min(2 * wait, LONGEST_PAUSE_MS);
    await pause(wait * (0.5 + Math.random() / 2));
  }
}

// Ask for no further table at the first signal, and end when none is open.
function leaveOnSignals(leave, openTables) {
  console.error("connected");
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.removeAllListeners(signal);
    process.once(signal, () => {
      leave();
      setInterval(() => openTables() || process.exit(0), LEAVE_LOOK_MS);
    });
  }
}

async function main() {
  const socket = process.env.STICHKAMPF_SOCKET;
  if (socket) return hosted(socket);
  const options = { server: { type: "string" }, "token-file": { type: "string" } };
  const { values } = parseArgs({ options });
  if (!values.server || !values["token-file"]) throw new Error("give --server HOST:PORT and --token-file FILE");
  return remote(values);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
