/** Takes what must not be read by others out of a text. */
export type Redaction = {
  /**
   * Every known secret is replaced, in whatever form it appears; of URLs scheme and host remain.
   * Safe to repeat.
   */
  text: (text: string) => string;
  /** Further secrets, known from now on. */
  learn: (secrets: readonly string[]) => void;
};

const censor = "[redacted]";

/** A shorter secret is no secret, and replacing it would make every line unreadable. */
const leastLength = 4;

/**
 * Of a URL: scheme, user and password, host with port, and all that follows. Frames of a stack are
 * files, and stay.
 */
const urls =
  /\b(?!file:)([a-z][a-z0-9+.-]{1,30}:\/\/)(?:[^\s"'`<>\\/?#]*@)?([^\s"'`<>\\/?#]*)([^\s"'`<>\\]*)/gi;

/**
 * One redaction is made where the configuration is read, and used for everything that is logged or
 * shown.
 */
export function createRedaction(secrets: readonly string[]): Redaction {
  const known = new Set<string>();
  let pattern: RegExp | null = null;

  function learn(more: readonly string[]): void {
    for (const secret of more.filter(({ length }) => length >= leastLength)) {
      for (const form of formsOf(secret)) known.add(form);
    }
    // The longest first: a secret that is part of another must not leave the rest of that one
    // behind.
    const forms = [...known].sort((one, other) => other.length - one.length).map(escaped);
    pattern = forms.length === 0 ? null : new RegExp(forms.join("|"), "g");
  }

  learn(secrets);
  return {
    learn,
    text(text) {
      const without = pattern === null ? text : text.replace(pattern, censor);
      return without.includes("://") ? without.replace(urls, "$1$2") : without;
    },
  };
}

/**
 * The secrets in a URL that a provider or a server gave:
 * - the password, and the header that user and password become,
 * - the user name, where there is no password or where the name looks like a key,
 * - parts of the path that look like keys,
 * - values of the query that look like keys or have a name of secrets.
 *
 * A text that is no URL is secret as a whole.
 */
export function secretsOfUrl(text: string): string[] {
  const ofOneHost = text.replace(furtherHosts, "$1");
  if (!URL.canParse(ofOneHost)) return [text];
  const url = new URL(ofOneHost);
  const { username, password } = url;
  const credentials = [password, ...(password === "" || isKey(username) ? [username] : [])];
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  const query = [...url.searchParams].flatMap(([name, value]) =>
    isKey(value) || isSecretName(name) ? [value] : [],
  );
  const path = url.pathname.split("/").filter(isKey);
  return [...credentials, ...(password === "" ? [] : [basic]), ...path, ...query].filter(
    (secret) => secret !== "",
  );
}

/**
 * A URL of several servers has its hosts between commas, each with its port, which is no URL by the
 * standard.
 */
const furtherHosts = /^([a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?[^@/?#,]+),[^/?#]*/i;

const secretNames = /key|token|secret|pass|auth|sig/i;

/** True if a value under this name may be a secret. */
export function isSecretName(name: string): boolean {
  return secretNames.test(name);
}

/** Long, or with a digit and not short: "v3" and "mainnet" are words of every provider's URLs. */
function isKey(part: string): boolean {
  return part.length >= 20 || (part.length >= 8 && /\d/.test(part));
}

/**
 * The secret as it is, as URLs write it, as JSON does, and as JSON in JSON. Log lines and answers
 * are JSON, and may quote JSON.
 */
function formsOf(secret: string): string[] {
  const plain = decoded(secret);
  const forms = [secret, plain, encodeURIComponent(plain), encodeURI(plain)];
  const inJson = forms.map(quoted);
  return [...new Set([...forms, ...inJson, ...inJson.map(quoted)])];
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
