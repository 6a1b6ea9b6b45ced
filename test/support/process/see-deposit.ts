import { ANVIL_ACCOUNTS, type Anvil } from "../chain/anvil.ts";
import { waitFor } from "../wait-for.ts";
import { createCustomer } from "./customer.ts";

/**
 * Has a customer of the daemon watch a wallet, pays it 5 wei, and waits until they are completed.
 */
export async function seeDeposit(
  daemon: Pick<Parameters<typeof createCustomer>[0], "url" | "admin">,
  { anvil, wallet, timeoutMs }: { anvil: Anvil; wallet: `0x${string}`; timeoutMs: number },
) {
  const [payer] = ANVIL_ACCOUNTS;
  const watched = { blockchain: "anvil", addresses: [wallet], receiver: null };
  const customer = await createCustomer({ ...daemon, ...watched });
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await waitFor(async () => (await customer.api.get("/transactions"))[0]?.status === "completed", {
    what: "the first deposit",
    timeoutMs,
  });
  return customer;
}
