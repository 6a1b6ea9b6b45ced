// How five services sign their webhooks, and which payments their bodies name. docs/moving explains the fields.
import { createHmac, timingSafeEqual, verify } from "node:crypto";

/** A payment here: `id` is the sender's own for it, `chain` the sender's name of the network. */

export function hmac(secret, rawBody) {
  return createHmac("sha256", secret).update(rawBody).digest("hex");
}

export function isSame(given, expected) {
  const [one, other] = [Buffer.from(String(given ?? "")), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

// Exact: an amount never passes through a float.
function decimal(atomic, decimals) {
  const digits = BigInt(atomic)
    .toString()
    .padStart(Number(decimals) + 1, "0");
  const point = digits.length - Number(decimals);
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

const alchemy = {
  isGenuine: (rawBody, headers, { secret }) =>
    isSame(headers["x-alchemy-signature"], hmac(secret, rawBody)),
  // A null value is an NFT. `removed`: its block has left the chain.
  payments: ({ event }) =>
    event.activity
      .filter(({ value }) => value !== null && value !== 0)
      .map(({ hash, toAddress, rawContract, log, blockNum, typeTraceAddress }) => ({
        id: [hash, log?.blockHash ?? blockNum, log?.logIndex ?? typeTraceAddress].join(" "),
        chain: event.network,
        hash,
        to: toAddress,
        amount: decimal(rawContract.rawValue, rawContract.decimals),
        isUndone: log?.removed === true,
      })),
};

const moralis = {
  // Keccak of the body and the secret: node:crypto does not have it, viem does.
  isGenuine: async (rawBody, headers, { secret }) => {
    const { keccak256 } = await import("viem");
    const expected = keccak256(Buffer.concat([rawBody, Buffer.from(secret)]));
    return isSame(headers["x-signature"], expected);
  },
  payments: ({ confirmed, chainId, erc20Transfers = [], txs = [], txsInternal = [] }) => {
    if (!confirmed) return [];
    const tokens = erc20Transfers.map(({ transactionHash: hash, logIndex, to, ...token }) => ({
      id: `${hash} log ${logIndex}`,
      chain: chainId,
      hash,
      to,
      amount: decimal(token.value, token.tokenDecimals),
    }));
    const coins = txs
      .filter(({ receiptStatus, value }) => receiptStatus === "1" && value !== "0")
      .map(({ hash, toAddress: to, value }) => ({
        id: hash,
        chain: chainId,
        hash,
        to,
        amount: decimal(value, 18),
      }));
    const insides = txsInternal.map(({ transactionHash: hash, to, value }, place) => ({
      id: `${hash} internal ${place}`,
      chain: chainId,
      hash,
      to,
      amount: decimal(value, 18),
    }));
    return [...tokens, ...coins, ...insides];
  },
};

const bitgo = {
  isGenuine: (rawBody, headers, { secret }) =>
    isSame(headers["x-signature-sha256"], hmac(secret, rawBody)),
  // The body names the transfer alone. BitGo's API has its addresses and amounts.
  payments: ({ type, state, coin, hash, transfer }) =>
    type === "transfer" && state === "confirmed" ? [{ id: transfer, chain: coin, hash }] : [],
};

const circleKeys = new Map();

const circle = {
  isGenuine: async (rawBody, headers, old) => {
    const key = await circleKey(String(headers["x-circle-key-id"] ?? ""), old);
    if (key === undefined) return false;
    const signature = Buffer.from(String(headers["x-circle-signature"] ?? ""), "base64");
    return verify("sha256", rawBody, { key, format: "der", type: "spki" }, signature);
  },
  payments: ({ notificationType, notification }) =>
    notificationType === "transactions.inbound" && notification.state === "COMPLETE"
      ? [
          {
            id: notification.id,
            chain: notification.blockchain,
            hash: notification.txHash,
            to: notification.destinationAddress,
            amount: notification.amounts[0],
          },
        ]
      : [],
};

// A key never changes under its id, so it is asked for once. Here the secret is the API key.
async function circleKey(id, { secret, api }) {
  if (!/^[0-9a-f-]{36}$/i.test(id)) return undefined;
  if (!circleKeys.has(id)) {
    const response = await fetch(
      `${api ?? "https://api.circle.com"}/v2/notifications/publicKey/${id}`,
      {
        headers: { authorization: `Bearer ${secret}` },
      },
    );
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`Circle answers ${response.status} for a key.`);
    circleKeys.set(id, Buffer.from((await response.json()).data.publicKey, "base64"));
  }
  return circleKeys.get(id);
}

const btcpay = {
  isGenuine: (rawBody, headers, { secret }) =>
    isSame(headers["btcpay-sig"], `sha256=${hmac(secret, rawBody)}`),
  payments: ({ type, payment, ...method }) =>
    type === "InvoicePaymentSettled"
      ? [
          {
            id: payment.id,
            chain: method.paymentMethodId ?? method.paymentMethod,
            hash: /0x[0-9a-f]{64}/i.exec(payment.id)?.[0] ?? payment.id,
            to: payment.destination,
            amount: payment.value,
          },
        ]
      : [],
};

export const services = { alchemy, moralis, bitgo, circle, btcpay };
