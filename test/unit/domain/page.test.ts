import { expect, test } from "vitest";
import { idAt } from "../../../src/domain/id.ts";
import { decodeCursor, encodeCursor, parsePageRequest, toPage } from "../../../src/domain/page.ts";

test("a cursor says which row the next page follows, and its time where the list has that order", () => {
  const id = idAt(1_700_000_000_000);
  expect(decodeCursor(encodeCursor(id))).toEqual({ afterId: id });
  for (const at of [new Date(0), new Date("2026-11-29T12:00:00.001Z"), new Date("9999-12-31")])
    expect(decodeCursor(encodeCursor(id, { afterAt: at }))).toEqual({ afterId: id, afterAt: at });
});

test.each([0n, 1n, 255n, 10n ** 78n - 1n])("a cursor has an amount whole: %i", (atomic) => {
  const id = idAt(1_700_000_000_000);
  for (const decimals of [0, 18, 255]) {
    const place = { afterAmount: { atomic, decimals } };
    expect(decodeCursor(encodeCursor(id, place))).toEqual({ afterId: id, ...place });
    const ofTransaction = { ...place, afterAt: new Date(1), afterTransactionId: idAt(2) };
    expect(decodeCursor(encodeCursor(id, ofTransaction))).toEqual({
      afterId: id,
      ...ofTransaction,
    });
  }
});

test.each(["", "x", "%%%", "AAAA", `${encodeCursor(idAt(1))}=`, encodeCursor(idAt(1)).slice(1)])(
  "what no page answered is no cursor: '%s'",
  (text) => {
    expect(decodeCursor(text)).toBeNull();
  },
);

test("a page that is full and last has no next one", () => {
  const rows = [{ id: idAt(3) }, { id: idAt(2) }];
  expect(toPage(rows, 2)).toEqual({ rows, nextCursor: null });
  expect(toPage(rows, 1).nextCursor).toBe(encodeCursor(rows[0]?.id ?? ""));
});

test("a page has 1 to 500 rows, 50 by default", () => {
  expect(parsePageRequest({})).toEqual({ limit: 50, afterId: null });
  const [id, at] = [idAt(1), new Date(1)];
  const cursor = encodeCursor(id, { afterAt: at });
  expect(parsePageRequest({ cursor })).toEqual({ limit: 50, afterId: id, afterAt: at });
  expect(() => parsePageRequest({ limit: 501 })).toThrow("limit");
  expect(() => parsePageRequest({ limit: 0 })).toThrow("limit");
  expect(() => parsePageRequest({ cursor: "?" })).toThrow("cursor");
});
