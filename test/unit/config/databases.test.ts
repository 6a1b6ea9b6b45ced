import { expect, test } from "vitest";
import { inspectConfig } from "../../../src/config/load-config.ts";

const servers = "postgres://u:s3cret@a:5432,b:5433/db";

async function faultsOf(variable: string, url: string): Promise<string[]> {
  const { faults } = await inspectConfig({ [variable]: url }, "/nowhere");
  return faults.filter(({ path }) => path === variable).map(({ message }) => message);
}

test.each(["DATABASE_URL", "DATABASE_DIRECT_URL"])(
  "%s may have several servers, of which one takes writes",
  async (variable) => {
    expect(await faultsOf(variable, servers)).toEqual([]);
    for (const word of ["read-write", "primary"])
      expect(await faultsOf(variable, `${servers}?target_session_attrs=${word}`)).toEqual([]);
    for (const word of ["any", "standby", "prefer-standby", "read-only"])
      expect(await faultsOf(variable, `${servers}?target_session_attrs=${word}`)).toEqual([
        "expected target_session_attrs to be read-write or primary: it is written to",
      ]);
  },
);

test("the file of a database's authorities has to be there", async () => {
  const query = "?sslmode=verify-full&sslrootcert=";
  expect(await faultsOf("DATABASE_URL", `${servers}${query}${import.meta.filename}`)).toEqual([]);
  expect(await faultsOf("DATABASE_URL", `${servers}${query}/nowhere/ca.pem`)).toEqual([
    "the file of sslrootcert cannot be read",
  ]);
});

test("a replica may be any of several servers, and its age is a length of time", async () => {
  for (const word of ["any", "standby", "prefer-standby", "read-only", "read-write"])
    expect(await faultsOf("DATABASE_READ_URL", `${servers}?target_session_attrs=${word}`)).toEqual(
      [],
    );
  expect(await faultsOf("DATABASE_READ_STALENESS", "10s")).toEqual([]);
  for (const text of ["1s", "2h", "soon"])
    expect(await faultsOf("DATABASE_READ_STALENESS", text)).toEqual([
      "expected a length of time from 2s to 1h",
    ]);
});
