// Takes the webhooks of another service and Chainbell's side by side, while you move. docs/moving explains it.
// OLD=alchemy OLD_SECRET=... WEBHOOK_SECRET=whsec_... CREDITS=old PORT=8082 node receiver.mjs
import { createHmac, timingSafeEqual, verify } from "node:crypto";
import { createServer } from "node:http";

const { OLD = "alchemy", OLD_SECRET = "", WEBHOOK_SECRET = "", PORT = "8082" } = process.env;
// Whose word counts. The other one is only compared with it, so no payment is credited twice.
const { CREDITS = "old" } = process.env;

// In real life: one table, with side, hash and receiver as its key.
const payments = { old: new Map(), chainbell: new Map() };

function hmac(secret, rawBody) {
  return createHmac("sha256", secret).update(rawBody).digest("hex");
}

function isSame(given, expected) {
  const [one, other] = [Buffer.from(String(given ?? "")), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

// How each service signs, and what a payment is called there.
const services = {
  alchemy: {
    isGenuine: (rawBody, headers) =>
      isSame(headers["x-alchemy-signature"], hmac(OLD_SECRET, rawBody)),
    payments: ({ event }) =>
      event.activity
        .filter(({ log }) => !log?.removed)
        .map(({ hash, toAddress, value, asset }) => ({
          hash,
          to: toAddress,
          amount: value,
          asset,
        })),
  },
  moralis: {
    // Keccak of the body and the secret: node:crypto does not have it, viem does.
    isGenuine: async (rawBody, headers) => {
      const { keccak256 } = await import("viem");
      return isSame(
        headers["x-signature"],
        keccak256(Buffer.concat([rawBody, Buffer.from(OLD_SECRET)])),
      );
    },
    payments: ({ confirmed, erc20Transfers = [] }) =>
      erc20Transfers
        .filter(() => confirmed)
        .map(({ transactionHash, to, valueWithDecimals, tokenSymbol }) => ({
          hash: transactionHash,
          to,
          amount: valueWithDecimals,
          asset: tokenSymbol,
        })),
  },
  bitgo: {
    isGenuine: (rawBody, headers) =>
      isSame(headers["x-signature-sha256"], hmac(OLD_SECRET, rawBody)),
    // The body names the transfer; its API has the amounts.
    payments: ({ type, state, hash, receiver }) =>
      type === "transfer" && state === "confirmed" ? [{ hash, to: receiver ?? null }] : [],
  },
  circle: {
    // OLD_SECRET is the public key of X-Circle-Key-Id, in base64.
    isGenuine: (rawBody, headers) =>
      verify(
        "sha256",
        rawBody,
        { key: Buffer.from(OLD_SECRET, "base64"), format: "der", type: "spki" },
        Buffer.from(String(headers["x-circle-signature"] ?? ""), "base64"),
      ),
    payments: ({ notificationType, notification }) =>
      notificationType === "transactions.inbound" && notification.state === "COMPLETE"
        ? [
            {
              hash: notification.txHash,
              to: notification.destinationAddress,
              amount: notification.amounts[0],
            },
          ]
        : [],
  },
  btcpay: {
    isGenuine: (rawBody, headers) =>
      isSame(headers["btcpay-sig"], `sha256=${hmac(OLD_SECRET, rawBody)}`),
    payments: ({ type, payment }) =>
      type === "InvoicePaymentSettled"
        ? [{ hash: payment.id, to: payment.destination, amount: payment.value }]
        : [],
  },
};

const service = services[OLD];
if (service === undefined) throw new Error(`OLD is one of ${Object.keys(services).join(", ")}`);

async function takeOld(rawBody, headers) {
  if (!(await service.isGenuine(rawBody, headers))) return 401;
  for (const payment of service.payments(JSON.parse(rawBody))) keep("old", payment);
  return 204;
}

function takeChainbell(rawBody, headers) {
  if (!isSame(headers["x-webhook-signature"], hmac(WEBHOOK_SECRET, rawBody))) return 401;
  const { event, data } = JSON.parse(rawBody);
  const payment = { hash: data.txHash, to: data.toAddress, amount: data.amount, asset: data.asset };
  if (event === "transaction.deposit") keep("chainbell", payment);
  if (event === "transaction.reversed") payments.chainbell.delete(keyOf(payment));
  return 204;
}

// Setting it again changes nothing: both services may send a body twice.
function keep(side, payment) {
  payments[side].set(keyOf(payment), payment);
}

// BitGo's body does not name the receiver: there the hash alone has to do.
function keyOf({ hash, to }) {
  return [hash, ...(OLD === "bitgo" ? [] : [to])].join(" ").toLowerCase();
}

function compare() {
  const onlyIn = (side, other) =>
    [...payments[side]].filter(([key]) => !payments[other].has(key)).map(([, payment]) => payment);
  return {
    both: [...payments.old.keys()].filter((key) => payments.chainbell.has(key)).length,
    only_old: onlyIn("old", "chainbell"),
    only_chainbell: onlyIn("chainbell", "old"),
  };
}

async function answer(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks);
  if (request.url === "/old") return [await takeOld(rawBody, request.headers)];
  if (request.url === "/hook") return [takeChainbell(rawBody, request.headers)];
  if (request.url === "/credits") return [200, [...payments[CREDITS].values()]];
  if (request.url === "/compare") return [200, compare()];
  return [404];
}

const server = createServer((request, response) => {
  answer(request).then(
    ([status, body]) => response.writeHead(status).end(body && JSON.stringify(body)),
    // Both services send again after anything but a 2xx.
    (error) => response.writeHead(500).end(String(error.message)),
  );
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Taking ${OLD} at /old and Chainbell at /hook, port ${server.address().port}`);
});
