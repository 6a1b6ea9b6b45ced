import { describe, expect, it } from "vitest";
import { parseRedisUrl, type RedisTls } from "../../../../src/domain/setup/redis-servers.ts";

const none: RedisTls = { ca: null, cert: null, key: null };
const read = (url: string, pem = none) => {
  const reading = parseRedisUrl(url, pem);
  return "fault" in reading ? reading.fault : reading.value;
};
const nobody = { username: null, password: null };

describe("a URL of Redis", () => {
  it("names one server", () => {
    expect(read("redis://cache")).toEqual({
      kind: "single",
      at: { host: "cache", port: 6379 },
      database: 0,

      login: nobody,
      tls: null,
      family: 0,
    });
    expect(read("rediss://bell:p%40ss%2C:w@[::1]:7000/3?family=6")).toEqual({
      kind: "single",
      at: { host: "::1", port: 7000 },
      database: 3,

      login: { username: "bell", password: "p@ss,:w" },
      tls: none,
      family: 6,
    });
    expect(read("redis://:word@cache")).toMatchObject({
      login: { username: null, password: "word" },
    });
  });

  it("names what Sentinels watch, with a login for each of both", () => {
    const query = "sentinel_username=s&sentinel_password=t%26u";
    expect(read(`redis+sentinel://u:v@a,b:26380/main/2?${query}`)).toEqual({
      kind: "sentinel",
      sentinels: [
        { host: "a", port: 26_379 },
        { host: "b", port: 26_380 },
      ],

      name: "main",
      database: 2,
      tls: null,
      family: 0,
      login: { username: "u", password: "v" },
      sentinelLogin: { username: "s", password: "t&u" },
    });
  });

  it("names some nodes of a Cluster", () => {
    const nodes = [
      { host: "a", port: 7000 },
      { host: "b", port: 6379 },
    ];
    const pem = { ca: "CA", cert: "CERT", key: "KEY" };
    expect(read("rediss+cluster://a:7000,b", pem)).toEqual({
      kind: "cluster",
      nodes,
      login: nobody,
      tls: pem,
      family: 0,
    });
  });

  it.each([
    ["http://a", "redis://"],
    ["redis://", "redis://"],
    ["redis://a:0", "redis://"],
    ["redis://a:70000", "redis://"],
    ["redis://u:%zz@a", "redis://"],
    ["redis://a,b", "redis+sentinel://"],
    ["redis://a/name", "database"],
    ["redis://a?family=5", "family"],
    ["redis://a?password=secret", "password"],
    ["redis+sentinel://a,b", "/mymaster"],
    ["redis+sentinel://a/name/x", "/mymaster"],
    ["redis+cluster://a/1", "database"],
  ])("%s is refused", (url, says) => {
    expect(read(url)).toContain(says);
    expect(read(url)).not.toContain("secret");
  });

  it("with certificates is one with TLS, and has both parts of a client's", () => {
    expect(read("redis://a", { ...none, ca: "CA" })).toContain("rediss");
    expect(read("rediss://a", { ...none, cert: "CERT" })).toContain("REDIS_KEY");
  });
});
