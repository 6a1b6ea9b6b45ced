import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inCheckout } from "../checkout.ts";

const run = promisify(execFile);

type Api = { url: string; headers: Record<string, string> };

/** A generator, and a program that uses what it made: `ask` answers the same object whichever generator it was. */
type Generator = { generate: (folder: string, api: Api) => Promise<unknown>; program: string };

const bin = (name: string) => inCheckout("test", "node_modules", ".bin", name);
const described = (folder: string) => join(folder, "openapi.json");

export const generators: Readonly<Record<string, Generator>> = {
  "openapi-typescript": {
    generate: (folder) =>
      run(bin("openapi-typescript"), [described(folder), "--output", join(folder, "client.ts")]),
    program: `
import createClient from "openapi-fetch";
import type { paths } from "./client";

async function ask(baseUrl: string, headers: Record<string, string>) {
  const client = createClient<paths>({ baseUrl, headers });
  const balance = await client.GET("/balance");
  const wallets = await client.GET("/wallets", { params: { query: { limit: 1 } } });
  const refused = await client.POST("/webhooks", { body: { url: "no url" } });
  return {
    holdings: balance.data?.holdings,
    wallets: wallets.data?.data.map((wallet) => wallet.blockchain),
    refused: refused.error?.error.code,
  };
}`,
  },
  "hey-api": {
    generate: (folder) =>
      run(bin("openapi-ts"), [
        ...["--input", described(folder), "--output", join(folder, "client")],
        ...["--client", "@hey-api/client-fetch", "--silent"],
      ]),
    program: `
import { client } from "./client/client.gen";
import { createWebhook, getBalance, listWallets } from "./client/sdk.gen";

async function ask(baseUrl: string, headers: Record<string, string>) {
  client.setConfig({ baseUrl, headers });
  const balance = await getBalance({ throwOnError: true });
  const wallets = await listWallets({ query: { limit: 1 }, throwOnError: true });
  const refused = await createWebhook({ body: { url: "no url" } });
  return {
    holdings: balance.data.holdings,
    wallets: wallets.data.data.map((wallet) => wallet.blockchain),
    refused: refused.error?.error.code,
  };
}`,
  },
  orval: {
    generate: async (folder, { url: baseUrl }) => {
      const output = { target: join(folder, "client.ts"), client: "fetch", baseUrl };
      const config = join(folder, "orval.config.cjs");
      const projects = { api: { input: described(folder), output } };
      await writeFile(config, `module.exports = ${JSON.stringify(projects)};`);
      await run(bin("orval"), ["--config", config], { cwd: folder });
    },
    program: `
import { createWebhook, getBalance, listWallets } from "./client";

async function ask(_baseUrl: string, headers: Record<string, string>) {
  const balance = await getBalance({ headers });
  const wallets = await listWallets({ limit: 1 }, { headers });
  const refused = await createWebhook({ url: "no url" }, { headers });
  return {
    holdings: balance.status === 200 ? balance.data.holdings : undefined,
    wallets: wallets.status === 200 ? wallets.data.data.map((one) => one.blockchain) : undefined,
    refused: refused.status === 400 ? refused.data.error.code : undefined,
  };
}`,
  },
};

const compilerOptions = {
  strict: true,
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  module: "commonjs",
  moduleResolution: "bundler",
  types: ["node"],
  skipLibCheck: true,
  outDir: "out",
};

/**
 * Generates a client from the description in `folder`/openapi.json, compiles it with a program under strict types, and runs it
 * in a process of its own. What the program was answered. @throws where one of the three fails, with what was printed
 */
export async function askThrough(
  { generate, program }: Generator,
  folder: string,
  api: Api,
): Promise<unknown> {
  await symlink(inCheckout("node_modules"), join(folder, "node_modules"));
  await generate(folder, api);
  const given = `${JSON.stringify(api.url)}, ${JSON.stringify(api.headers)}`;
  const printed = "(answer) => console.log(JSON.stringify(answer))";
  await writeFile(
    join(folder, "program.ts"),
    `${program}\n\nvoid ask(${given}).then(${printed});\n`,
  );
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["*"] }),
  );
  await run(inCheckout("node_modules", ".bin", "tsc"), ["-p", folder]).catch(({ stdout }) =>
    Promise.reject(new Error(stdout)),
  );
  const { stdout } = await run(process.execPath, [join(folder, "out", "program.js")]);
  return JSON.parse(stdout);
}
