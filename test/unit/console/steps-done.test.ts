import { expect, test } from "vitest";
import { stepsDone } from "../../../console/src/pages/overview/steps-done.ts";

type Facts = Parameters<typeof stepsDone>[0];

const key: Facts["keys"][number] = { scopes: [], networks: [], expires_at: null, revoked_at: null };
const limited = { ...key, networks: ["198.51.100.0/28"] };
const nothing: Facts = { wallets: 0, webhooks: [], keys: [], people: ["till"] };
const at = "2026-01-31T12:00:00.000Z";

test.each<[string, Partial<Facts>, string[]]>([
  ["nothing at first", {}, []],
  ["a wallet is watched", { wallets: 1 }, ["wallet"]],
  ["a webhook is registered", { webhooks: [{ last_success_at: null }] }, ["webhook"]],
  ["it has answered", { webhooks: [{ last_success_at: at }] }, ["webhook", "delivered"]],
  [
    "one of several has answered",
    { webhooks: [{ last_success_at: null }, { last_success_at: at }] },
    ["webhook", "delivered"],
  ],
  ["a second key is there", { keys: [key, key] }, ["people"]],
  ["a revoked key is nobody's", { keys: [key, { ...limited, revoked_at: at }] }, []],
  ["an expired key is nobody's", { keys: [key, { ...limited, expires_at: at }] }, []],
  ["somebody else has signed in", { people: ["till", "ana"] }, ["people"]],
  ["the same person has signed in twice", { people: ["till", "till"] }, []],
  ["a key is limited", { keys: [limited] }, ["limited"]],
])("first steps: %s", (_said, facts, done) => {
  expect([...stepsDone({ ...nothing, ...facts })]).toEqual(done);
});
