import { ponder } from "ponder:registry";
import { transfer } from "ponder:schema";

const webhook = process.env["BENCH_WEBHOOK_URL"];

ponder.on("Token:Transfer", async ({ event, context }) => {
  await context.db.insert(transfer).values({
    id: event.id,
    from: event.args.from,
    to: event.args.to,
    amount: event.args.value,
    txHash: event.transaction.hash,
    blockNumber: event.block.number,
  });
  if (webhook === undefined) return;
  const { to, value } = event.args;
  const payment = { txHash: event.transaction.hash, to, amount: String(value) };
  const headers = { "content-type": "application/json" };
  await fetch(webhook, { method: "POST", headers, body: JSON.stringify(payment) });
});
