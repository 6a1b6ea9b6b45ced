import {
  type Document,
  type Operation,
  operationsOf,
  type Parameter,
  type Response,
  type Schema,
} from "../../../src/api/description/document.ts";
import { keyScopes, scopesNeeded } from "../../../src/domain/business/api-key.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { bodySchemas, parametersOf, resolved } from "../api/described.ts";
import { credentialOf, type SampleRequest, samplesOf } from "./endpoint-samples.ts";
import { anchorsOf, type DescribedField, fieldList, wrapped } from "./markdown.ts";

type Described = { method: string; path: string; operation: Operation };

/** The pages of docs/reference: one for each group of endpoints, by its name without `.md`. */
export function endpointPages(document: Required<Document>): { name: string; text: string }[] {
  const operations = operationsOf(document);
  return document.tags.flatMap(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    if (own.length === 0) return [];
    return [{ name: fileOf(name), text: pageOf(document, name, description, own) }];
  });
}

/** The name of a group's page, without `.md`. */
export function fileOf(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z]+/g, "-");
}

function pageOf(
  document: Document,
  name: string,
  description: string,
  operations: readonly Described[],
): string {
  const sections = operations.map((one) => sectionOf(document, one));
  const contents = operations.map(({ method, path }) => {
    const title = titleOf(method, path);
    const [anchor = ""] = anchorsOf(`## ${title}`);
    return `[\`${title}\`](#${anchor})`;
  });
  return [
    `# ${name}\n`,
    `${description}\n`,
    `${wrapped(`This page is made from \`GET /openapi.json\`. Do not edit it here: run \`npm test -- api/openapi -u\`. The examples take the address of the API from \`API_URL\`.`)}\n`,
    `${wrapped(`**Contents:** ${contents.join(" · ")}`)}\n`,
    ...sections,
  ].join("\n");
}

function sectionOf(document: Document, { method, path, operation }: Described): string {
  const facts = [
    credentialFact(operation),
    repeatFact(document, method, operation),
    pagingFact(document, operation),
  ];
  return [
    `## ${titleOf(method, path)}\n`,
    `${wrapped(about(operation))}\n`,
    `${facts.map((fact) => wrapped(`- ${fact}`, "  ")).join("\n")}\n`,
    ...parameters(document, operation),
    ...bodyFields(document, operation),
    ...answers(document, operation),
    `${errors(document, operation)}\n`,
    samplesOf(sampleOf(document, method, path, operation)),
  ].join("\n");
}

/** The summary as a label, and the description where it says more. */
function about({ summary = "", description = "" }: Operation): string {
  const isMore = description.replace(/\.$/, "") !== summary;
  return `**${summary}.**${isMore ? ` ${description}` : ""}`.trim();
}

function titleOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

const credentials: Readonly<Record<string, string>> = {
  apiKey: "API key",
  accessToken: "access token",
  adminToken: "admin token",
};

function credentialFact(operation: Operation): string {
  const schemes = (operation.security ?? []).flatMap((one) => Object.keys(one));
  if (schemes.length === 0) return "**Credential:** none.";
  const named = schemes.map((scheme) => credentials[scheme] ?? scheme).join(" or ");
  const scopes = scopesOf(operation).map((one) => `[${one}](../routes.md)`);
  const needed = scopes.length === 0 ? "" : ` **Scope:** ${scopes.join(" and ")}.`;
  return `**Credential:** ${named}.${needed}`;
}

/** The scopes that an operation asks for, as code. */
export function scopesOf({ "x-scope": scope }: Operation): string[] {
  if (scope === undefined) return [];
  const ofKeys = keysOf(keyScopes).find((one) => one === scope);
  const needed = ofKeys === undefined ? [scope] : scopesNeeded(ofKeys);
  return needed.map((one) => `\`${one}\``);
}

function repeatFact(document: Document, method: string, operation: Operation): string {
  if (method === "get") return "**Repeating:** safe. The request changes nothing.";
  const hasKey = parametersOf(document, operation).some(({ name }) => name === "Idempotency-Key");
  if (hasKey)
    return "**Repeating:** safe with an [`Idempotency-Key`](../contract.md#idempotency): the same key gets the first answer again.";
  if (method === "post")
    return "**Repeating:** each request is carried out. It takes no `Idempotency-Key`.";
  return "**Repeating:** safe. A repeat leaves the same state behind.";
}

function pagingFact(document: Document, operation: Operation): string {
  const names = parametersOf(document, operation).map(({ name }) => name);
  if (names.includes("cursor"))
    return "**Paging:** give `next_cursor` of the answer as `cursor`, until it is null.";
  if (names.includes("after"))
    return "**Paging:** give the header `chainbell-cursor` of the answer as `after`.";
  return names.includes("limit") ? "**Paging:** none, `limit` is the most." : "**Paging:** none.";
}

function parameters(document: Document, operation: Operation): string[] {
  const fields = parametersOf(document, operation).map(
    ({ name, in: place, required, description, schema }) => ({
      name,
      type: [place, ...(required ? ["required"] : []), typeOf(document, schema)].join(", "),
      meaning: description ?? "",
    }),
  );
  return fields.length === 0 ? [] : ["Parameters:\n", fieldList(fields)];
}

function bodyFields(document: Document, operation: Operation): string[] {
  const forms = bodySchemas(document, operation)
    .map((schema) => fieldsOf(document, schema, { required: "required" }))
    .filter((fields) => fields.length > 0);
  return forms.flatMap((fields, index) => [
    index === 0 ? "Fields of the body:\n" : "Or, in another form of the body:\n",
    fieldList(fields),
  ]);
}

/** Each field, nested ones too; a note where it is not as the reader expects. */
function fieldsOf(
  document: Document,
  given: Schema,
  note: { required?: string; optional?: string },
  before = "",
): DescribedField[] {
  const schema = resolved<Schema>(document, given);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const shown = resolved<Schema>(document, field);
    const isRequired = (schema.required ?? []).includes(name);
    const noted = isRequired ? note.required : note.optional;
    const type = [typeOf(document, field), ...(noted === undefined ? [] : [noted])].join(", ");
    const meaning = field.description ?? shown.description ?? "";
    const own = { name: `${before}${name}`, type, meaning };
    return [own, ...fieldsOf(document, elementOf(document, field), note, `${before}${name}.`)];
  });
}

/** The fields of a success that hold what was asked for, and its example. */
function answers(document: Document, operation: Operation): string[] {
  return Object.entries(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, one]) => {
      const response = resolved<Exclude<Response, { $ref: string }>>(document, one);
      const [[type = "", media] = []] = Object.entries(response.content ?? {});
      if (media === undefined) return [`Answers ${status}.\n`];
      const fields = dataFields(document, media.schema);
      const language = type.includes("json") && !type.includes("ndjson") ? "json" : "text";
      const example =
        typeof media.example === "string"
          ? media.example.trimEnd()
          : JSON.stringify(media.example, null, 2);
      return [
        `Answers ${status}:\n`,
        ...(fields.length > 0 ? [fieldList(fields)] : []),
        ...(media.example === undefined ? [] : [`\`\`\`${language}\n${example}\n\`\`\`\n`]),
      ];
    });
}

function dataFields(document: Document, given: Schema): DescribedField[] {
  const schema = resolved<Schema>(document, given);
  const note = { optional: "may be missing" };
  const { data, success: _, ...properties } = schema.properties ?? {};
  const beside = fieldsOf(document, { ...schema, properties }, note);
  if (data === undefined) return beside;
  return [...fieldsOf(document, elementOf(document, data), note, "data."), ...beside];
}

/** The object behind a list, or behind the first of several forms. */
function elementOf(document: Document, given: Schema): Schema {
  const schema = resolved<Schema>(document, given);
  const [form] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== "null");
  const inner = schema.items ?? form;
  return inner === undefined ? schema : elementOf(document, inner);
}

function typeOf(document: Document, given: Schema): string {
  const schema = resolved<Schema>(document, given);
  const { enum: words, anyOf, oneOf, items, type, const: only } = schema;
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (words !== undefined) return words.map((word) => `\`${String(word)}\``).join(", ");
  const forms = anyOf ?? oneOf;
  if (forms !== undefined)
    return [...new Set(forms.map((one) => typeOf(document, one)))].join(" or ");
  if (items !== undefined) return `list of ${typeOf(document, items)}`;
  return [type ?? "any"].flat().join(" or ");
}

/** The codes with which each status refuses, as links. */
function errors(document: Document, operation: Operation): string {
  const lines = Object.entries(operation.responses)
    .filter(([status]) => /^[45]/.test(status))
    .map(([status, one]) => {
      const { description } = resolved<Exclude<Response, { $ref: string }>>(document, one);
      const codes = [...description.matchAll(/`([a-z_]+)`/g)].map(
        ([, code = ""]) => `[\`${code}\`](../errors.md#${code})`,
      );
      return wrapped(`- ${status}: ${codes.length > 0 ? codes.join(", ") : description}`, "  ");
    });
  return lines.length === 0 ? "Refuses nothing." : `Errors:\n\n${lines.join("\n")}`;
}

function sampleOf(
  document: Document,
  method: string,
  path: string,
  operation: Operation,
): SampleRequest {
  const parameters = parametersOf(document, operation);
  const valued = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const found = parameters.find((one) => one.name === name && one.in === "path");
    return found === undefined ? name : exampleOf(document, found);
  });
  const query = parameters
    .filter(
      ({ in: place, name, required }) =>
        place === "query" && (required || name === "limit" || name === "month"),
    )
    .map((one) => `${one.name}=${encodeURIComponent(exampleOf(document, one))}`)
    .join("&");
  const [[type = "", media] = []] = Object.entries(operation.requestBody?.content ?? {});
  return {
    method: method.toUpperCase(),
    path: query === "" ? valued : `${valued}?${query}`,
    credential: credentialOf(operation),
    body: media?.example === undefined ? null : { type, text: textOf(media.example) },
  };
}

/** Lines of another type stand as they are sent. */
function textOf(example: unknown): string {
  return typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

function exampleOf(
  document: Document,
  { schema, example }: Exclude<Parameter, { $ref: string }>,
): string {
  const { examples = [], enum: words = [] } = resolved<Schema>(document, schema);
  return String(example ?? examples[0] ?? words[0] ?? "1");
}
