import { expect, test } from "vitest";
import { madeBySession, shownHolderOf } from "../../../../src/domain/console/session.ts";

const id = "01a226cd-cbd8-8009-8000-009138326bff";
const business = { kind: "business", businessId: id, role: "viewer" } as const;

test.each([
  ["an operator", "ada@example.com", "operator"],
  ["an operator whose name is an id", id, "operator"],
  ["one of its sessions", madeBySession(id), id],
])("a business sees of a link that %s made no operator's name", (_, madeBy, shown) => {
  const origin = { way: "link", madeBy, keyId: null } as const;
  expect(shownHolderOf({ subject: business, origin })).toBe(shown);
});
