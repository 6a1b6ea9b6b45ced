/** Removes from a text what others must not read. */
export type Redaction = {
  /**
   * Replaces every known secret, in all its forms. Reduces URLs to scheme and host. Safe to repeat.
   */
  text: (text: string) => string;
  /** Adds secrets. */
  learn: (secrets: readonly string[]) => void;
};

const censor = "[redacted]";

/** A shorter text is not treated as a secret: replacing it would make every line unreadable. */
const leastLength = 4;

/**
 * The parts of a URL: scheme, user and password, host with port, and the rest. Frames of a stack
 * are file URLs, and are not changed.
 */
const urls =
  /\b(?!file:)([a-z][a-z0-9+.-]{1,30}:\/\/)(?:[^\s"'`<>\\/?#]*@)?([^\s"'`<>\\/?#]*)([^\s"'`<>\\]*)/gi;

/**
 * Makes the redaction once, where the configuration is read. It is used for all that is logged or
 * shown.
 */
export function createRedaction(secrets: readonly string[]): Redaction {
  const known = new Set<string>();
  let pattern: RegExp | null = null;

  function learn(more: readonly string[]): void {
    for (const secret of more.filter(({ length }) => length >= leastLength)) {
      for (const form of formsOf(secret)) known.add(form);
    }
    // Longest first: if one secret contains another, the rest of the longer one must not remain.
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
 * The secrets in a URL of a provider or a server:
 * - the password, and the header made of user and password,
 * - the user name, if there is no password or the name looks like a key,
 * - parts of the path that look like keys,
 * - values of the query that look like keys, or whose name is that of a secret.
 *
 * A text that is not a URL is secret as a whole.
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
 * A URL of several servers separates its hosts by commas, each with its port. The standard does not
 * allow that.
 */
const furtherHosts = /^([a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?[^@/?#,]+),[^/?#]*/i;

const secretNames = /key|token|secret|pass|auth|sig/i;

/** True if a value with this name may be a secret. */
export function isSecretName(name: string): boolean {
  return secretNames.test(name);
}

/**
 * True if it is long, or not short and with a digit. "v3" and "mainnet" are in every provider's
 * URLs.
 */
function isKey(part: string): boolean {
  return part.length >= 20 || (part.length >= 8 && /\d/.test(part));
}

/**
 * The secret as it is, encoded as in URLs, as in JSON, and as in JSON within JSON. Log lines and
 * answers are JSON, and may quote JSON.
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
