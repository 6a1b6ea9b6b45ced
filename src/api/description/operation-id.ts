/** Names of routes for which the rule below gives unusual words. */
const exceptions: Readonly<Record<string, string>> = {
  "GET /webhooks": "getWebhook",
  "POST /auth/token": "createAccessToken",
  "DELETE /auth/token": "endAccessToken",
  "GET /auth/tokens": "listAccessTokens",
  "DELETE /auth/tokens/{id}": "endListedAccessToken",
  "POST /webhooks/{id}/rotate-secret": "rotateWebhookSecret",
  "POST /webhooks/{id}/rotate-secret/finish": "finishWebhookSecretRotation",
  "POST /webhooks/{id}/recover": "recoverNotifications",
  "GET /webhooks/{id}/recoveries/{recovery}": "getWebhookRecovery",
  "GET /admin/webhooks/{id}/recoveries/{recovery}": "adminGetWebhookRecovery",
  "DELETE /admin/api-keys/{id}": "adminRevokeApiKey",
  "GET /admin/outbox": "adminGetOutbox",
  "GET /admin/search": "adminSearch",
  "POST /admin/businesses/{id}/console-link": "adminCreateConsoleLink",
};

/**
 * The name of a route in generated clients, from its method and its path
 * (`/wallets/{wallet_id}/balances`). It is a verb and the path's words: `listWallets`,
 * `getWalletBalances`, `updateWebhook`. All words but the last are singular. The last is singular
 * too if the route is about one thing, or is no GET. If the last word of a POST does not end in s,
 * it is the verb: `redeliverNotification`. Names of routes under /admin begin with `admin`.
 * @param isList true if the route answers pages
 */
export function operationIdOf(method: string, path: string, isList: boolean): string {
  const exception = exceptions[`${method} ${path}`];
  if (exception !== undefined) return exception;
  const segments = path.split("/").filter((segment) => segment !== "");
  const isAdmin = segments[0] === "admin";
  const parts = isAdmin ? segments.slice(1) : segments;
  const words = parts.filter((part) => !part.startsWith("{"));
  const last = words.at(-1) ?? "root";
  const parents = words.slice(0, -1).map(singular);
  const isOfOne = parts.at(-1)?.startsWith("{") ?? false;
  const name = (verb: string, ...nouns: string[]) =>
    camel([...(isAdmin ? ["admin"] : []), verb, ...nouns]);
  if (method === "POST" && !last.endsWith("s")) return name(last, ...parents);
  const one = isOfOne || method !== "GET";
  return name(isList ? "list" : (verbs[method] ?? "get"), ...parents, one ? singular(last) : last);
}

const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "create",
  PATCH: "update",
  DELETE: "delete",
};

function singular(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function camel(words: string[]): string {
  const [first = "", ...rest] = words.flatMap((word) => word.split("-"));
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
