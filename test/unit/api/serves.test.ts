import { expect, it } from "vitest";
import { assignListeners } from "../../../src/api/serves.ts";

it.each([true, false])(
  "every part is served once, and the details by the operator's alone (api: %s)",
  (business) => {
    for (const console of ["beside", "alone", "nowhere"] as const) {
      const shares = assignListeners({ business, console, isOperatorAlone: true });
      const parts = [shares.main, shares.console, shares.operator].flatMap((one) => [
        ...(one ?? []),
      ]);
      expect(new Set(parts).size).toBe(parts.length);
      expect(parts.includes("console")).toBe(business && console !== "nowhere");
      expect([...(shares.operator ?? [])]).toEqual(
        business ? ["admin", "operation"] : ["operation"],
      );
      expect(shares.main.has("readiness")).toBe(true);
      expect(parts.includes("admin")).toBe(business);
      const together = assignListeners({ business, console, isOperatorAlone: false });
      expect(together.operator).toBeNull();
      expect(together.main.has("operation")).toBe(true);
      expect(together.main.has("readiness")).toBe(false);
      expect(together.main.has("admin")).toBe(business);
    }
  },
);
