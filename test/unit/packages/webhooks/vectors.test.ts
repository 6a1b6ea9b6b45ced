import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterEach, describe, expect, test, vi } from "vitest";
import { RefusedWebhook } from "../../../../packages/webhooks/src/refusal.ts";
import { verify } from "../../../../packages/webhooks/src/verify.ts";

type Vector = {
  name: string;
  form: "standard" | "plain";
  secrets: string[];
  headers: Record<string, string>;
  body: string;
  nowSec: number;
  toleranceSec: number;
  outcome: string;
};

const file = fileURLToPath(new URL("../../../../packages/webhooks/vectors.json", import.meta.url));
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: Vector[] };
const standard = vectors.filter(({ form }) => form === "standard");

test.each(vectors)("the package: $name: $outcome", (vector) => {
  const { body, headers, secrets, form, toleranceSec, nowSec } = vector;
  const outcome = outcomeOf(() =>
    verify(body, headers, secrets, { form, toleranceSec, nowMs: nowSec * 1_000 }),
  );
  expect(outcome).toBe(vector.outcome);
});

test.each([
  ["a tolerance that is not a number", { toleranceSec: Number.NaN }],
  ["a tolerance without end", { toleranceSec: Number.POSITIVE_INFINITY }],
  ["a negative tolerance", { toleranceSec: -1 }],
  ["a time that is not a number", { nowMs: Number.NaN }],
])("the package refuses %s", (_, options) => {
  const [genuine] = vectors;
  const { body, headers, secrets, nowSec } = genuine as Vector;
  const given = { nowMs: nowSec * 1_000, ...options };
  expect(outcomeOf(() => verify(body, headers, secrets, given))).toBe("malformed_option");
});

// What these libraries are known to see otherwise: they take any secret, and leave the body's form
// to the caller.
const theirOwn = new Set(["weak_secret", "malformed_body"]);

describe.each([
  ["standardwebhooks", (secret: string) => new StandardWebhook(secret)],
  ["svix", (secret: string) => new SvixWebhook(secret)],
] as const)("the public library %s agrees", (_, open) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(standard.filter(({ outcome }) => !theirOwn.has(outcome)))("$name", (vector) => {
    vi.useFakeTimers({ now: vector.nowSec * 1_000 });
    const isAccepted = vector.secrets.some((secret) => {
      try {
        open(secret).verify(vector.body, vector.headers);
        return true;
      } catch {
        return false;
      }
    });
    // Both read the digits at the start of a malformed timestamp and sign those.
    const isMalformed = vector.outcome === "malformed_header";
    expect(isAccepted && !isMalformed).toBe(vector.outcome === "accepted");
  });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython)("the Python receiver agrees with every standard vector", () => {
  const script = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("receiver", sys.argv[1])
receiver = importlib.util.module_from_spec(spec); spec.loader.exec_module(receiver)
wrong = []
for v in json.load(open(sys.argv[2]))["vectors"]:
    if v["form"] != "standard" or v["outcome"] == "malformed_body": continue
    headers = {k.lower(): x for k, x in v["headers"].items()}
    try:
        ok = any(receiver.is_genuine(receiver.key_of(s), headers, v["body"].encode(), v["nowSec"], v["toleranceSec"]) for s in v["secrets"])
    except ValueError:
        ok = False
    if ok != (v["outcome"] == "accepted"): wrong.append(v["name"])
print(json.dumps(wrong))
`;
  const receiver = fileURLToPath(
    new URL("../../../../examples/receivers/python.py", import.meta.url),
  );
  const ended = spawnSync("python3", ["-c", script, receiver, file], { encoding: "utf8" });
  expect([ended.stderr, ended.stdout.trim()]).toEqual(["", "[]"]);
});

function outcomeOf(act: () => unknown): string {
  try {
    act();
    return "accepted";
  } catch (error) {
    if (error instanceof RefusedWebhook) return error.code;
    throw error;
  }
}
