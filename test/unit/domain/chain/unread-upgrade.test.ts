import { expect, test } from "vitest";
import { unreadUpgrade } from "../../../../src/domain/chain/profile.ts";

const day = 86_400_000;
const atSeconds = 1_800_000_000;
const atMs = atSeconds * 1_000;
const fork = (name: string, isRead: boolean, seconds: number | null = atSeconds) => ({
  name,
  isRead,
  atSeconds: seconds,
});

test("an upgrade that is not read is warned of from four weeks before it, and after it", () => {
  const chain = { forks: [fork("Osaka", true), fork("Tomorrow", false)] };
  expect(unreadUpgrade(chain, atMs - 29 * day)).toBeNull();
  expect(unreadUpgrade(chain, atMs - 28 * day)).toEqual({ name: "Tomorrow", atMs });
  expect(unreadUpgrade(chain, atMs + 100 * day)).toEqual({ name: "Tomorrow", atMs });
});

test("the first of several is named, and none that is read or has no time yet", () => {
  const later = fork("Later", false, atSeconds + 3_600);
  const unknown = fork("Some day", false, null);
  const forks = [later, unknown, fork("Tomorrow", false)];
  expect(unreadUpgrade({ forks }, atMs)?.name).toBe("Tomorrow");
  expect(unreadUpgrade({ forks: [unknown, fork("Osaka", true)] }, atMs)).toBeNull();
});
