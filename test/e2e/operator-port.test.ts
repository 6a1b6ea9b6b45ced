import { expect, it } from "vitest";
import { withDaemon } from "../support/process/daemon.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

async function ask(url: string | null, path: string, token = "") {
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { headers });
  return { status: response.status, text: await response.text() };
}

it("strangers are answered on the public port whether it is well, and nothing else", async () => {
  const deployment = deploymentIn(world);
  const { adminToken } = deployment;
  await withDaemon(deployment, { OPERATOR_PORT: "0" }, async ({ url, operatorUrl }) => {
    expect(operatorUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(operatorUrl).not.toBe(url);
    const { status, text } = await ask(url, "/health/ready");
    const isReady = status === 200;
    expect(JSON.parse(text)).toEqual({ success: isReady, ready: isReady });
    expect(Object.keys(JSON.parse((await ask(url, "/health")).text)).sort()).toEqual([
      ...["ready", "status", "success"],
    ]);
    for (const path of ["/health", "/health/ready"])
      expect(JSON.parse((await ask(operatorUrl, path)).text).services.length).toBeGreaterThan(3);
    expect(JSON.parse((await ask(url, "/health/live")).text)).toEqual({
      success: true,
      status: "live",
    });
    expect((await ask(url, "/metrics")).status).toBe(404);
    expect((await ask(operatorUrl, "/metrics")).text).toContain("chainbell_");
    for (const token of ["", adminToken])
      expect((await ask(url, "/admin/status", token)).status).toBe(404);
    expect((await ask(operatorUrl, "/admin/status")).status).toBe(401);
    expect((await ask(operatorUrl, "/admin/status", adminToken)).status).toBe(200);
    // What is described is what is there.
    const described = async (from: string | null) =>
      Object.keys(JSON.parse((await ask(from, "/openapi.json")).text).paths);
    expect((await described(url)).filter((path) => path.startsWith("/admin"))).toEqual([]);
    expect(await described(url)).toContain("/balance");
    expect(await described(operatorUrl)).toContain("/admin/status");
    expect(await described(operatorUrl)).not.toContain("/balance");
    expect((await ask(operatorUrl, "/balance")).status).toBe(404);
    expect((await ask(operatorUrl, "/console/session")).status).toBe(404);
  });
});

it("a process without the api role answers operators alone, unless it is given a public port", async () => {
  const deployment = deploymentIn(world);
  const settings = { ...deployment.settings, roles: "relay" };
  const environment = { OPERATOR_PORT: "0", PORT: "" };
  await withDaemon({ ...deployment, settings }, environment, async ({ url, operatorUrl }) => {
    expect(url).toBe("");
    expect((await ask(operatorUrl, "/metrics")).text).toContain("chainbell_");
    expect((await ask(operatorUrl, "/admin/status", deployment.adminToken)).status).toBe(404);
  });
  await withDaemon(
    { ...deployment, settings },
    { ...environment, PORT: "0" },
    async ({ url, operatorUrl }) => {
      expect(JSON.parse((await ask(url, "/health")).text)).not.toHaveProperty("services");
      expect((await ask(url, "/metrics")).status).toBe(404);
      expect((await ask(operatorUrl, "/metrics")).status).toBe(200);
    },
  );
});
