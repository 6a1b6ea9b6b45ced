import type { Document, Operation, Schema } from "./document.ts";
import { operationsOf } from "./document.ts";

/** An example id of each kind of thing, so that a reader sees which fields name the same one. */
const ids = {
  business: "01a20098-1f40-7000-8000-3c9e5a7d2b18",
  delivery: "01a20098-8fc1-7000-8000-2d6b8e4f0a13",
  key: "01a20098-21a8-7000-8000-7e4c2f9b6d50",
  notification: "01a20098-8fc0-8006-8000-1e92b23647fa",
  recovery: "01a20098-b2f4-7000-8000-6c3a9e1d5f78",
  session: "01a20098-6a5c-7000-8000-0f8d3b5e7c21",
  sighting: "01a20098-8fc0-8007-8000-1f5c7e0a2b66",
  transaction: "01a20098-8fc0-7006-8000-07e22e7f4d94",
  wallet: "01a20098-39e4-7000-8000-02911919b011",
  webhook: "01a20098-8e18-7000-8000-4c1f0a7d2e35",
  other: "01a20098-2c90-7000-8000-5b7d3e9a1c42",
} as const;

/** An example value for fields with each name. The `examples` of a schema come first. */
const byName: Readonly<Record<string, unknown>> = {
  access_token: "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJrZXlfaWQiOiIwMWEy",
  account: "wallets",
  action: "webhook.register",
  actor: "ops",
  address: "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
  agreed: 21_000_012,
  amount: "1.5",
  asset: "USDC",
  assets: { ETH: 1.5, USDC: 2500.25 },
  at: "2026-01-31",
  attempt_count: 1,
  attempts: 1,
  block_hash: "0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6",
  block_number: 21_000_000,
  blockchain: "ethereum",
  body: '{"id":"01a20098-39e4-7000-8000-02911919b011","event":"transaction.deposit"}',
  business_id: ids.business,
  calls: 12_400,
  calls_hours: 24,
  cancelled: 2,
  certificate: "-----BEGIN CERTIFICATE-----",
  chain: "1.5",
  charged: 310_000,
  charged_in: "CU",
  checked: "2026-11-01",
  delivery_id: ids.delivery,
  gives_up: ["A block that may hold something of ours is asked for in two steps, not in one."],
  code: "chain_stopped",
  compared: 120,
  concurrency: 8,
  confirmations: 12,
  confirmed: 21_000_012,
  count: 3,
  currencies: ["ETH", "USDC"],
  cursor: "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0",
  difference: "0.5",
  discrepancies: 0,
  dropped: 1,
  endpoint: "rpc.example.com",
  endpoints: ["rpc.example.com"],
  entries: 86_579,
  error: "timeout",
  event: "transaction.deposit",
  expires_at: "2027-01-31T12:00:00Z",
  expires_in: 900,
  failures: 0,
  field: "limit",
  fingerprint: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  finding: "entry 17 is not what was recorded",
  from: "2026-01-01",
  from_block: 20_000_000,
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  head: 21_000_024,
  held: 0,
  header_names: ["Authorization"],
  headers: { Authorization: "Bearer 3Vt1mQ0yq5n0" },
  histories: 0,
  id: ids.other,
  in_flight: 10,
  key: "cb_3Vt1mQ0yq5n0o7Yh2cQm4l8w",
  key_id: ids.key,
  label: "shop in Lisbon",
  lag_blocks: 0,
  lag_seconds: 2,
  last: 21_000_000,
  last_error: "HTTP 429",
  made_by: ids.key,
  notification_id: ids.notification,
  reverses_notification_id: ids.notification,
  reversesNotificationId: ids.notification,
  session_id: ids.session,
  sighting_id: ids.sighting,
  sightingId: ids.sighting,
  silent_ms: 12_000,
  log_blocks: 10_000,
  latency_ms: 42,
  ledger: "1",
  left_assets: ["DUSD"],
  limit: 50,
  log_index: 17,
  message: "limit must be a whole number from 1 to 500; it is '9999'.",
  name: "ethereum",
  net_worth_usd: 6250.25,
  networks: ["198.51.100.0/28"],
  next_cursor: "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0",
  next_public_key: "whpk_2Lk0mXv8Jq1s5t7u9w0y2A4C6E8G0I2K4M6O8Q0S2U4=",
  notified: 1,
  number: 1,
  overlap_hours: 24,
  pending: { USDC: 100 },
  position: 21_000_024,
  prefix: "cb_3Vt1",
  private_key: "-----BEGIN PRIVATE KEY-----",
  public_key: "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  purpose: "deposit",
  queued: 4,
  rate: 50,
  recovery: ids.recovery,
  reason: "The history of the chain changed below its confirmed height.",
  reference: "customer-17",
  remedy: "Compare the endpoints, then run chain reset.",
  request_id: "8109552d-768d-416c-b820-4b386319cdf9",
  requests_per_second: 25,
  required_confirmations: 12,
  response: "ok",
  reversed: 0,
  score: 1,
  scopes: ["read"],
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  since: "2026-01-31T12:00:00Z",
  since_block: 20_999_000,
  source: "https://ethereum.org",
  status_code: 200,
  subject: ids.webhook,
  syncing_wallets: 0,
  times: 3,
  to: "2026-02-01",
  to_block: 20_999_000,
  transaction_id: ids.transaction,
  trace_path: "0.1",
  transactionId: ids.transaction,
  trouble: null,
  tx_hash: "0x825d3f0b7c9b4c7f5d2e8a1c6b3f9e0d4a7c2b5e8f1d6a3c9b0e7f4d2a51873a",
  unchained: 0,
  unpriced_assets: ["DUSD"],
  unproven: 0,
  until: "2026-02-01T12:00:00Z",
  url: "https://example.com/hook",
  usd_value: "2000",
  waiting: 0,
  wallet_id: ids.wallet,
  walletId: ids.wallet,
  webhook_id: ids.webhook,
  what: "balance",
  why: "silent",
};

/** The example if there is no better one. A test makes sure that the document has none of these. */
export const noExample = "no example";

/** Adds an example that fits the schema to every field, parameter, body and answer without one. */
export function addExamples(document: Document): void {
  for (const schema of Object.values(document.components.schemas)) nameExamples(schema);
  for (const { operation } of operationsOf(document)) addToOperation(document, operation);
}

function addToOperation(document: Document, operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    if (!("$ref" in parameter)) give(parameter.name, parameter.schema);
  }
  const responses = Object.values(operation.responses).flatMap((response) =>
    "$ref" in response ? [] : Object.values(response.content ?? {}),
  );
  for (const media of [...Object.values(operation.requestBody?.content ?? {}), ...responses]) {
    nameExamples(media.schema);
    media.example ??= exampleOf(media.schema, document);
  }
}

function nameExamples(schema: Schema): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) give(name, field);
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) nameExamples(part);
  if (schema.items !== undefined) nameExamples(schema.items);
}

function give(name: string, field: Schema): void {
  nameExamples(field);
  const example = byName[name];
  if (example !== undefined && isBare(field) && fits(example, field)) field.examples = [example];
}

/** True if the schema allows the example: one name may be a number here and a text there. */
function fits(example: unknown, { type, anyOf }: Schema): boolean {
  if (anyOf !== undefined) return anyOf.some((one) => fits(example, one));
  const own = example === null ? "null" : Array.isArray(example) ? "array" : typeof example;
  return [type ?? []].flat().some((one) => one === own || (one === "integer" && own === "number"));
}

/** True if nothing in the schema shows what its value looks like. */
function isBare({ $ref, enum: words, const: word, examples, properties, anyOf, items }: Schema) {
  const isObject = properties !== undefined || (items !== undefined && !isScalar(items));
  if (anyOf !== undefined) return !isObject && examples === undefined && anyOf.every(isBareOrNull);
  return [$ref, words, word, examples].every((one) => one === undefined) && !isObject;
}

function isBareOrNull(schema: Schema): boolean {
  return schema.type === "null" || isBare(schema);
}

function isScalar({ type, enum: words, examples }: Schema): boolean {
  return type === "string" && words === undefined && examples === undefined;
}

/** Makes a value that the schema allows. */
function exampleOf(schema: Schema, document: Pick<Document, "components">): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.$ref !== undefined) return exampleOf(resolve(schema.$ref, document), document);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const variants = schema.anyOf ?? schema.oneOf;
  const [variant] = (variants ?? []).filter(({ type }) => type !== "null");
  if (variant !== undefined) return exampleOf(variant, document);
  return exampleOfType(schema, document);
}

function exampleOfType(schema: Schema, document: Pick<Document, "components">): unknown {
  const [type] = [schema.type ?? "object"].flat();
  if (type === "boolean") return schema.default ?? true;
  if (type === "integer" || type === "number") return schema.default ?? 1;
  if (type === "string") return schema.format === "uuid" ? ids.other : noExample;
  if (type === "array")
    return schema.items === undefined ? [] : [exampleOf(schema.items, document)];
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, document)]));
}

function resolve(reference: string, { components }: Pick<Document, "components">): Schema {
  return components.schemas[reference.replace("#/components/schemas/", "")] ?? {};
}
