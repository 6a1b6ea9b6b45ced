// Takes the webhooks of another service and Chainbell's side by side, while you move. docs/moving explains it.
// OLD=alchemy OLD_SECRET=... WEBHOOK_SECRET=whsec_... CHAINS=ETH_MAINNET=ethereum ADDRESSES=addresses.txt node receiver.mjs
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { isSame, services } from "./services.mjs";

const { OLD = "alchemy", OLD_SECRET, OLD_API, WEBHOOK_SECRET, PORT = "8082" } = process.env;
// Whose word credits: the first that comes, or the one of `old` or `chainbell` alone.
const { CREDITS = "either", CHAINS = "", ADDRESSES = "" } = process.env;

const service = services[OLD];
if (service === undefined) refuse(`Set OLD to one of ${Object.keys(services).join(", ")}.`);
if (!OLD_SECRET) refuse("Set OLD_SECRET to the secret of the old service's webhook.");
if (!WEBHOOK_SECRET)
  refuse("Set WEBHOOK_SECRET to the secret that was shown at registration (whsec_...).");
if (!["either", "old", "chainbell"].includes(CREDITS))
  refuse("Set CREDITS to either, old or chainbell.");
if (!/^[^=,]+=[^=,]+(,[^=,]+=[^=,]+)*$/.test(CHAINS))
  refuse("Set CHAINS to pairs of names, such as ETH_MAINNET=ethereum,BASE_MAINNET=base.");
const old = { secret: OLD_SECRET, api: OLD_API };
const ownKey = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
// The other service's names of the chains, and those in your file.
const chains = new Map(CHAINS.split(",").map((pair) => pair.split("=")));
// Your addresses: other services also send what leaves them.
const own = new Set(addressesIn(ADDRESSES));

// In real life: a table. Each row is one deposit, with the id that each sender has for it.
const rows = [];
// What was undone may still arrive: no order is promised.
const undone = { old: new Set(), chainbell: new Set() };

function refuse(why) {
  console.error(why);
  process.exit(1);
}

function addressesIn(path) {
  try {
    return readFileSync(path, "utf8").toLowerCase().split(/\s+/);
  } catch (error) {
    return refuse(`Set ADDRESSES to a file of your addresses, one a line: ${error.message}.`);
  }
}

async function takeOld(rawBody, headers) {
  if (!(await service.isGenuine(rawBody, headers, old))) return 401;
  const payments = service.payments(JSON.parse(rawBody)).map(({ chain, ...payment }) => {
    // A wrong name would make a second row, and a second credit. Rather be sent it again.
    if (!chains.has(chain)) throw new Error(`CHAINS does not name ${chain}.`);
    return { ...payment, chain: chains.get(chain) };
  });
  for (const payment of payments) {
    if (payment.isUndone) undo("old", payment.id);
    else if (payment.to === undefined || own.has(payment.to?.toLowerCase())) keep("old", payment);
  }
  return 204;
}

function takeChainbell(rawBody, headers) {
  if (!isFromChainbell(rawBody, headers)) return 401;
  const { event, data } = JSON.parse(rawBody);
  const { transactionId: id, blockchain: chain, txHash: hash, toAddress: to, amount } = data;
  if (event === "transaction.deposit" || event === "transaction.payment")
    keep("chainbell", { id, chain, hash, to, amount });
  if (event === "transaction.reversed") undo("chainbell", id);
  return 204;
}

// Standard Webhooks: a fresh timestamp, and one of the listed signatures is ours.
function isFromChainbell(rawBody, headers) {
  const { "webhook-id": id, "webhook-timestamp": timestamp } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), rawBody]);
  const expected = `v1,${createHmac("sha256", ownKey).update(signed).digest("base64")}`;
  return String(headers["webhook-signature"])
    .split(" ")
    .some((given) => isSame(given, expected));
}

/**
 * One row for each deposit, whoever names it first. A second sender's word goes to the first row
 * of the same payment that this sender has not named: two equal transfers of a transaction are two.
 */
function keep(side, { id, chain, hash, to, amount }) {
  if (undone[side].has(id) || rows.some((row) => row[side] === id)) return;
  const key = keyOf(chain, hash, to, amount);
  let row = rows.find((one) => one.key === key && one[side] === undefined);
  if (row === undefined) {
    row = { key, chain, hash };
    rows.push(row);
  }
  row[side] = id;
  if (row.undoneBy === side) row.undoneBy = undefined;
  if (amount !== undefined) Object.assign(row, { to, amount });
}

function undo(side, id) {
  undone[side].add(id);
  const row = rows.find((one) => one[side] === id);
  if (row !== undefined) Object.assign(row, { [side]: undefined, undoneBy: side });
}

// BitGo's body has neither receiver nor amount: there the hash alone has to do.
function keyOf(chain, hash, to, amount) {
  if (OLD === "bitgo") return `${chain} ${hash}`.toLowerCase();
  const [whole, part = ""] = String(amount).split(".");
  return [chain, hash, to, whole, part.replace(/0+$/, "")].join(" ").toLowerCase();
}

// A row without an amount waits for the sender who has it.
function credits() {
  const isMeant = (row) =>
    CREDITS === "either"
      ? row.old !== undefined || row.chainbell !== undefined
      : row[CREDITS] !== undefined;
  return rows.filter((row) => isMeant(row) && !row.undoneBy && row.amount !== undefined);
}

function compare() {
  const isIn = (row, side) => row[side] !== undefined;
  return {
    both: rows.filter((row) => isIn(row, "old") && isIn(row, "chainbell")).length,
    only_old: rows.filter((row) => isIn(row, "old") && !isIn(row, "chainbell")),
    only_chainbell: rows.filter((row) => isIn(row, "chainbell") && !isIn(row, "old")),
  };
}

async function answer(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks);
  // Circle asks with HEAD whether somebody is there.
  if (request.method === "HEAD") return [200];
  if (request.url === "/old") return [await takeOld(rawBody, request.headers)];
  if (request.url === "/hook") return [takeChainbell(rawBody, request.headers)];
  if (request.url === "/credits") return [200, credits()];
  if (request.url === "/compare") return [200, compare()];
  return [404];
}

const server = createServer((request, response) => {
  answer(request).then(
    ([status, body]) => response.writeHead(status).end(body && JSON.stringify(body)),
    // Both services send again after anything but a 2xx.
    (error) => {
      console.error(error.message);
      response.writeHead(500).end();
    },
  );
});
try {
  await once(server.listen(Number(PORT), "127.0.0.1"), "listening");
} catch (error) {
  refuse(`Set PORT to a free port: ${error.message.replace(/\.$/, "")}.`);
}
console.log(`Taking ${OLD} at /old and Chainbell at /hook, port ${server.address().port}`);
