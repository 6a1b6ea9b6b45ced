import { z } from "zod";
import { exampleOfEvent } from "../../../src/api/description/events.ts";
import { notificationEvents } from "../../../src/domain/delivery/notification.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { notificationSchema } from "../../../src/schema/notification.ts";
import { table, withContents } from "./markdown.ts";

const head = `# Events

The events that a business is notified of. This page is made from the schemas of their bodies. Do not edit it
here: run \`npm test -- docs/events-page -u\`. \`webhooks\` in \`GET /openapi.json\` says the same for generators. See also
[receiving](receiving.md) and the promises of [delivery](contract.md#delivery-and-retries).

- **At least once.** Chainbell sends a body again until a receiver answers 2xx, or the last attempt has failed. Each
  attempt has the same \`id\`: recognise a repetition by it.
- **No promised order.** Several events of the ledger are sent at once, and a retry comes later than its successors.
  Compare \`data.transactionId\`, and ask \`GET /transactions/:id\` for the present state.
- **More may come.** Ignore fields and events that you do not know.
- **A reversal has a direction.** \`data.type\` says which way the money had gone: take a credit back for a deposit or
  payment, undo a debit for a withdrawal ([reversals](receiving.md#reversals)).

The examples are of one business. The reversal undoes the deposit, and the pending event is of the deposit too.
`;

/** docs/events.md. */
export function eventsPage(): string {
  const events = keysOf(notificationEvents);
  const rows = events.map((event) => {
    const { description, state, askedBy } = notificationEvents[event];
    return [
      `[\`${event}\`](#${event.replace(".", "")})`,
      description,
      state,
      { business: "on request", webhook: "where named", everybody: "" }[askedBy ?? "everybody"],
    ];
  });
  return withContents(
    [
      head,
      table(["event", "sent when", "`data.status`", ""], rows),
      "- `on request`: only for a business that asked for it (`business set ID --notify-pending`).",
      "- `where named`: only for a webhook whose `filter.events` names it.\n",
      ...events.map(section),
    ].join("\n"),
  );
}

function section(event: keyof typeof notificationEvents): string {
  const example = JSON.stringify(exampleOfEvent(event), null, 2);
  return [
    `## ${event}\n`,
    `Sent when ${notificationEvents[event].description}.\n`,
    table(["field", "type", "what it is"], fieldsOf(z.toJSONSchema(notificationSchema(event)))),
    `\`\`\`json\n${example}\n\`\`\`\n`,
  ].join("\n");
}

type Field = z.core.JSONSchema.BaseSchema;

/** A row for each field that holds a value; a field that may be missing says so. */
function fieldsOf(schema: Field, before = ""): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (typeof field === "boolean") return [];
    if (field.properties !== undefined) return fieldsOf(field, `${before}${name}.`);
    const isOptional = !(schema.required ?? []).includes(name);
    const type = `${typeOf(field)}${isOptional ? ", may be missing" : ""}`;
    return [[`\`${before}${name}\``, type, field.description ?? ""]];
  });
}

function typeOf(field: Field): string {
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum !== undefined) return field.enum.map((word) => `\`"${word}"\``).join(", ");
  if (field.anyOf !== undefined)
    return field.anyOf.map((one) => (typeof one === "boolean" ? "" : typeOf(one))).join(" or ");
  if (field.format === "date-time") return "ISO 8601 UTC";
  if (field.format === "uuid") return "UUID";
  return [field.type ?? "any"].flat().join(" or ");
}
