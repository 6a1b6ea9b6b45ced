import type { Business } from "../domain/business/business.ts";
import { requirePlainText } from "../domain/text.ts";
import { presentBusiness, type ShownBusiness } from "./present.ts";

type Ledger = {
  createBusiness: (business: { name: string; isVerified: boolean }) => Promise<Business>;
};

/** A new customer; its keys open nothing until it is verified. @throws Fault `invalid_request` */
export async function createBusiness(
  ledger: Ledger,
  input: { name: string; verified?: boolean },
): Promise<ShownBusiness> {
  const name = requirePlainText(input.name, "name");
  return presentBusiness(
    await ledger.createBusiness({ name, isVerified: input.verified ?? false }),
  );
}
