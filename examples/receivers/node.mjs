// A receiver in Node, with nothing to install. WEBHOOK_SECRET=whsec_... PORT=8080 node node.mjs
// With npm it is shorter: see packages/webhooks.
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET ?? "";
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
if (!secret.startsWith("whsec_") || key.length < 24)
  refuse("Set WEBHOOK_SECRET to the secret that was shown at registration (whsec_...).");
const maxBodyBytes = 262_144;
const seen = new Set(); // in real life: a unique column in your database

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    // The sender went away, or sent more than a notification can have.
    () => response.destroy(),
  );
});
server.requestTimeout = 10_000; // a body that takes longer is cut off
try {
  await once(server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1"), "listening");
} catch (error) {
  refuse(`Set PORT to a free port: ${error.message.replace(/\.$/, "")}.`);
}

function refuse(why) {
  console.error(why);
  process.exit(1);
}

async function receive(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error("too large");
    chunks.push(chunk);
  }
  const rawBody = Buffer.concat(chunks);
  if (!isGenuine(request.headers, rawBody)) return 401;
  const notification = parse(rawBody);
  if (notification === null) return 400;
  if (!seen.has(notification.id))
    console.log(notification.event, said(notification) ?? String(rawBody));
  seen.add(notification.id);
  return 204;
}

// Standard Webhooks: a fresh timestamp, and one of the listed signatures is ours.
function isGenuine(headers, rawBody) {
  const timestamp = headers["webhook-timestamp"] ?? "";
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const signed = Buffer.concat([Buffer.from(`${headers["webhook-id"]}.${timestamp}.`), rawBody]);
  const expected = createHmac("sha256", key).update(signed).digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .some((part) => {
      const given = Buffer.from(part.startsWith("v1,") ? part.slice(3) : "", "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

// Null: the event is of no transaction, such as that of a low balance. Such a body has no amount.
function said({ event, data }) {
  return event.startsWith("transaction.") ? `${data.amount} ${data.asset}` : null;
}

function parse(rawBody) {
  try {
    return JSON.parse(rawBody);
  } catch {
    return null;
  }
}
