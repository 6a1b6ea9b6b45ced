import { z } from "zod";
import type { AuditedFor } from "../../../domain/business/audit.ts";
import { auditOfAdded } from "../../../domain/business/audit-of-added.ts";
import type { BusinessChanges, BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { inSlices } from "../../../domain/in-slices.ts";
import { requireFound, requireId } from "../../../domain/not-found.ts";
import { dataAnswer, dataBody, listAnswer, listBody } from "../../../schema/answers.ts";
import {
  addressField,
  given,
  noQuery,
  pageFields,
  pageOf,
  textField,
} from "../../../schema/fields.ts";
import { parseWallets } from "../../../schema/parse-wallet.ts";
import {
  auditOfThresholds,
  newThresholdOf,
  presentThreshold,
  shownThreshold,
  thresholdsBody,
} from "../../../schema/threshold.ts";
import { presentWalletFields, walletFields, walletFilterFields } from "../../../schema/wallet.ts";
import { ownWalletBody } from "../../../schema/wallet-body.ts";
import { answersWithData } from "../../answers/answers.ts";
import { actorOf, businessOf, keyOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type WalletsDeps = Pick<BusinessLedger, "readWallets" | "readThresholds"> & {
  audited: AuditedFor<Pick<BusinessChanges, "addOwnWallets" | "setThresholds">>;
};

const query = z.strictObject({
  ...walletFilterFields,
  address: addressField.optional(),
  reference: textField.optional(),
  label: textField.optional(),
  ...pageFields,
});

const shown = z.object(walletFields).meta({ id: "Wallet" });

const shownWhole = z
  .object({ ...walletFields, thresholds: z.array(shownThreshold) })
  .meta({ id: "WalletDetail" });

export function walletsRoutes(web: Web, deps: WalletsDeps): void {
  const schema = {
    tags: ["Wallets"],
    summary: "List the wallets",
    querystring: query,
    response: { 200: listAnswer(shown) },
  };
  web.get("/wallets", { schema }, async (request) => {
    const { blockchain, q, limit: _limit, cursor: _cursor, ...others } = request.query;
    const filter = given({ ...others, chainName: blockchain, named: q });
    const businessId = businessOf(request);
    const page = await deps.readWallets({ businessId, ...filter }, pageOf(request.query));
    return listBody(page, presentWalletFields);
  });

  const one = {
    tags: ["Wallets"],
    summary: "One wallet",
    params: z.strictObject({ wallet_id: z.string() }),
    ...answersWithData(shownWhole),
  };
  web.get("/wallets/:wallet_id", { schema: one }, async (request) => {
    const id = requireId(request.params.wallet_id, "wallet_not_found");
    const businessId = businessOf(request);
    const { rows } = await deps.readWallets({ businessId, id }, { limit: 1, afterId: null });
    const wallet = requireFound(rows[0], "wallet_not_found");
    const thresholds = (await deps.readThresholds(wallet.id)).map(presentThreshold);
    return dataBody({ ...presentWalletFields(wallet), thresholds });
  });

  const add = {
    tags: ["Wallets"],
    summary: "Watch an own address, or up to 100, all or none",
    description:
      "With a key that an operator gave the scope `wallets:write`. One wallet as an object answers one; a list under `wallets` answers a list. `address_refused`: the installation does not take the address from a business.",
    querystring: noQuery,
    body: ownWalletBody,
    refuses: [
      "invalid_address",
      "unknown_blockchain",
      "wallet_exists",
      "address_refused",
      "limit_reached",
    ] as const,
    response: { 201: dataAnswer(z.union([shown, z.array(shown)])) },
  };
  web.post("/wallets", { schema: add }, async (request, reply) => {
    const { isList } = request.body;
    const addition = {
      businessId: businessOf(request),
      keyId: keyOf(request),
      wallets: await inSlices(parseWallets(request.body, null)),
    };
    const added = await deps.audited(actorOf(request))("wallet.add", async (ledger) => {
      const output = await ledger.addOwnWallets(addition);
      return { output, entry: auditOfAdded(output, addition.businessId) };
    });
    const all = added.map(presentWalletFields);
    const [first] = all;
    return reply.code(201).send(dataBody(isList || first === undefined ? all : first));
  });
  thresholdsRoute(web, deps);
}

function thresholdsRoute(web: Web, deps: WalletsDeps): void {
  const set = {
    tags: ["Wallets"],
    summary: "Replace the thresholds of a wallet",
    description:
      "With a key that an operator gave the scope `wallets:write`. `wallet.balance_below` and `wallet.balance_restored` notify of the confirmed balance. A balance that is below a new threshold is notified at once. The same list again changes nothing; an empty one ends them.",
    params: z.strictObject({ wallet_id: z.string() }),
    body: thresholdsBody,
    ...answersWithData(z.array(shownThreshold)),
  };
  web.put("/wallets/:wallet_id/thresholds", { schema: set }, async (request) => {
    const walletId = requireId(request.params.wallet_id, "wallet_not_found");
    const thresholds = request.body.thresholds.map(newThresholdOf);
    const setting = { businessId: businessOf(request), walletId, thresholds };
    const { thresholds: now } = await deps.audited(actorOf(request))(
      "wallet.set_thresholds",
      async (ledger) => {
        const output = await ledger.setThresholds(setting);
        const details = { thresholds: auditOfThresholds(thresholds) };
        return { output, entry: { subject: walletId, details } };
      },
    );
    return dataBody(now.map(presentThreshold));
  });
}
