// A receiver in Node, with nothing to install. WEBHOOK_SECRET=whsec_… PORT=8080 node node.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET;
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
const seen = new Set(); // in real life: a unique column in your database

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks);
  if (!isGenuine(request.headers, rawBody)) return response.writeHead(401).end();
  const notification = JSON.parse(rawBody);
  if (!seen.has(notification.id))
    console.log(notification.event, notification.data.amount, notification.data.asset);
  seen.add(notification.id);
  response.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 8080), "127.0.0.1");

// Standard Webhooks: a fresh timestamp, and one of the listed signatures is ours.
function isGenuine(headers, rawBody) {
  const timestamp = Number(headers["webhook-timestamp"]);
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= 300)) return false;
  const signed = Buffer.concat([Buffer.from(`${headers["webhook-id"]}.${timestamp}.`), rawBody]);
  const expected = createHmac("sha256", key).update(signed).digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .some((part) => {
      const given = Buffer.from(part.replace(/^v1,/, ""), "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}
