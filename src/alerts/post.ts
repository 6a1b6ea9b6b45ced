import { sendTimeoutMs } from "./channel.ts";
import { NotTaken } from "./failure-of.ts";

/** The bytes of an answer that are read, and the characters of them that are shown. */
const readBytes = 1_024;
const shownCharacters = 200;

/**
 * POSTs a body to a URL of the operator, which may be a private address. Verifies certificates, and
 * does not follow redirects. Returns the status with the start of the answer. Throws unless it is a
 * success. User and password of the URL are sent as basic authentication.
 */
export async function post(
  target: string,
  body: string,
  given: { headers: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<string> {
  const url = new URL(target);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const response = await fetch(url, {
    method: "POST",
    body,
    redirect: "manual",
    signal: AbortSignal.any([given.signal, AbortSignal.timeout(sendTimeoutMs)]),
    headers: {
      "content-type": "application/json",
      ...given.headers,
      ...(username === "" && password === "" ? {} : { authorization: basic(username, password) }),
    },
  });
  const answer = `${response.status} ${await startOf(response)}`.trim();
  if (response.ok) return answer;
  throw new NotTaken({ message: `It answered ${answer}`, code: "answered", values: { answer } });
}

function basic(username: string, password: string): string {
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

/** The start of an answer, in one line. */
async function startOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= readBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, readBytes).toString("utf8");
  return text.replace(/[\s\p{Cc}]+/gu, " ").slice(0, shownCharacters);
}
