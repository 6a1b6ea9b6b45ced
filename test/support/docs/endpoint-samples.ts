import type { Operation } from "../../../src/api/description/document.ts";

/** One request, as the four samples of a page make it. */
export type SampleRequest = {
  method: string;
  /** With its query. */
  path: string;
  /** The header that carries the credential, and the variable of the environment that has it. */
  credential: { header: string; before: string; variable: string } | null;
  /** Its type, and its text: JSON on several lines, or lines of another type. */
  body: { type: string; text: string } | null;
};

/** Where the credential of an operation stands in a request. */
export function credentialOf({ security = [] }: Operation): SampleRequest["credential"] {
  const schemes = new Set(security.flatMap((one) => Object.keys(one)));
  if (schemes.has("apiKey")) return { header: "x-api-key", before: "", variable: "API_KEY" };
  const bearer = { header: "authorization", before: "Bearer " };
  if (schemes.has("adminToken")) return { ...bearer, variable: "ADMIN_TOKEN" };
  return schemes.has("accessToken") ? { ...bearer, variable: "ACCESS_TOKEN" } : null;
}

/** The same request by curl, Node, Python and Go, as Markdown. */
export function samplesOf(request: SampleRequest): string {
  const samples = [
    ["sh", curl(request)],
    ["js", node(request)],
    ["python", python(request)],
    ["go", go(request)],
  ];
  return samples.map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\`\n`).join("\n");
}

function curl({ method, path, credential, body }: SampleRequest): string {
  const verb = method === "GET" ? "" : ` -X ${method}`;
  return [
    `curl -s${verb} "$API_URL${path}"`,
    ...(credential
      ? [`-H "${credential.header}: ${credential.before}$${credential.variable}"`]
      : []),
    ...(body === null
      ? []
      : [
          `-H 'content-type: ${body.type}'`,
          `${isJson(body) ? "-d" : "--data-binary"} '${body.text}'`,
        ]),
  ].join(" \\\n  ");
}

function node({ method, path, credential, body }: SampleRequest): string {
  const headers = [
    ...(credential ? [`"${credential.header}": ${secretOfNode(credential)}`] : []),
    ...(body === null ? [] : [`"content-type": "${body.type}"`]),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(", ")} },`] : []),
    ...(body === null ? [] : [`  body: ${nodeBody(body)},`]),
  ];
  const second = options.length > 0 ? `, {\n${options.join("\n")}\n}` : "";
  return [
    `const response = await fetch(\`\${process.env.API_URL}${path}\`${second});`,
    "console.log(response.status, await response.text());",
  ].join("\n");
}

type Body = NonNullable<SampleRequest["body"]>;

const isJson = ({ type }: Body) => type === "application/json";

function nodeBody(body: Body): string {
  const { text } = body;
  return isJson(body) ? `JSON.stringify(${indented(text, "  ")})` : JSON.stringify(text);
}

function secretOfNode({ before, variable }: NonNullable<SampleRequest["credential"]>): string {
  return before === "" ? `process.env.${variable}` : `\`${before}\${process.env.${variable}}\``;
}

function python({ method, path, credential, body }: SampleRequest): string {
  const headers = [
    ...(credential
      ? [
          `"${credential.header}": ${credential.before === "" ? "" : `"${credential.before}" + `}os.environ["${credential.variable}"]`,
        ]
      : []),
    ...(body === null ? [] : [`"content-type": "${body.type}"`]),
  ];
  return [
    "import os, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    os.environ["API_URL"] + "${path}",`,
    `    method="${method}",`,
    ...(headers.length > 0 ? [`    headers={${headers.join(", ")}},`] : []),
    ...(body === null
      ? []
      : [`    data=b"""${isJson(body) ? indented(body.text, "    ") : body.text}""",`]),
    ")",
    "with urllib.request.urlopen(request) as response:",
    "    print(response.status, response.read().decode())",
  ].join("\n");
}

function go({ method, path, credential, body }: SampleRequest): string {
  const reader = body === null ? "nil" : `strings.NewReader(\`${body.text}\`)`;
  const value = ({ before, variable }: NonNullable<SampleRequest["credential"]>) =>
    `${before === "" ? "" : `"${before}"+`}os.Getenv("${variable}")`;
  return [
    `request, _ := http.NewRequest("${method}", os.Getenv("API_URL")+"${path}", ${reader})`,
    ...(credential ? [`request.Header.Set("${credential.header}", ${value(credential)})`] : []),
    ...(body === null ? [] : [`request.Header.Set("content-type", "${body.type}")`]),
    "response, err := http.DefaultClient.Do(request)",
    "if err != nil {",
    "\tlog.Fatal(err)",
    "}",
    "defer response.Body.Close()",
    "io.Copy(os.Stdout, response.Body)",
  ].join("\n");
}

/** Every line but the first further to the right. */
function indented(text: string, by: string): string {
  return text.replaceAll("\n", `\n${by}`);
}
