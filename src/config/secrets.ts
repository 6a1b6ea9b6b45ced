import type { RedisServers } from "../domain/setup/redis-servers.ts";
import { secretsOfUrl } from "../runtime/redaction.ts";
import type { Config } from "./config.ts";

/** Every value of the configuration that nobody else may read, wherever it was set. */
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
  >,
): string[] {
  const { encryptionKeys, adminTokens, chains, prices, webhooks, operatorSignIn } = config;
  const { databaseUrl, databaseDirectUrl, databaseReadUrl } = config;
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
  ];
}

function secretsOfRedis(redis: RedisServers): string[] {
  const logins = [redis.login, ...(redis.kind === "sentinel" ? [redis.sentinelLogin] : [])];
  const passwords = logins.map(({ password }) => password);
  return [...passwords, redis.tls?.key ?? null].filter((secret) => secret !== null);
}
