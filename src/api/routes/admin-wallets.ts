import { z } from "zod";
import { maxWalletsPerCall } from "../../domain/wallet.ts";
import { pageFields } from "../fields.ts";
import type { Web } from "../web.ts";
import { type Listed, listBody, noQuery, type PageInput, pageInput } from "./admin-lists.ts";

type WalletInput = z.output<typeof wallet>;

export type AdminWalletsDeps = {
  addWallets: (input: {
    businessId: string;
    wallets: WalletInput[];
    isList: boolean;
  }) => Promise<object[]>;
  removeWallet: (id: string) => Promise<object>;
  listWallets: (input: PageInput & { businessId?: string }) => Promise<Listed>;
};

/** Ten thousand wallets with long labels and references. */
const maxBodyBytes = 16 * 1024 * 1024;

const text = z.string("expected a text");

const wallet = z.strictObject({
  blockchain: text,
  address: text,
  purpose: text.default("deposit"),
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

/** Which of the two forms a body has is told by its `wallets`, so that a fault is one of the form that was meant. */
const addBody = z.unknown().transform((body, context): z.output<typeof many> | WalletInput => {
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
});

export function adminWalletsRoutes(web: Web, deps: AdminWalletsDeps): void {
  const addition = {
    schema: { params, body: addBody, querystring: noQuery },
    bodyLimit: maxBodyBytes,
  };
  web.post("/businesses/:id/wallets", addition, async (request, reply) => {
    const { body } = request;
    const isList = "wallets" in body;
    const wallets = isList ? body.wallets : [body];
    const added = await deps.addWallets({ businessId: request.params.id, wallets, isList });
    return reply.code(201).send({ success: true, data: isList ? added : added[0] });
  });

  const list = { params, querystring: z.strictObject(pageFields) };
  web.get("/businesses/:id/wallets", { schema: list }, async (request) => {
    const page = pageInput(request.query);
    return listBody(await deps.listWallets({ ...page, businessId: request.params.id }));
  });

  const schema = { params, querystring: noQuery };
  web.delete("/wallets/:id", { schema }, async (request) => ({
    success: true,
    data: await deps.removeWallet(request.params.id),
  }));
}
