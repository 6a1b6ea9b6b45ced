import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { RefusedWebhook } from "../../../../packages/webhooks/src/refusal.ts";
import { verify } from "../../../../packages/webhooks/src/verify.ts";
import { hasGo, hasPython } from "../../../support/process/languages.ts";

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

const receiver = (name: string) =>
  fileURLToPath(new URL(`../../../../examples/receivers/${name}`, import.meta.url));

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
  const args = ["-c", script, receiver("python.py"), file];
  const ended = spawnSync("python3", args, { encoding: "utf8" });
  expect([ended.stderr, ended.stdout.trim()]).toEqual(["", "[]"]);
});

test.skipIf(!hasGo)("the Go receiver agrees with every standard vector", () => {
  const script = `package main

import ("encoding/json"; "net/http"; "os"; "testing"; "time")

func TestVectors(t *testing.T) {
	text, _ := os.ReadFile(os.Getenv("VECTORS"))
	var file struct { Vectors []struct {
		Name, Form, Body, Outcome string
		Secrets []string
		Headers map[string]string
		NowSec int64
	} }
	if err := json.Unmarshal(text, &file); err != nil { t.Fatal(err) }
	for _, v := range file.Vectors {
		if v.Form != "standard" || v.Outcome == "malformed_body" { continue }
		headers, ok := http.Header{}, false
		for name, value := range v.Headers { headers.Set(name, value) }
		for _, secret := range v.Secrets {
			key, err := keyOf(secret)
			ok = ok || err == nil && isGenuine(key, headers, []byte(v.Body), time.Unix(v.NowSec, 0))
		}
		if ok != (v.Outcome == "accepted") { t.Error(v.Name) }
	}
}
`;
  const cwd = mkdtempSync(join(tmpdir(), "chainbell-vectors-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  copyFileSync(receiver("go.go"), join(cwd, "go.go"));
  writeFileSync(join(cwd, "vectors_test.go"), script);
  const options = { cwd, encoding: "utf8", env: { ...process.env, VECTORS: file } } as const;
  const ended = spawnSync("go", ["test", "go.go", "vectors_test.go"], options);
  expect([ended.status, ended.stderr], ended.stdout).toEqual([0, ""]);
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
