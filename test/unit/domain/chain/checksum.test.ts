import { getAddress } from "viem/utils";
import { expect, test } from "vitest";
import { toChecksum } from "../../../../src/domain/chain/checksum.ts";
import { createRandom } from "../../../support/random.ts";

// From EIP-55 itself.
const published = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
];

test.each(published)("%s is shown as EIP-55 has it", (form) => {
  expect(toChecksum(form.toLowerCase())).toBe(form);
});

test("more addresses than are remembered are each shown as another implementation shows them, twice", () => {
  const random = createRandom(55);
  const digits = () => Array.from({ length: 40 }, () => random.upTo(16).toString(16)).join("");
  const addresses = Array.from({ length: 12_000 }, () => `0x${digits()}` as const);
  for (const address of [...addresses, ...addresses.slice(0, 100)]) {
    expect(toChecksum(address)).toBe(getAddress(address));
  }
});

test.each(["", "0x12", "0xZZ", "52908400098527886e0f7030069857d2e4169ee7"])(
  "what is no address is refused: '%s'",
  (text) => {
    expect(() => toChecksum(text)).toThrow(expect.objectContaining({ code: "invariant_broken" }));
  },
);
