import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkKey } from "../../src/ledger/installation/key-check.ts";
import { type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { openDatabase } from "../support/ledger/database.ts";
import { databaseUrl } from "../support/ledger/databases.ts";
import { createTestDatabase, type TestDatabase } from "../support/ledger/postgres.ts";
import { runProgram } from "../support/process/daemon.ts";
import { freePort } from "../support/process/free-port.ts";
import { runVerb } from "../support/process/run-cli.ts";

const encryptionKey = Buffer.alloc(32, 7).toString("base64");

describe("a daemon that is set up wrongly says so in one sentence, with status 1", () => {
  let folder: string;
  let anvil: Anvil;
  let database: TestDatabase;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "chainbell-bad-"));
    anvil = await startAnvil({});
    database = await createTestDatabase();
    await configure(31_337);
  });

  afterEach(async () => {
    await database.drop();
    await anvil.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const configure = (chainId: number) =>
    writeFile(
      join(folder, "chainbell.yaml"),
      JSON.stringify({
        queue: "postgres",
        chains: [
          { name: "anvil", chain_id: chainId, rpc: [anvil.rpcUrl], native_asset: { code: "ETH" } },
        ],
      }),
    );
  const environment = (others: Record<string, string> = {}) => ({
    CHAINBELL_CONFIG: join(folder, "chainbell.yaml"),
    DATABASE_URL: database.url,
    CHAINBELL_ENCRYPTION_KEY: encryptionKey,
    PORT: "0",
    ...others,
  });
  const sentences = (stderr: string) =>
    stderr
      .trim()
      .split("\n")
      .filter((line) => line.startsWith("chainbell: "));

  it("with another encryption key than the database was used with", async () => {
    const db = openDatabase({ databaseUrl: database.url, poolSize: 1 });
    await checkKey(db, { checks: ["that of another key"], keeps: true, opens: () => {} });
    await db.$disconnect();
    const { status, stderr } = await runProgram("main", [], environment());
    expect(status).toBe(1);
    expect(sentences(stderr)).toEqual([
      expect.stringContaining("CHAINBELL_ENCRYPTION_KEY is not the key"),
    ]);
  });

  it("without any configuration in production, naming each missing thing", async () => {
    const { status, stderr } = await runProgram("main", [], {
      NODE_ENV: "production",
      CHAINBELL_CONFIG: join(folder, "nothing.yaml"),
    });
    expect(status).toBe(1);
    for (const name of ["DATABASE_URL", "CHAINBELL_ENCRYPTION_KEY", "CHAINBELL_CONFIG"])
      expect(stderr).toContain(name);
    expect(sentences(stderr)).toHaveLength(1);
  });

  it("with credentials or a database name that PostgreSQL refuses, without printing the password", async () => {
    const url = new URL(database.url);
    url.username = "nobody";
    url.password = "topsecret";
    for (const wrong of [url.href, databaseUrl(database.url, "no_such_database")]) {
      const { status, stderr, stdout } = await runProgram(
        "main",
        [],
        environment({ DATABASE_URL: wrong }),
      );
      expect([status, sentences(stderr)[0]]).toEqual([1, expect.stringContaining("DATABASE_URL")]);
      expect(stdout + stderr).not.toContain("topsecret");
    }
  });

  it("with an endpoint of another chain than configured, and applies nothing of it", async () => {
    await configure(1);
    const { status, stderr, stdout } = await runProgram("main", [], environment());
    expect([status, sentences(stderr)]).toEqual([
      1,
      [expect.stringContaining("chain_id 1, but an endpoint serves chain 31337")],
    ]);
    expect(stdout).not.toContain("configuration.applied");
    // A chain that was applied keeps its id: only one that was not can be corrected.
    await configure(31_337);
    const applied = await runVerb(["config", "apply"], environment());
    expect([applied.status, applied.stdout]).toEqual([
      0,
      expect.stringContaining("the chain is added"),
    ]);
  });

  it("with a port that is in use", async () => {
    const port = await freePort();
    const holder = createServer().listen(port, "127.0.0.1");
    try {
      const taken = environment({ PORT: String(port) });
      const { status, stderr, stdout } = await runProgram("main", [], taken);
      expect([status, sentences(stderr)]).toEqual([
        1,
        [
          `chainbell: Cannot listen on 127.0.0.1:${port}: another process uses the port. Stop that process, or set PORT to another port.`,
        ],
      ]);
      expect(stdout).toContain('"code":"port_in_use"');
      expect(stdout).not.toContain('"stack"');
    } finally {
      await new Promise((resolve) => holder.close(resolve));
    }
  });

  it("and a command says 75 where the database is out of reach", async () => {
    const port = await freePort();
    const dead = `postgresql://chainbell:x@127.0.0.1:${port}/chainbell`;
    const { status, stderr } = await runProgram(
      "cli",
      ["business", "list"],
      environment({ DATABASE_URL: dead }),
    );
    expect(status).toBe(75);
    expect(stderr).toBe(
      `chainbell: The database is out of reach. Cause: connect ECONNREFUSED 127.0.0.1:${port}.\n`,
    );
  });

  it("and wallet add refuses an unknown blockchain and a bad address, adding nothing", async () => {
    const cli = async (...args: string[]) => {
      const result = await runVerb([...args, "--json"], environment());
      return { status: result.status, answer: JSON.parse(result.stdout) };
    };
    expect((await cli("config", "apply")).status).toBe(0);
    const { answer } = await cli("business", "create", "--name", "Acme", "--verified");
    const add = (blockchain: string, address: string) =>
      cli(
        "wallet",
        "add",
        "--business",
        answer.data.id,
        "--blockchain",
        blockchain,
        "--address",
        address,
      );
    const good = "0x00000000000000000000000000000000000A11cE";
    const wrongChecksum = "0x00000000000000000000000000000000000a11CE";
    expect(await add("dogecoin", good)).toMatchObject({
      status: 1,
      answer: { success: false, error: { code: "unknown_blockchain" } },
    });
    for (const bad of ["0x12", wrongChecksum, "hello"]) {
      expect(await add("anvil", bad)).toMatchObject({
        status: 1,
        answer: { success: false, error: { code: "invalid_address" } },
      });
    }
    expect((await cli("wallet", "list", "--business", answer.data.id)).answer.data).toEqual([]);
    expect(await add("anvil", good)).toMatchObject({ status: 0, answer: { success: true } });
  });
});
