import type { Page } from "playwright-core";
import type { AnvilOptions } from "../chain/anvil.ts";
import { payer, shownWallet } from "../chain/cast.ts";
import { allTests, eachTest } from "../each-test.ts";
import { type Customer, createCustomer } from "../process/customer.ts";
import { startDaemon } from "../process/daemon.ts";
import type { Deployment } from "../process/deployment.ts";
import { createResources } from "../resources.ts";
import { deploymentIn, startWorld, type World } from "../world.ts";
import { type Look, openPage, startBrowser } from "./browser.ts";

type ConsoleOptions = {
  /** Of the chain. */
  anvil?: AnvilOptions;
  /** What runs in the world; else its chain with one confirmation. */
  deploy?: (world: World) => Promise<Deployment>;
};

/** A daemon with its chain and no business, and a browser. */
async function startOperated({ anvil, deploy }: ConsoleOptions = {}) {
  const { open, end } = createResources();
  try {
    const world = await open(startWorld(anvil), (one) => one.end());
    const deployment = deploy === undefined ? deploymentIn(world) : await deploy(world);
    const daemon = await open(startDaemon(deployment), (one) => one.stop());
    const browser = await open(startBrowser(), (one) => one.close());
    const signIn = async (secret: string, look?: Look): Promise<SignedIn> => {
      const { page, complaints } = await openPage(browser, look);
      await page.goto(`${daemon.url}/console/`);
      await page.getByLabel("API key or operator's token").fill(secret);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("link", { name: "Skip to the content" }).waitFor();
      return { page, complaints };
    };
    return {
      databaseUrl: deployment.settings.databaseUrl,
      world,
      daemon,
      browser,
      /** Signs somebody in by a key or token, through the page as a person does it. */
      signIn,
      /** Signs the operator in. */
      asOperator: (look?: Look) => signIn(deployment.adminToken, look),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The same with a business, whose receiver can be told what to answer. */
async function startConsole(options: ConsoleOptions = {}) {
  const operated = await startOperated(options);
  const { world, daemon, signIn } = operated;
  try {
    const customer: Customer = await createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [shownWallet],
      receiver: world.receiver,
    });
    return {
      ...operated,
      customer,
      /** Signs the business in. */
      asBusiness: (look?: Look) => signIn(customer.key, look),
      /** Pays the business's wallet. */
      pay: (amountAtomic: bigint) =>
        world.anvil.sendNative({ from: payer, to: shownWallet, amountAtomic }),
    };
  } catch (error) {
    await operated.end();
    throw error;
  }
}

/** A page, and what the browser has said against it so far. */
type SignedIn = { page: Page; complaints: string[] };

/** A console for each test, see eachTest. */
export function eachConsole() {
  return eachTest(
    () => startConsole(),
    (one) => one.end(),
  );
}

/** One for all tests of a file, which only look at it, see allTests. */
export function oneConsole(options: ConsoleOptions = {}) {
  return allTests(
    () => startConsole(options),
    (one) => one.end(),
  );
}

/** One without a business, for all tests of a file. */
export function oneEmptyConsole() {
  return allTests(
    () => startOperated(),
    (one) => one.end(),
  );
}
