import { makeConsoleLinks } from "../app/console-links.ts";
import type { OpenLedger } from "../app/environment/open-ledger.ts";
import { createAdministration } from "../app/operator.ts";
import type { DemoContent } from "../development/demo-content.ts";
import { faultIn } from "../domain/fault.ts";
import { businessCreate } from "../operator/business/create.ts";
import { keyCreate } from "../operator/key/create.ts";
import { ownerIn, walletAdd } from "../operator/wallet/add.ts";
import { systemClock } from "../runtime/clock.ts";

/** The actor for the audit trail. */
const by = { name: "demo", via: "system", address: null } as const;

/** The local chain's funded account that the demo business owns. */
const walletIndex = 5;

/**
 * Development mode on the local chain: makes the demo business, its key and its wallet once. At
 * every start, prints what there is and what to try first.
 */
export async function sayWhatIsHere(options: {
  ledger: OpenLedger;
  /** The name of the local chain. */
  localChain: string;
  url: string | null;
  /** Null: the console is not served. */
  consoleUrl: string | null;
}): Promise<void> {
  const { ledger, localChain, url, consoleUrl } = options;
  const demo = await seedOnce(ledger, localChain);
  const links = consoleUrl === null ? [] : await linksOf(ledger, { consoleUrl, demo });
  const chain = ledger.config.chains.find(({ name }) => name === localChain);
  const others = ledger.config.chains.filter((one) => one !== chain).map(({ name }) => name);
  const lines = [
    "",
    "Chainbell is running in development mode: embedded PostgreSQL, a local chain, loopback receivers allowed.",
    `  API        ${url ?? "(not served by this process)"}`,
    `  chain      ${chain?.name}, ${chain?.rpcUrls[0]} (anvil's well-known accounts are funded)`,
    `  token      ${chain?.assets[0]?.code} at ${chain?.assets[0]?.address}, mint(address,uint256) is open to anyone`,
    ...(others.length === 0
      ? []
      : [`  also       ${others.join(", ")}, of the configuration file`]),
    `  business   Demo Ltd, ${demo.businessId}, verified`,
    `  API key    ${demo.apiKey}`,
    `  wallet     ${demo.wallet}`,
    ...links,
    "Try:",
    `  curl -s ${url}/balance -H 'x-api-key: ${demo.apiKey}'`,
    "",
  ];
  process.stderr.write(`${lines.join("\n")}\n`);
}

async function linksOf(
  { db }: OpenLedger,
  { consoleUrl, demo }: { consoleUrl: string; demo: DemoContent },
): Promise<string[]> {
  const { businesses, operator } = await makeConsoleLinks(db, [demo.businessId]);
  return [
    "Open the console, signed in (each link is good for ten minutes, and once):",
    `  Demo Ltd   ${consoleUrl}${businesses[0]}`,
    `  operator   ${consoleUrl}${operator}`,
  ];
}

async function seedOnce(ledger: OpenLedger, localChain: string): Promise<DemoContent> {
  // Loaded only here: a production installation leaves the development dependencies out.
  const { readDemoContent, writeDemoContent } = await import("../development/demo-content.ts");
  const { config, db } = ledger;
  const stored = await readDemoContent(config.dataDir);
  // A new database does not have the stored business any more.
  if (stored !== null && (await isKnown(db, stored.businessId))) return stored;
  const made = await seed(ledger, localChain);
  await writeDemoContent(config.dataDir, made);
  return made;
}

async function isKnown(db: OpenLedger["db"], businessId: string): Promise<boolean> {
  try {
    await createAdministration(db, by, null).ledger.readBusiness(businessId);
    return true;
  } catch (error) {
    if (faultIn(error)?.code === "business_not_found") return false;
    throw error;
  }
}

async function seed({ config, db }: OpenLedger, localChain: string): Promise<DemoContent> {
  const { localAccount } = await import("../development/chain/demo-token.ts");
  const chainNames = config.chains.map((chain) => chain.name);
  const ports = {
    ...createAdministration(db, by, null),
    chainNames,
    clock: systemClock,
  };
  const business = await businessCreate.perform(ports, { name: "Demo Ltd", isVerified: true });
  const address = localAccount(walletIndex);
  const wallets = [{ blockchain: localChain, address }];
  // A start that was killed may have made both already, and stored nothing of it.
  const businessId = await walletAdd
    .perform(ports, { businessId: business.id, wallets, isList: false })
    .then(
      () => business.id,
      (error: unknown) => {
        const owner = ownerIn(error);
        if (owner === null) throw error;
        return owner;
      },
    );
  const { key } = await keyCreate.perform(ports, {
    businessId,
    label: "demo",

    scopes: undefined,
    networks: undefined,
    expiresAt: undefined,
    maxWallets: undefined,
  });
  return { businessId, apiKey: key, wallet: address };
}
