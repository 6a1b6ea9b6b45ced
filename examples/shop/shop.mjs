// A shop that takes deposits, with nothing to install. docs/tutorials/build-a-shop.md explains it.
// API_URL=http://127.0.0.1:3000 API_KEY=cb_... PORT=8081 node shop.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const { API_URL = "http://127.0.0.1:3000", API_KEY = "", PORT = "8081" } = process.env;

if (API_KEY === "")
  refuse("Set API_KEY to a key with the scopes read, webhooks and wallets:write.");

function refuse(why) {
  console.error(why);
  process.exit(1);
}

// In real life these are two tables: customers, and transactions with the id as primary key.
const customers = new Map(); // by wallet_id
const transactions = new Map(); // by id
let secret = "";

async function chainbell(method, path, body) {
  const headers = { "x-api-key": API_KEY };
  if (body !== undefined) headers["content-type"] = "application/json";
  const request = { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(API_URL + path, request)
    .then((response) => response.json())
    .catch(({ message, cause }) => {
      throw new Error(`Chainbell did not answer at ${API_URL}: ${cause?.code ?? message}.`);
    });
  if (!answer.success) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer;
}

// 1. Customers. Each has an address of its own, which your wallet software made.
async function addCustomer({ name, blockchain, address }) {
  const { data } = await chainbell("POST", "/wallets", { blockchain, address, reference: name });
  customers.set(data.wallet_id, name);
  return { name, address: data.address };
}

// 2. Deposits. A notification says that something has changed; the API says how it is now.
async function receive(rawBody, headers) {
  const signature = createHmac("sha256", secret).update(rawBody).digest();
  const given = Buffer.from(String(headers["x-webhook-signature"] ?? ""), "hex");
  if (given.length !== signature.length || !timingSafeEqual(given, signature)) return 401;
  const { event, data } = JSON.parse(rawBody);
  // Other events, such as that of a low balance, are of no transaction.
  if (event === "webhook.test" || data.transactionId === undefined) return 204;
  await inTurn(async () =>
    store((await chainbell("GET", `/transactions/${data.transactionId}`)).data),
  );
  return 204;
}

// One question after the other. Else an older answer that arrives late would replace a newer one.
// With a database, lock the row before you ask.
let last = Promise.resolve();
function inTurn(work) {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

// Safe to repeat, and in any order: a row is the transaction as it is now.
function store({ id, wallet_id, type, asset, amount, status }) {
  transactions.set(id, { wallet_id, type, asset, amount, status });
}

// 3. Credits. A customer has what is completed: deposits less withdrawals, which are refunds here.
function creditsOf(walletId) {
  const sums = {};
  for (const { wallet_id, type, asset, amount, status } of transactions.values()) {
    if (wallet_id !== walletId || status !== "completed") continue;
    const sign = type === "withdrawal" ? -1n : 1n;
    sums[asset] = (sums[asset] ?? 0n) + sign * units(amount);
  }
  return Object.fromEntries(Object.entries(sums).map(([asset, sum]) => [asset, decimal(sum)]));
}

// 4. After an outage, and at the month's end: the API's list against the shop's own rows.
async function compare({ from, to }) {
  const found = { read: 0, missing: [], different: [] };
  let cursor = null;
  do {
    const page = new URLSearchParams({ from, to, limit: "500", ...(cursor && { cursor }) });
    cursor = await inTurn(async () => {
      const { data, next_cursor } = await chainbell("GET", `/transactions?${page}`);
      for (const row of data) {
        const own = transactions.get(row.id);
        if (own === undefined) found.missing.push(row.id);
        else if (own.status !== row.status || own.amount !== row.amount)
          found.different.push(row.id);
        store(row);
      }
      found.read += data.length;
      return next_cursor;
    });
  } while (cursor !== null);
  return found;
}

// Amounts are decimal texts with up to 18 digits behind the point: never a float.
function units(text) {
  const [whole, fraction = ""] = text.split(".");
  if (fraction.length > 18) throw new Error(`${text} has more than 18 decimals.`);
  return BigInt(whole + fraction.padEnd(18, "0"));
}

function decimal(sum) {
  const digits = String(sum < 0n ? -sum : sum).padStart(19, "0");
  const fraction = digits.slice(-18).replace(/0+$/, "");
  return `${sum < 0n ? "-" : ""}${digits.slice(0, -18)}${fraction && `.${fraction}`}`;
}

async function answer(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks);
  if (request.url === "/hook") return [await receive(rawBody, request.headers)];
  if (request.url === "/customers" && request.method === "POST")
    return [201, await addCustomer(JSON.parse(rawBody))];
  if (request.url === "/customers")
    return [200, [...customers].map(([id, name]) => ({ name, credits: creditsOf(id) }))];
  if (request.url === "/compare") return [200, await compare(JSON.parse(rawBody))];
  return [404];
}

const server = createServer((request, response) => {
  answer(request).then(
    ([status, body]) => response.writeHead(status).end(body && JSON.stringify(body)),
    // Anything but a 2xx: Chainbell sends the notification again.
    (error) => response.writeHead(500).end(String(error.message)),
  );
});
try {
  await once(server.listen(Number(PORT), "127.0.0.1"), "listening");
} catch (error) {
  refuse(`Set PORT to a free port: ${error.message.replace(/\.$/, "")}.`);
}
try {
  await openShop();
} catch (error) {
  refuse(error.message);
}

async function openShop() {
  // A shop that has lost its secret registers anew; real ones store it.
  const current = await chainbell("GET", "/webhooks").catch(() => null);
  if (current) await chainbell("DELETE", `/webhooks/${current.data.id}`);
  secret = (await chainbell("POST", "/webhooks", { url: `http://127.0.0.1:${PORT}/hook` })).data
    .secret;
  const wallets = await chainbell("GET", "/wallets?limit=500");
  for (const { wallet_id, reference } of wallets.data)
    if (reference) customers.set(wallet_id, reference);
  console.log(`The shop is open at http://127.0.0.1:${PORT}`);
}
