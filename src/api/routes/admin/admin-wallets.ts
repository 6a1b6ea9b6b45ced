import { z } from "zod";
import { maxWalletsPerCall } from "../../../domain/watch/wallet.ts";
import { dataAnswer, listAnswer } from "../../../schema/answers.ts";
import { pageFields } from "../../../schema/fields.ts";
import { answers } from "../../answers/answers.ts";
import type { Acting } from "../../auth/administrator.ts";
import type { Web } from "../../http/web.ts";
import { removedWallet, requestedHistory, shownWallet } from "./admin-answers.ts";
import { type Listed, listBody, noQuery, type PageInput, pageInput } from "./admin-lists.ts";

type WalletInput = z.output<typeof wallet>;
type Shown = z.output<typeof shownWallet>;

export type AdminWalletsDeps = {
  addWallets: (input: {
    businessId: string;
    wallets: WalletInput[];
    isList: boolean;
  }) => Promise<Shown[]>;
  backfillWallet: (input: {
    walletId: string;
    fromBlock: number;
  }) => Promise<z.output<typeof requestedHistory>>;
  removeWallet: (id: string) => Promise<z.output<typeof removedWallet>>;
  listWallets: (input: PageInput & { businessId?: string }) => Promise<Listed<Shown>>;
};

/** Ten thousand wallets with long labels and references. */
const maxBodyBytes = 16 * 1024 * 1024;

const text = z.string("expected a text");

const blockNumber = z.int("expected a block number").min(0, "expected a block number");

const wallet = z.strictObject({
  blockchain: text,
  address: text,
  purpose: text.default("deposit"),
  from_block: blockNumber.nullable().default(null),
  reference: text.nullable().default(null),
  label: text.nullable().default(null),
});

const many = z.strictObject({
  wallets: z
    .array(wallet, "expected a list")
    .min(1, "expected at least one")
    .max(maxWalletsPerCall, `expected at most ${maxWalletsPerCall}`),
});

const params = z.strictObject({ id: z.string() });

function parseAddition(
  body: unknown,
  context: z.core.$RefinementCtx,
): z.output<typeof many> | WalletInput {
  const isMany = typeof body === "object" && body !== null && "wallets" in body;
  const parsed = (isMany ? many : wallet).safeParse(body);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const keys = issue.code === "unrecognized_keys" ? issue.keys : [];
    const refuse = (path: PropertyKey[], message: string) =>
      context.issues.push({ code: "custom", path, message, input: body });
    for (const key of keys) refuse([...issue.path, key], "unknown field");
    if (keys.length === 0) refuse(issue.path, issue.message);
  }
  return z.NEVER;
}

/** As JSON Schema, inside another one. */
function described(schema: z.ZodType) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: "input" });
  return described;
}

/** Which of the two forms a body has is told by its `wallets`, so that a fault is one of the form that was meant. */
const addBody = z
  .unknown()
  .transform(parseAddition)
  .meta({ oneOf: [described(wallet), described(many)] });

const tags = ["Administration: wallets"];

export function adminWalletsRoutes(web: Web, commandsOf: Acting<AdminWalletsDeps>): void {
  const addition = {
    schema: {
      tags,
      summary: "Watch one wallet, or up to 10,000, all or none",
      description: "One wallet as an object answers one; a list under `wallets` answers a list.",
      params,
      body: addBody,
      querystring: noQuery,
      response: answers({ 201: dataAnswer(z.union([shownWallet, z.array(shownWallet)])) }),
    },
    bodyLimit: maxBodyBytes,
  };
  web.post("/businesses/:id/wallets", addition, async (request, reply) => {
    const { body } = request;
    const isList = "wallets" in body;
    const wallets = isList ? body.wallets : [body];
    const businessId = request.params.id;
    const added = await commandsOf(request).addWallets({ businessId, wallets, isList });
    const data = isList ? added : (added[0] ?? []);
    return reply.code(201).send({ success: true, data });
  });

  const list = {
    tags,
    summary: "List a business's watched wallets",
    params,
    querystring: z.strictObject(pageFields),
    response: answers({ 200: listAnswer(shownWallet) }),
  };
  web.get("/businesses/:id/wallets", { schema: list }, async (request) => {
    const page = pageInput(request.query);
    const businessId = request.params.id;
    return listBody(await commandsOf(request).listWallets({ ...page, businessId }));
  });

  const backfill = {
    tags,
    summary: "Fill a wallet's history in from a block on",
    description: "Behind the head: it moves no balance and notifies nobody. Safe to repeat.",
    params,
    body: z.strictObject({ from_block: blockNumber }),
    querystring: noQuery,
    response: answers({ 202: dataAnswer(requestedHistory) }),
  };
  web.post("/wallets/:id/backfill", { schema: backfill }, async (request, reply) => {
    const { from_block: fromBlock } = request.body;
    const input = { walletId: request.params.id, fromBlock };
    const data = await commandsOf(request).backfillWallet(input);
    return reply.code(202).send({ success: true as const, data });
  });

  const removal = {
    tags,
    summary: "Watch a wallet no more; its history stays",
    params,
    querystring: noQuery,
    response: answers({ 200: dataAnswer(removedWallet) }),
  };
  web.delete("/wallets/:id", { schema: removal }, async (request) => ({
    success: true as const,
    data: await commandsOf(request).removeWallet(request.params.id),
  }));
}
