import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/domain/fault.ts";
import { checkAddress, parseTarget, type TargetPolicy } from "../../../src/webhook/target-guard.ts";
import { inwardHosts } from "../../support/delivery/refused-targets.ts";

const production: TargetPolicy = { ports: [8443], deny: [], allow: [], isLoopbackOpen: false };
const development: TargetPolicy = { ports: [], deny: [], allow: [], isLoopbackOpen: true };
const https = { protocol: "https:", port: 443 } as const;

function refusalOf(url: string, policy: TargetPolicy): string | null {
  try {
    parseTarget(url, policy);
    return null;
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

describe("the target guard", () => {
  it.each(inwardHosts)("refuses https://%s/", (host) => {
    expect(refusalOf(`https://${host}/`, production)).toBe("target_refused");
  });

  it.each([
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://hook.example.com/a?b=c",
    "https://hook.example.com:8443/",
  ])("accepts %s", (url) => {
    expect(refusalOf(url, production)).toBeNull();
  });

  it.each([
    ["http://hook.example.com/", "target_refused"],
    ["https://hook.example.com:22/", "target_refused"],
    ["https://user@hook.example.com/", "target_refused"],
    ["https://user:pass@hook.example.com/", "target_refused"],
    ["https://:pass@hook.example.com/", "target_refused"],
    ["ftp://hook.example.com/", "invalid_url"],
    ["file:///etc/passwd", "invalid_url"],
    ["//hook.example.com/", "invalid_url"],
    ["https://", "invalid_url"],
    ["https://1.2.3.4.5/", "invalid_url"],
    ["https://[fe80::1%25eth0]/", "invalid_url"],
    ["https://good.example../", "invalid_url"],
    ["https://.good.example/", "invalid_url"],
    ["https://good..example/", "invalid_url"],
    ["https://./", "invalid_url"],
    ["https://10.0.0.1./", "target_refused"],
    ["https://192.31.196.1/", "target_refused"],
    ["https://192.52.193.1/", "target_refused"],
    ["https://192.175.48.1/", "target_refused"],
    ["https://[2620:4f:8000::1]/", "target_refused"],
    [`https://hook.example.com/${"a".repeat(2048)}`, "invalid_url"],
  ])("refuses %s", (url, code) => {
    expect(refusalOf(url, production)).toBe(code);
  });

  it("refuses what the operator denies, whatever else opens it", () => {
    const deny = ["8.8.8.0/24", "127.0.0.0/8", "2606:4700::/32"];
    const allow = [{ cidr: "0.0.0.0/0", ports: [], http: true, businesses: null }];
    const policy = { ...development, deny, allow };
    for (const host of ["8.8.8.8", "127.0.0.1", "[2606:4700::1111]", "[::ffff:8.8.8.8]"])
      expect(refusalOf(`https://${host}/`, policy), host).toBe("target_refused");
    expect(checkAddress("8.8.4.4", https, policy).kind).toBe("open");
    expect(checkAddress("8.8.8.8", https, policy)).toMatchObject({ kind: "refused" });
  });

  it("says why a target is refused", () => {
    expect(() => parseTarget("https://10.0.0.1/", production)).toThrow(/not private/);
    expect(() => parseTarget("https://a.example:22/", production)).toThrow(/port 22.*443, 8443/);
  });

  it("gives a URL its normal form", () => {
    const { url } = parseTarget("HTTPS://Hook.Example.com:443/a/../b#part", production);
    expect(url).toBe("https://hook.example.com/b");
    expect(parseTarget("https://hook.example.com./", production).url).toBe(
      "https://hook.example.com/",
    );
  });

  it.each(["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fe80::1%eth0", "::ffff:10.0.0.1"])(
    "refuses a name that resolves to %s",
    (address) => {
      expect(checkAddress(address, https, production)).toMatchObject({ kind: "refused" });
    },
  );

  it("refuses an address that it cannot read", () => {
    for (const address of ["", "localhost", "1.2.3.4.5", "::g"]) {
      expect(checkAddress(address, https, production)).toMatchObject({ kind: "refused" });
    }
  });
});

describe("the target guard in development", () => {
  const local = ["http://127.0.0.1:4000/", "http://localhost:4000/", "http://[::1]:4000/"];
  it.each([...local, "https://127.0.0.1/"])("accepts %s", (url) => {
    expect(refusalOf(url, development)).toBeNull();
  });

  it("opens nothing but loopback", () => {
    expect(refusalOf("http://10.0.0.1/", development)).toBe("target_refused");
    expect(checkAddress("10.0.0.1", { protocol: "http:", port: 80 }, development).kind).toBe(
      "refused",
    );
    const toPublic = checkAddress("8.8.8.8", { protocol: "http:", port: 80 }, development);
    expect(toPublic.kind).toBe("refused");
  });
});

describe("the exceptions of webhooks.allow", () => {
  const policy: TargetPolicy = {
    ports: [],
    allow: [
      { cidr: "10.1.0.0/16", ports: [9000], http: true, businesses: null },
      { cidr: "fd00::/8", ports: [], http: false, businesses: null },
    ],
    deny: [],
    isLoopbackOpen: false,
  };

  it("open their block with their ports and http", () => {
    const verdict = checkAddress("10.1.2.3", { protocol: "http:", port: 9000 }, policy);
    expect(verdict).toEqual({ kind: "open", by: "allow" });
    expect(refusalOf("http://10.1.2.3:9000/", policy)).toBeNull();
    expect(refusalOf("https://[fd00::1]/", policy)).toBeNull();
  });

  it("open nothing beside it", () => {
    expect(refusalOf("http://10.1.2.3:9001/", policy)).toBe("target_refused");
    expect(refusalOf("http://10.2.2.3:9000/", policy)).toBe("target_refused");
    expect(refusalOf("http://[fd00::1]/", policy)).toBe("target_refused");
    expect(checkAddress("8.8.8.8", { protocol: "http:", port: 9000 }, policy).kind).toBe("refused");
  });

  it("let a name pass that may resolve to an address in their block", () => {
    expect(refusalOf("http://shop.internal:9000/", policy)).toBeNull();
    expect(refusalOf("http://shop.internal:9001/", policy)).toBe("target_refused");
  });
});
