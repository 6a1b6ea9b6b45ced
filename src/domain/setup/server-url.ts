/**
 * A URL of one server, or of several servers of one service. Several hosts are separated by commas,
 * as libpq and Sentinel do.
 */
export type ServerUrl = {
  /** The scheme with its colon. */
  scheme: string;
  /** Decoded; null: the URL has none. */
  username: string | null;
  password: string | null;
  /** At least one. */
  hosts: readonly ServerAddress[];
  /** Decoded, without the slash before it. */
  path: string;
  query: URLSearchParams;
};

/** `port` null: the URL names none. */
export type ServerAddress = { host: string; port: number | null };

const form = /^([a-z][a-z0-9+.-]*:)\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const hostForm = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i;

/** Parses a URL. Null: the text is no such URL. */
export function parseServerUrl(text: string): ServerUrl | null {
  const parts = form.exec(text);
  if (parts === null) return null;
  const [, scheme = "", login, authority = "", path = "", query = ""] = parts;
  const hosts = authority.split(",").map(parseHost);
  const [username, password] = parseLogin(login);
  const known = hosts.filter((host) => host !== null);
  const texts = [username, password, path].map(decoded);
  const [user, word, place] = texts;
  if (known.length !== hosts.length || texts.includes(undefined)) return null;
  return {
    scheme: scheme.toLowerCase(),
    username: user ?? null,
    password: word ?? null,
    hosts: known,
    path: place ?? "",
    query: new URLSearchParams(query),
  };
}

function parseHost(text: string): ServerAddress | null {
  const parts = hostForm.exec(text);
  if (parts === null) return null;
  const [, host = "", port] = parts;
  if (Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  return { host: host.replace(/^\[|\]$/g, ""), port: port === undefined ? null : Number(port) };
}

function parseLogin(login: string | undefined): [string | null, string | null] {
  if (login === undefined) return [null, null];
  const colon = login.indexOf(":");
  const username = colon === -1 ? login : login.slice(0, colon);
  const password = colon === -1 ? null : login.slice(colon + 1);
  return [username === "" ? null : username, password === "" ? null : password];
}

/** The decoded text. Undefined: its percent-encoding is malformed. */
export function decoded(text: string | null): string | null | undefined {
  if (text === null) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
