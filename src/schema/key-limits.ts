import { isIP } from "node:net";
import { z } from "zod";
import { type KeyLimits, type KeyScope, keyScopes } from "../domain/business/api-key.ts";
import { fieldProblems } from "../domain/field-problem.ts";
import { keysOf } from "../domain/keys-of.ts";
import { invalidField } from "../domain/text.ts";

/** The limits that a request asks for a new key. */
export type LimitsInput = {
  scopes: readonly string[] | undefined;
  networks: readonly string[] | undefined;
  expiresAt: string | undefined;
  /** Only requests of operators have it. */
  maxWallets: number | undefined;
};

const newKey = z
  .strictObject({
    label: z.string("expected a text").optional(),
    scopes: z.array(z.string("expected a text"), "expected a list").optional(),
    networks: z.array(z.string("expected a text"), "expected a list").optional(),
    expires_at: z.string("expected a time such as 2027-01-31T00:00:00Z").optional(),
  })
  .meta({ id: "KeyToCreate" });

/** The body of a business's request. All of it may be left out, since a key needs no label. */
export const newKeyBody = newKey.nullish();

const mostWallets = 1_000_000;
const walletsRule = `expected a whole number from 1 to ${mostWallets}`;

/** The body of an operator's request, which may also grant `wallets:write`. */
export const grantedKeyBody = z
  .strictObject({
    ...newKey.shape,
    max_wallets: z
      .int(walletsRule)
      .min(1, walletsRule)
      .max(mostWallets, walletsRule)
      .optional()
      .meta({
        description:
          "The most wallets that the business may have after the key added some. It goes with the scope `wallets:write`.",
      }),
  })
  .meta({ id: "KeyToGrant" })
  .nullish();

const mostNetworks = 50;

/** @throws Fault `invalid_request` with the field; an expiry that is over at `nowMs` is refused */
export function checkLimits(input: LimitsInput, nowMs: number): KeyLimits {
  const { scopes = [], networks = [], expiresAt, maxWallets } = input;
  if (networks.length > mostNetworks) {
    const word = { code: "too_many" as const, values: { most: mostNetworks } };
    throw invalidField("networks", `must have at most ${mostNetworks} blocks`, word);
  }
  const known = [...new Set(scopes)].map(toScope);
  if (known.includes("wallets:write") !== (maxWallets !== undefined)) {
    throw invalidField(
      "scopes",
      "must have wallets:write where max_wallets is given, and only there: give both or neither",
    );
  }
  return {
    maxWallets: maxWallets ?? null,
    scopes: known,
    networks: networks.map(toNetwork),
    expiresAt: expiresAt === undefined ? null : toTime(expiresAt, nowMs),
  };
}

function toScope(word: string): KeyScope {
  const scope = keysOf(keyScopes).find((known) => known === word);
  if (scope !== undefined) return scope;
  throw invalidField("scopes", `expected any of: ${keysOf(keyScopes).join(", ")}`);
}

function toNetwork(text: string): string {
  const [base = "", bits = "", ...more] = text.split("/");
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(base)] ?? -1;
  const isBlock = /^\d{1,3}$/.test(bits) && Number(bits) <= longest && more.length === 0;
  if (isBlock) return text;
  throw invalidField("networks", fieldProblems.network.rule);
}

const isoTime = z.iso.datetime({ offset: true });

function toTime(text: string, nowMs: number): Date {
  if (!isoTime.safeParse(text).success) throw invalidField("expires_at", fieldProblems.time.rule);
  const time = new Date(text);
  if (time.getTime() <= nowMs) throw invalidField("expires_at", "must be a time that is to come");
  return time;
}

/** The limits of a key, for the audit trail. */
export function presentLimits({ scopes, networks, expiresAt, maxWallets }: KeyLimits): object {
  return {
    ...(maxWallets === null ? {} : { maxWallets }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(networks.length === 0 ? {} : { networks }),
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
  };
}
