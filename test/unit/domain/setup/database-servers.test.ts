import { describe, expect, it } from "vitest";
import { parseDatabaseUrl } from "../../../../src/domain/setup/database-servers.ts";

const read = (url: string) => {
  const reading = parseDatabaseUrl(url);
  return "fault" in reading ? reading.fault : reading.value;
};

describe("a URL of PostgreSQL", () => {
  it("of one server stays as it is written", () => {
    const url = "postgresql://u:p%40ss@db/ledger?sslmode=verify-full&sslrootcert=/etc/ca.pem&x=1";
    expect(read(url)).toEqual({
      servers: [{ host: "db", port: 5432, url }],
      target: null,
      caFile: "/etc/ca.pem",
    });
  });

  it("of several servers is a URL for each, with the same login, database and settings", () => {
    const query = "target_session_attrs=read-write&sslmode=verify-full";
    expect(read(`postgres://u:p%40%2C@a,[::1]:5433/my%20db?${query}`)).toEqual({
      servers: [
        { host: "a", port: 5432, url: "postgres://u:p%40%2C@a:5432/my%20db?sslmode=verify-full" },
        {
          host: "::1",
          port: 5433,
          url: "postgres://u:p%40%2C@[::1]:5433/my%20db?sslmode=verify-full",
        },
      ],
      target: "read-write",
      caFile: null,
    });
  });

  it.each([
    ["mysql://u:secret-word@db/ledger", "begins with postgres"],
    ["postgres://u:secret-word@a:5432,b:99999/ledger", "begins with postgres"],
    ["postgres://u:secret-word@a,b/db?target_session_attrs=secret-word", "target_session_attrs"],
    ["postgres://u:secret-word@a,b/db?sslmode=secret-word", "sslmode"],
  ])("is refused by name: %s", (url, says) => {
    const words = ["secret-word", says].filter((word) => JSON.stringify(read(url)).includes(word));
    expect(words, "what the refusal says").toEqual([says]);
  });
});
