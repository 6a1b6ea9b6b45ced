import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/domain/fault.ts";
import { createLogger } from "../../../src/runtime/logger.ts";
import { createRedaction, secretsOfUrl } from "../../../src/runtime/redaction.ts";

const password = 'p@ss/"w ö&rd';
const encoded = encodeURIComponent(password);

function logged(secrets: string[], fields: object): string {
  let lines = "";
  const destination = {
    write(line: string) {
      lines += line;
    },
  };
  const log = createLogger({ level: "debug", destination, redaction: createRedaction(secrets) });
  log.error(fields, "daemon.failed");
  return lines;
}

describe("what is secret in a URL", () => {
  it.each([
    [`postgres://chainbell:${encoded}@db:5432/chainbell?sslmode=require`, [encoded]],
    [
      `postgres://chainbell:${encoded}@db-a:5432,db-b:5433/chainbell?sslmode=require&password=${encoded}`,
      [encoded, password],
    ],
    ["postgres://chainbell:a,b@[::1]:5432,db-b/chainbell", ["a,b"]],
    ["redis://:hunter2@cache:6379", ["hunter2"]],
    [
      "https://mainnet.example.io/v3/0123456789abcdef0123456789abcdef",
      ["0123456789abcdef0123456789abcdef"],
    ],
    ["https://rpc.example/eth?apikey=short", ["short"]],
    ["https://0123456789abcdef@rpc.example/eth", ["0123456789abcdef"]],
    ["wss://arb.example/arbitrum-mainnet", []],
  ])("of %s", (url, expected) => {
    const found = secretsOfUrl(url);
    for (const secret of expected) expect(found).toContain(secret);
    if (expected.length === 0) expect(found).toEqual([]);
    for (const word of ["chainbell", "require", "v3", "eth"]) expect(found).not.toContain(word);
  });
});

describe("a log line", () => {
  const secrets = [password, "0123456789abcdef"];

  it("has a known secret in no form and at no depth", () => {
    const line = logged(secrets, {
      plain: `it was ${password}`,
      inUrl: encoded,
      nested: { list: [{ text: JSON.stringify({ password }) }] },
      [`name-0123456789abcdef`]: 1,
    });
    expect(line).not.toContain("0123456789abcdef");
    expect(line).not.toContain("w ö&rd");
    expect(line).not.toContain(encoded);
    expect(JSON.parse(line)).toMatchObject({ plain: "it was [redacted]" });
  });

  it("has the scheme and the host of a URL, and nothing else of it", () => {
    const line = logged([], {
      url: "https://user:word@rpc.example:8545/v2/k?apikey=k#k, and more",
    });
    expect(JSON.parse(line).url).toBe("https://rpc.example:8545 and more");
  });

  it("has of an error what may be read, and no field that a library added", () => {
    const cause = Object.assign(new Error("Connection is closed."), {
      code: "ECONNRESET",
      command: { name: "auth", args: ["default", "a-password"] },
      input: "redis://:a-password@cache",
      detail: "Key (secret)=(a-password) already exists.",
      meta: { driver: "a-password" },
    });
    const error = new Error("The queue is out of reach.", { cause });
    const line = logged([], { error, queue: new AggregateError([cause], "all") });
    expect(line).not.toContain("a-password");
    expect(JSON.parse(line).error).toMatchObject({
      type: "Error",
      message: "The queue is out of reach.",
      cause: { code: "ECONNRESET", message: "Connection is closed." },
    });
  });

  it("has nothing of the arguments that Redis repeats, also where it cuts them off", () => {
    const message = `ERR unknown command 'AUTH', with args beginning with: 'default' '${"x".repeat(100)}`;
    expect(logged([], { error: new Error(message) })).not.toContain("xxx");
  });

  it("has no frames of a Fault, unless it is a defect, and those of its cause", () => {
    const stackOf = (error: unknown) => JSON.parse(logged([], { error })).error;
    const cause = new Error("refused");
    const known = stackOf(new Fault("rpc_unavailable", "No answer.", { cause }));
    expect(known).not.toHaveProperty("stack");
    expect(known.cause).toHaveProperty("stack");
    expect(stackOf(new Fault("invariant_broken", "Never."))).toHaveProperty("stack");
  });

  it("keeps the frames of a stack", () => {
    const { stack } = JSON.parse(logged([], { error: new Error("x") })).error;
    expect(stack).toContain("redaction.test.ts");
  });
});
