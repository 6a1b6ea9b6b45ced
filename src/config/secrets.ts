import { secretsOfUrl } from "../runtime/redaction.ts";
import type { Config } from "./config.ts";

/** Every value of the configuration that nobody else may read, wherever it was set. */
export function secretsOf(
  config: Pick<
    Config,
    | "databaseUrl"
    | "databaseDirectUrl"
    | "redisUrl"
    | "encryptionKeys"
    | "adminTokens"
    | "chains"
    | "prices"
    | "webhooks"
    | "operatorSignIn"
  >,
): string[] {
  const { encryptionKeys, adminTokens, chains, prices, webhooks, operatorSignIn } = config;
  const servers = [
    config.databaseUrl,
    config.databaseDirectUrl,
    config.redisUrl,
    webhooks.proxyUrl,
  ].flatMap((url) => (url === null ? [] : [url]));
  const providers = [...chains.flatMap(({ rpcUrls }) => rpcUrls), prices.http.url];
  const keys = (encryptionKeys ?? []).map(({ bytes }) => Buffer.from(bytes));
  return [
    ...[...servers, ...providers].flatMap(secretsOfUrl),
    ...keys.flatMap((key) => [
      key.toString("base64"),
      key.toString("base64url"),
      key.toString("hex"),
    ]),
    ...adminTokens.map(({ token }) => token),
    ...(operatorSignIn?.clientSecret ? [operatorSignIn.clientSecret] : []),
  ];
}
