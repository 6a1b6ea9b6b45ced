import { expect, test } from "vitest";
import { readTable } from "../../../scripts/floors/table.mjs";

/** A table of five rooms on three floors, with what one of them imports replaced. */
function tableWith(imports: Record<string, string>): string {
  const row = (name: string) => `
      ${name}: { holds: x, next: x, imports: [${imports[name] ?? ""}] }`;
  return `
libraries: {}
node: {}
developmentOnly: []
floors:
  - floor: top
    sees: [middle]
    rooms:${row("app")}
  - floor: middle
    sees: [ground]
    rooms:${row("queue")}${row("ledger")}${row("ledger/rows")}
  - floor: ground
    sees: []
    rooms:${row("domain")}
`;
}

test("a room may import rooms below it on floors that its own sees", () => {
  const { rooms } = readTable(tableWith({ app: "ledger/**", ledger: "ledger/rows, domain" }));
  expect(Object.fromEntries(rooms.map((room) => [room.name, room.imports]))).toEqual({
    app: ["ledger", "ledger/rows"],
    queue: [],
    ledger: ["ledger/rows", "domain"],
    "ledger/rows": [],
    domain: [],
  });
});

test.each([
  ["a room above it", { domain: "ledger" }, "domain names ledger, which stands above it"],
  ["a room above it in its folder", { "ledger/rows": "ledger" }, "which stands above it"],
  ["another folder of its floor", { queue: "ledger" }, "another folder of its floor"],
  ["a floor that its own does not see", { app: "domain" }, "which is on floor ground"],
  ["a room that does not exist", { app: "attic" }, "no room is called attic"],
])("a table in which a room names %s is refused", (_, imports, message) => {
  expect(() => readTable(tableWith(imports))).toThrow(message);
});
