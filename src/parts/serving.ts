import { type ApiServer, createApiServer } from "../api/server.ts";
import { createCommands } from "../commands/commands.ts";
import { testWebhook } from "../commands/test-webhook.ts";
import type { Config } from "../config.ts";
import { decryptSecret } from "../domain/secret.ts";
import { createAdministration } from "../ledger/administration.ts";
import { createBusinessView } from "../ledger/business-view.ts";
import { createFixedPrices } from "../price/fixed-prices.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { closing, type Service } from "../runtime/service.ts";
import { createTargetCheck } from "../webhook/check-target.ts";
import { createResolveHost } from "../webhook/resolve-host.ts";
import { type Base, openSender, sendTimeoutMs } from "./base.ts";

/** From the ledger to its readers, and the operator's routes. `services` are those whose health it tells. */
export function serve(base: Base, services: () => Service[]): { sender: Service; api: ApiServer } {
  const { config, db, log } = base;
  const depths = new Map(config.chains.map((chain) => [chain.name, chain.confirmations]));
  const chainNames = config.chains.map((chain) => chain.name);
  const { priceOf } = createFixedPrices(configuredPrices(config), clock.now());
  const ledger = createBusinessView(db);
  const sender = openSender(base);
  const decrypt = (ciphertext: string) => decryptSecret(config.encryptionKey, ciphertext);
  const deps = {
    ...ledger,
    priceOf,
    requiredConfirmations: (chainName: string) => depths.get(chainName) ?? null,
    normaliseTarget: createTargetCheck({
      policy: config.webhooks.targets,
      resolve: createResolveHost(),
      timeoutMs: sendTimeoutMs,
    }),
    testWebhook: (name: { businessId: string; webhookId: string }) =>
      testWebhook({ ledger, sender, decrypt, clock }, name),
    encryptionKey: config.encryptionKey,
    adminTokens: config.adminTokens,
    commands: createCommands({ ledger: createAdministration(db), chainNames, clock }),
    health: () => healthOf(services()),
    clock,
    log,
  };
  const api = createApiServer(deps, { host: config.host, port: config.port });
  return { sender: closing("test sender", sender.close), api };
}

function healthOf(services: Service[]) {
  const told = services.map((service) => ({ name: service.name, trouble: service.trouble() }));
  return { ready: told.every(({ trouble }) => trouble === null), services: told };
}

function configuredPrices(config: Config) {
  return config.chains.flatMap((chain) =>
    [chain.nativeAsset, ...chain.assets].flatMap(({ code, usd }) =>
      usd === null ? [] : [{ chainName: chain.name, assetCode: code, usd }],
    ),
  );
}
