// A business with a wallet and a webhook, and a payment to it every few seconds. With every start
// another business.
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const api = "http://chainbell:3000";
const administration = "http://chainbell:3002/admin";
const [token] = (env.CHAINBELL_ADMIN_TOKENS ?? "").split(",");
const operator = { authorization: `Bearer ${token.slice(token.indexOf(":") + 1)}` };

// As the first process of its container it gets no signal that it does not ask for.
process.on("SIGTERM", () => process.exit(0));

/** Nobody holds its key. */
const wallet = `0x${Date.now().toString(16).padStart(40, "0")}`;
const [payer] = await rpc("eth_accounts");

const business = await post(`${administration}/businesses`, operator, {
  name: "Demo Ltd",
  verified: true,
});
const { key } = await post(`${administration}/businesses/${business.id}/api-keys`, operator, {});
const wallets = [{ blockchain: "anvil", address: wallet }];
await post(`${administration}/businesses/${business.id}/wallets`, operator, { wallets });
await post(`${api}/webhooks`, { "x-api-key": key }, { url: "http://receiver:8080/hook" });
process.stdout.write(`A payment to ${wallet} every few seconds. The business's key: ${key}\n`);

for (let paid = 1n; ; paid += 1n) {
  const value = `0x${(paid * 10n ** 15n).toString(16)}`;
  await rpc("eth_sendTransaction", { from: payer, to: wallet, value });
  await sleep(3_000);
}

async function post(url, headers, body) {
  const init = { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, {
    ...init,
    headers: { ...headers, "content-type": "application/json" },
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${url} answered ${JSON.stringify(answer)}`);
  return answer.data;
}

async function rpc(method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch("http://anvil:8545", { method: "POST", headers, body });
  const { result, error } = await response.json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}
