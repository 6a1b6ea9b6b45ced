import { describe, expect, it } from "vitest";
import { client } from "../support/api/api-client.ts";
import { createCustomer } from "../support/process/customer.ts";
import { withDaemon } from "../support/process/daemon.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

describe("the console of a running daemon", () => {
  const world = eachWorld();

  const status = async (url: string | null, path: string) =>
    (await client(url ?? "", {}).call("GET", path)).status;

  it("is beside the API, or on a port of its own where neither has anything of the other", async () => {
    const deployment = deploymentIn(world);
    await withDaemon(deployment, {}, async ({ url, consoleUrl }) => {
      expect(consoleUrl).toBe(url);
      expect(await status(url, "/console/session")).toBe(401);
    });
    await withDaemon(deployment, { CONSOLE_PORT: "0" }, async (daemon) => {
      const { url, consoleUrl } = daemon;
      expect(consoleUrl).not.toBe(url);
      for (const path of ["/console/session", "/console/api/balance"])
        expect([await status(url, path), await status(consoleUrl, path)]).toEqual([404, 401]);
      for (const path of ["/balance", "/admin/status", "/metrics", "/health", "/openapi.json"])
        expect([path, await status(consoleUrl, path)]).toEqual([path, 404]);
      const addresses: string[] = [];
      const { key } = await createCustomer({
        ...daemon,

        blockchain: "anvil",
        addresses,
        receiver: null,
      });
      const own = client(consoleUrl ?? "", { origin: consoleUrl ?? "" });
      const entered = await own.call("POST", "/console/session", { api_key: key });
      expect(entered.headers.get("set-cookie")).toMatch(/^__Host-chainbell-console=.*; Secure$/);
      const [cookie = ""] = (entered.headers.get("set-cookie") ?? "").split(";");
      const inside = client(consoleUrl ?? "", { cookie });
      expect((await inside.call("GET", "/console/api/balance")).status).toBe(200);
    });
  });

  it("is not there where the configuration says so", async () => {
    const { settings, ...secrets } = deploymentIn(world);
    const deployment = { ...secrets, settings: { ...settings, file: { console: false } } };
    await withDaemon(deployment, { CONSOLE_PORT: "0" }, async ({ url, consoleUrl }) => {
      expect(consoleUrl).toBeNull();
      expect(await status(url, "/console/session")).toBe(404);
    });
  });
});
