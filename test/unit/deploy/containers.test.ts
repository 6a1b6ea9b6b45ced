import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { inCheckout } from "../../support/checkout.ts";

type Bind = {
  type: "bind";
  source: string;
  target: string;
  read_only: boolean;
  bind: { create_host_path: boolean };
};
type Service = {
  profiles?: string[];
  image?: string;
  build?: { args: Record<string, string>; target?: string };
  cap_add?: string[];
  volumes?: (string | Bind)[];
  environment?: Record<string, string>;
  command?: string[];
  ports?: string[];
};

const read = (path: string) => readFileSync(inCheckout(path), "utf8");
const { services } = parse(read("docker-compose.yml"), { merge: true }) as {
  services: Record<string, Service>;
};
const dockerfile = read("Dockerfile");
const inProfile = (name: string | null) =>
  Object.entries(services)
    .filter(([, { profiles }]) => (profiles?.[0] ?? null) === name)
    .map(([service]) => service);

test("the profiles are: PostgreSQL, Redis and the daemon; what observes; what demonstrates", () => {
  expect(inProfile(null)).toEqual(["postgres", "redis", "chainbell"]);
  expect(inProfile("observe")).toEqual(["prometheus", "grafana"]);
  expect(inProfile("demo")).toEqual(["anvil", "receiver", "traffic"]);
});

describe.each(Object.entries(services))("%s", (name, service) => {
  test("has no rights beyond what it needs, and cannot write into its image", () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    // Its entry point gives the volume to its user, and becomes that user.
    expect(service.cap_add?.length).toBe(name === "postgres" ? 5 : undefined);
  });

  test("is an image that is pinned by digest, or is built of such", () => {
    const bases =
      service.image === undefined ? Object.values(service.build?.args ?? {}) : [service.image];
    expect(bases.length).toBeGreaterThan(0);
    for (const base of bases)
      expect(base).toMatch(/^\$\{[A-Z]+_IMAGE:-[^@]+@sha256:[0-9a-f]{64}\}$/);
  });

  test("mounts files that are there", () => {
    const files = (service.volumes ?? []).map((volume) =>
      typeof volume === "string" ? volume.split(":")[0] : volume.source,
    );
    for (const file of files.filter((path) => path?.startsWith("./") === true).map(String))
      expect(existsSync(inCheckout(file)), file).toBe(true);
  });
});

test("Redis wants a password, which is in no argument, and the daemon has it", () => {
  const { redis, chainbell } = services;
  expect(redis?.command?.join(" ")).toContain("requirepass");
  // Of compose, which puts it in, as opposed to the container's shell.
  const variable = `\${REDIS_PASSWORD}`;
  expect(redis?.command?.join(" ")).not.toContain(variable);
  expect(chainbell?.environment?.["REDIS_URL"]).toBe(`redis://:${variable}@redis:6379`);
});

test("Redis is what is asked to stop: a shell before it would not pass that on", () => {
  const [shell, option, script] = services["redis"]?.command ?? [];
  expect([shell, option]).toEqual(["sh", "-c"]);
  expect(script).toMatch(/^exec redis-server - <<END\n[\s\S]*\nEND\n$/);
});

test("the configuration is mounted as a file, wherever it is, and is not made as a folder where it is missing", () => {
  const name = `\${CHAINBELL_FILE:-./chainbell.yaml}`;
  expect(services["chainbell"]?.volumes).toEqual([
    {
      type: "bind",
      source: name,
      target: services["chainbell"]?.environment?.["CHAINBELL_CONFIG"],

      read_only: true,
      bind: { create_host_path: false },
    },
  ]);
});

test("/metrics and /admin are on a port of their own, which this machine and Prometheus alone reach", () => {
  const { environment, ports } = services["chainbell"] ?? expect.fail();
  const operatorPort = environment?.["OPERATOR_PORT"];
  expect(operatorPort).toMatch(/^[0-9]+$/);
  // Of the container: what reaches it from outside is what is published.
  expect(environment?.["OPERATOR_HOST"]).toBe("0.0.0.0");
  expect(ports).toEqual(["127.0.0.1:3000:3000", `127.0.0.1:${operatorPort}:${operatorPort}`]);
  expect(read("monitoring/prometheus.yml")).toContain(`- targets: ["chainbell:${operatorPort}"]`);
  expect(read("deploy/demo/traffic.mjs")).toContain(`http://chainbell:${operatorPort}/admin`);
  expect(read("deploy/demo/traffic.mjs")).not.toContain("3000/admin");
});

test("the image is built of the bases that compose names, and runs as nobody", () => {
  const named = [...dockerfile.matchAll(/^ARG ([A-Z]+_IMAGE)=(\S+)$/gm)];
  expect(named).toHaveLength(2);
  const args = services["chainbell"]?.build?.args ?? {};
  for (const [, name = "", value] of named) expect(args[name]).toBe(`\${${name}:-${value}}`);
  const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM"));
  expect(last).toContain("USER 65532:65532");
  expect(last).not.toContain("RUN ");
});

test("the demo starts the parts that compose names, and the service keeps to itself", () => {
  for (const name of ["anvil", "receiver", "traffic"]) {
    const file = services[name]?.command?.[1] ?? "";
    expect(existsSync(inCheckout(file)), file).toBe(true);
  }
  expect(dockerfile).toContain("FROM build AS demo");
});

describe("the systemd unit", () => {
  const unit = read("deploy/systemd/chainbell.service");

  test.each([
    "DynamicUser=yes",
    "ProtectSystem=strict",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "RestartPreventExitStatus=1",
    // What chainbell.yaml takes from the environment, such as ETHEREUM_RPC.
    "EnvironmentFile=-/etc/chainbell/chainbell.env",
    "Environment=NODE_ENV=production HOST=127.0.0.1 PORT=3000 OPERATOR_PORT=3002 CHAINBELL_CONFIG=/etc/chainbell/chainbell.yaml",
  ])("says %s", (line) => {
    expect(unit.split("\n")).toContain(line);
  });

  test("hands every secret over as a file", () => {
    const loaded = [...unit.matchAll(/^LoadCredential=(\w+):/gm)].map(([, name]) => name);
    expect(loaded).toHaveLength(4);
    for (const name of loaded) expect(unit).toContain(`_FILE=%d/${name}`);
    expect(unit).not.toMatch(/\b(DATABASE_URL|REDIS_URL|CHAINBELL_ENCRYPTION_KEY)=/);
  });

  test("waits longer for the end than the daemon takes", () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(20);
  });
});
