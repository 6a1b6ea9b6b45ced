import { expect, test } from "vitest";
import { isNamed } from "../../../console/src/app/search/is-named.ts";

test.each([
  { sought: "api", label: "API keys", is: true },
  { sought: "key api", label: "API keys", is: true },
  { sought: "keys of", label: "API keys", is: false },
  { sought: "eys", label: "API keys", is: false },
  { sought: "uber", label: "Übersicht", is: true },
  { sought: "ÜBER", label: "Übersicht", is: true },
  { sought: "schl", label: "API-Schlüssel", is: true },
  { sought: "dark", label: "Theme: Dark", is: true },
  { sought: "customer-17", label: "Create key", is: false },
  { sought: "0x12", label: "Overview", is: false },
])("$sought names $label: $is", ({ sought, label, is }) => {
  expect(isNamed(label, sought)).toBe(is);
});
