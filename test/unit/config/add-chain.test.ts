import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addChainToFile } from "../../../src/config/edit/add-chain.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { knownTokensOn } from "../../../src/domain/setup/known-tokens.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chainbell-add-chain-"));
  path = join(folder, "chainbell.yaml");
});

afterEach(() => rm(folder, { recursive: true }));

const base = {
  name: "base",
  chainId: 8453,
  rpc: ["https://rpc.example/v1?key=a#b", "wss://rpc.example"],
  tokens: knownTokensOn(8453).filter(({ code }) => code === "USDC"),
};

/** Values that YAML's own types would change: long numbers, octal ones, and hexadecimal ones. */
const existing = `# what we watch
chains:
  - name: ethereum # the first
    chain_id: 1
    rpc: [ https://rpc.example ]
    genesis_hash: 0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3
    assets:
      - { code: USDC, address: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48, decimals: 6 }
      - code: T1
        address: 0x0000000000085d4780B73119b644AE5ecd22b376
        decimals: 018
        price: { usd: 0.12345678901234567890 }
`;

test("a chain is added after what the file has, of which nothing changes", async () => {
  await writeFile(path, existing);
  expect(await addChainToFile(path, base)).toBe(false);
  const text = await readFile(path, "utf8");
  expect(text.slice(0, existing.length)).toBe(existing);
  const { chains } = await loadConfig({}, folder);
  expect(chains.map(({ name, assets }) => [name, assets.map(({ address }) => address)])).toEqual([
    [
      "ethereum",
      ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "0x0000000000085d4780b73119b644ae5ecd22b376"],
    ],
    ["base", ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"]],
  ]);
  expect(chains[1]).toMatchObject({ chainId: 8453, rpcUrls: base.rpc });
});

test.each(["", "# nothing yet\n", "chains:\n", "chains: []\n", "queue: postgres\n"])(
  "a chain is added to a file without chains: %j",
  async (text) => {
    await writeFile(path, text);
    await addChainToFile(path, base);
    const { chains } = await loadConfig({}, folder);
    expect(chains.map(({ name }) => name)).toEqual(["base"]);
  },
);

test.each([
  ["- ethereum\n", "it is not a map of keys"],
  ["chains: ethereum\n", "`chains` is not a list"],
  ["chains: [\n", "it is not YAML"],
  ["chains:\n  - { name: base, chain_id: 1 }\n", "it has a chain 'base' already"],
  ["chains:\n  - { name: b, chain_id: '8453' }\n", "it has a chain with the id 8453 already"],
])("a file that takes no chain is left as it is: %j", async (text, why) => {
  await writeFile(path, text);
  await expect(addChainToFile(path, base)).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining(why),
  });
  expect(await readFile(path, "utf8")).toBe(text);
  expect(await readdir(folder)).toEqual(["chainbell.yaml"]);
});

test("a new file is its owner's alone, and an existing one keeps its rights", async () => {
  expect(await addChainToFile(path, base)).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o644);
  await addChainToFile(path, { ...base, name: "other", chainId: 10 });
  expect((await stat(path)).mode & 0o777).toBe(0o644);
});

test("a new file names the schema where that is beside it, and nowhere else", async () => {
  const isNamed = async () => (await readFile(path, "utf8")).includes("chainbell.schema.json");
  await addChainToFile(path, base);
  expect(await isNamed()).toBe(false);
  await rm(path);
  await writeFile(join(folder, "chainbell.schema.json"), "{}");
  await addChainToFile(path, base);
  expect(await isNamed()).toBe(true);
});

test("a link to the file stays a link, and the file that it names is changed", async () => {
  const link = join(folder, "link.yaml");
  await writeFile(path, "chains: []\n");
  await symlink(path, link);
  await addChainToFile(link, base);
  expect(await readFile(path, "utf8")).toContain("name: base");
  expect((await readdir(folder)).toSorted()).toEqual(["chainbell.yaml", "link.yaml"]);
});
