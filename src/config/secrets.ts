import { secretsOfUrl } from "../runtime/redaction.ts";
import type { Config } from "./config.ts";

/** Every value of the configuration that nobody else may read, wherever it was set. */
export function secretsOf(
  config: Pick<
    Config,
    "databaseUrl" | "redisUrl" | "encryptionKey" | "adminTokens" | "chains" | "prices" | "webhooks"
  >,
): string[] {
  const { databaseUrl, redisUrl, encryptionKey, adminTokens, chains, prices, webhooks } = config;
  const servers = [databaseUrl, redisUrl, webhooks.proxyUrl].flatMap((url) =>
    url === null ? [] : [url],
  );
  const providers = [...chains.flatMap(({ rpcUrls }) => rpcUrls), prices.http.url];
  const key = encryptionKey === null ? null : Buffer.from(encryptionKey);
  return [
    ...[...servers, ...providers].flatMap(secretsOfUrl),
    ...(key === null
      ? []
      : [key.toString("base64"), key.toString("base64url"), key.toString("hex")]),
    ...adminTokens.map(({ token }) => token),
  ];
}
