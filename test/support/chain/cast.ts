import { ANVIL_ACCOUNTS } from "./anvil.ts";

/** Who pays in most tests: an account that every anvil funds. */
export const [payer] = ANVIL_ACCOUNTS;

/** Who is watched in most tests: nobody holds its key, and nothing has happened to it. */
export const wallet = "0x00000000000000000000000000000000000a11ce";

/** The same address as answers show it, with its checksum. */
export const shownWallet = "0x00000000000000000000000000000000000A11cE";

/** In atomic units. */
export const ether = 10n ** 18n;
