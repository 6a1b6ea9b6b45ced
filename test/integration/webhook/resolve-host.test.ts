import { setMaxListeners } from "node:events";
import { expect, it } from "vitest";
import { createResolveHost } from "../../../src/webhook/resolve-host.ts";

const never = new AbortController().signal;
const hosts = async () => `
127.0.0.1 localhost
10.1.2.3  inner.test alias.test # the name
fd00::3   inner.test
#10.9.9.9 gone.test
nonsense  broken.test`;

it("answers the names of the hosts file at once, whatever else is being looked up", async () => {
  const resolve = createResolveHost(hosts);
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  // More than may be asked for at a time. Where there is no name server at all, they fail at once.
  const others = Array.from({ length: 200 }, (_, index) =>
    resolve(`nobody-${index}.invalid`, leaving.signal).catch(() => "left"),
  );
  expect(await resolve("inner.test", never)).toEqual(["10.1.2.3", "fd00::3"]);
  expect(await resolve("ALIAS.test", never)).toEqual(["10.1.2.3"]);
  leaving.abort(new Error("enough"));
  expect(new Set(await Promise.all(others))).toEqual(new Set(["left"]));
});

it("answers nothing to whoever has left already", async () => {
  await expect(createResolveHost(hosts)("inner.test", AbortSignal.abort())).rejects.toThrow();
});

it.each(["gone.test", "broken.test"])("does not find %s there", async (name) => {
  await expect(createResolveHost(hosts)(name, AbortSignal.timeout(500))).rejects.toThrow();
});
