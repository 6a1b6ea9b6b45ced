import { z } from "zod";
import { exampleOfEvent } from "../../../src/api/description/events.ts";
import { notificationEvents } from "../../../src/domain/delivery/notification.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { notificationSchema } from "../../../src/schema/notification.ts";
import { type DescribedField, fieldList, table, withContents, wrapped } from "./markdown.ts";

const head = `# Events

The events that a business is notified of. This page is made from the schemas of their bodies. Do not edit it
here: run \`npm test -- docs/events-page -u\`. \`webhooks\` in \`GET /openapi.json\` says the same for generators. See also
[receiving](receiving.md) and the promises of [delivery](contract.md#delivery-and-retries).

- **At least once.** Chainbell sends a body again until a receiver answers 2xx, or the last attempt has failed. Each
  attempt has the same \`id\`: recognise a repetition by it.
- **No promised order.** Several events of the ledger are sent at once, and a retry comes later than its successors.
  Compare \`data.transactionId\`, and ask \`GET /transactions/:id\` for the present state.
- **More may come.** Ignore fields and events that you do not know.
- **A reversal has a direction.** \`data.type\` says which way the money had gone. Take a credit back for a deposit or
  payment. Undo a debit for a withdrawal ([reversals](receiving.md#reversals)).

Fields that several events share stand before the events. The examples are of one business: the
reversal undoes the deposit, and the pending event is of the deposit too.
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
      ...fieldSets.map(({ title, fields }) => `## ${title}\n\n${fieldList(fields)}`),
      ...events.map(section),
    ].join("\n"),
  );
}

type Event = keyof typeof notificationEvents;

/** Fields that several events have. They stand once on the page, before the events. */
const fieldSets = [
  { title: "Fields of every event", fields: commonTo(keysOf(notificationEvents)) },
  { title: "Fields of a transaction", fields: commonTo(eventsAbout("transaction")) },
  { title: "Fields of a balance", fields: commonTo(eventsAbout("wallet")) },
].map(({ title, fields }, index, [every]) => ({
  title,
  fields: index === 0 ? fields : without(fields, every?.fields ?? []),
}));

function section(event: Event): string {
  const example = JSON.stringify(exampleOfEvent(event), null, 2);
  const all = fieldsOf(z.toJSONSchema(notificationSchema(event)));
  // A test has every field of a transaction but one. The page then names the missing one.
  const sets = fieldSets.filter(({ fields }) => without(fields, all).length * 2 < fields.length);
  const missing = sets
    .flatMap(({ fields }) => without(fields, all))
    .map(({ name }) => `\`${name}\``);
  const links = sets.map(({ title }) => `the [${lowerFirst(title)}](#${anchorOf(title)})`);
  const but = missing.length === 0 ? "" : `, without ${missing.join(", ")}`;
  const own = without(
    all,
    sets.flatMap(({ fields }) => fields),
  );
  return [
    `## ${event}\n`,
    `Sent when ${notificationEvents[event].description}.\n`,
    `${wrapped(`It has ${links.join(" and ")}${but}. Its own are:`)}\n`,
    fieldList(own),
    `\`\`\`json\n${example}\n\`\`\`\n`,
  ].join("\n");
}

function eventsAbout(subject: string): Event[] {
  return keysOf(notificationEvents).filter((event) => event.startsWith(`${subject}.`));
}

/** The fields that all of these events have, described alike. */
function commonTo([first, ...others]: readonly Event[]): DescribedField[] {
  if (first === undefined) return [];
  const [fields, ...rest] = [first, ...others].map((event) =>
    fieldsOf(z.toJSONSchema(notificationSchema(event))),
  );
  return rest.reduce((common, these) => common.filter(isIn(these)), fields ?? []);
}

function without(fields: readonly DescribedField[], others: readonly DescribedField[]) {
  const isOther = isIn(others);
  return fields.filter((field) => !isOther(field));
}

function isIn(fields: readonly DescribedField[]): (field: DescribedField) => boolean {
  return ({ name, type, meaning }) =>
    fields.some((one) => one.name === name && one.type === type && one.meaning === meaning);
}

function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

type Field = z.core.JSONSchema.BaseSchema;

/** Each field that holds a value; a field that may be missing says so. */
function fieldsOf(schema: Field, before = ""): DescribedField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (typeof field === "boolean") return [];
    if (field.properties !== undefined) return fieldsOf(field, `${before}${name}.`);
    const isOptional = !(schema.required ?? []).includes(name);
    const type = `${typeOf(field)}${isOptional ? ", may be missing" : ""}`;
    return [{ name: `${before}${name}`, type, meaning: field.description ?? "" }];
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
