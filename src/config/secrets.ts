import type { AlertSettings } from "../domain/alerts/alert-settings.ts";
import type { RedisServers } from "../domain/setup/redis-servers.ts";
import type { SpanExport } from "../domain/setup/span-export.ts";
import { secretsOfUrl } from "../runtime/redaction.ts";
import type { Config } from "./config.ts";

/** Every secret value of the configuration, wherever it was set. */
export function secretsOf(
  config: Pick<
    Config,
    | "databaseUrl"
    | "databaseDirectUrl"
    | "databaseReadUrl"
    | "redis"
    | "encryptionKeys"
    | "adminTokens"
    | "chains"
    | "prices"
    | "webhooks"
    | "operatorSignIn"
    | "alerts"
    | "spanExport"
  >,
): string[] {
  const { encryptionKeys, adminTokens, chains, prices, webhooks, operatorSignIn, alerts } = config;
  const { databaseUrl, databaseDirectUrl, databaseReadUrl, spanExport } = config;
  const databases = [databaseUrl, databaseDirectUrl, databaseReadUrl];
  const servers = [...databases, webhooks.proxyUrl].filter((url) => url !== null);
  const providers = [...chains.flatMap(({ rpcUrls }) => rpcUrls), prices.http.url];
  const keys = (encryptionKeys ?? []).map(({ bytes }) => Buffer.from(bytes));
  return [
    ...[...servers, ...providers].flatMap(secretsOfUrl),
    ...keys.flatMap((key) => [
      key.toString("base64"),
      key.toString("base64url"),
      key.toString("hex"),
    ]),
    ...(config.redis === null ? [] : secretsOfRedis(config.redis)),
    ...adminTokens.map(({ token }) => token),
    ...(operatorSignIn?.clientSecret ? [operatorSignIn.clientSecret] : []),
    ...(alerts === null ? [] : secretsOfAlerts(alerts)),
    ...(spanExport === null ? [] : secretsOfExport(spanExport)),
  ];
}

/** Of `Bearer TOKEN` also the token alone, because it may be shown without the word before it. */
function secretsOfExport({ url, headers }: SpanExport): string[] {
  const values = Object.values(headers);
  return [...secretsOfUrl(url), ...values.flatMap((value) => [value, value.replace(/^.* /, "")])];
}

function secretsOfRedis(redis: RedisServers): string[] {
  const logins = [redis.login, ...(redis.kind === "sentinel" ? [redis.sentinelLogin] : [])];
  const passwords = logins.map(({ password }) => password);
  return [...passwords, redis.tls?.key ?? null].filter((secret) => secret !== null);
}

function secretsOfAlerts({ webhook, slack, smtp }: AlertSettings): string[] {
  const targets = [webhook, slack, smtp].filter((one) => one !== null);
  return [
    ...targets.flatMap(({ url }) => secretsOfUrl(url)),
    ...(webhook?.secret ? [webhook.secret] : []),
    ...(smtp === null ? [] : loginsOf(smtp.url)),
  ];
}

/** The base64 texts that log in to a mail server, as AUTH PLAIN and AUTH LOGIN write them. */
function loginsOf(url: string): string[] {
  const { username, password } = new URL(url);
  const [user, word] = [decodeURIComponent(username), decodeURIComponent(password)];
  if (word === "") return [];
  return [`\u0000${user}\u0000${word}`, word].map((text) =>
    Buffer.from(text, "utf8").toString("base64"),
  );
}
