import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyAttestation } from "../../../scripts/attestation/verify.ts";
import { createSigning } from "../../../src/app/environment/signing.ts";
import { folderFiles } from "../../../src/bin/cli/folder-files.ts";
import { publish } from "../../../src/bin/cli/publish.ts";
import { createEvidenceSource } from "../../../src/chain/evidence-source.ts";
import { nothingUnread } from "../../../src/domain/chain/block-proof.ts";
import { usualWitness } from "../../../src/domain/chain/confirmation.ts";
import { expectedProof } from "../../../src/domain/chain/expected-proof.ts";
import { profileOf } from "../../../src/domain/chain/profiles/known-profiles.ts";
import type { AsOf } from "../../../src/domain/evidence/balances-at.ts";
import { readBusiness } from "../../../src/ledger/businesses/businesses.ts";
import { readConfirmedHeight, readStatement } from "../../../src/ledger/evidence/read-statement.ts";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { bind } from "../../../src/ledger/postgres/bind.ts";
import { ledgerAttest } from "../../../src/operator/ledger/attest.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { type Anvil, startAnvil } from "../chain/anvil.ts";
import { ether, payer, wallet } from "../chain/cast.ts";
import { type RpcProxy, startRpcProxy } from "../chain/rpc-proxy.ts";
import { deployToken, type TestToken } from "../chain/token.ts";
import { type WatchedChain, watchChain } from "../chain/watched-chain.ts";
import { keyringOf } from "../keyring.ts";
import { quiet } from "../quiet.ts";

/** A wallet that nothing is paid to. */
export const empty = "0x00000000000000000000000000000000000b0b00";

export type Attestation = Awaited<ReturnType<ReturnType<typeof attestedLedger>["written"]>>;

/** What an attestation reads from anvil, by its endpoint. */
export function evidenceAt(url: string) {
  const profile = profileOf(31_337);
  return createEvidenceSource(
    { clock: systemClock, log: quiet },
    {
      chainId: 31_337,
      urls: [url],
      timeoutMs: 10_000,
      tracing: "auto",
      balanceCheck: true,
      reading: "full",
      proof: expectedProof(profile, null),
      unreadable: nothingUnread,
      witness: usualWitness,
      nativeAliases: [],
      profile,
    },
  );
}

/** A ledger of a wallet with 2 ETH and a token, and of one with nothing, to be attested. */
export function attestedLedger() {
  let anvil: Anvil;
  let proxy: RpcProxy;
  let token: TestToken;
  let watched: WatchedChain;
  let folder: string;

  /** A wallet with 2 ETH and a token, and one with nothing. */
  async function open(): Promise<void> {
    folder = mkdtempSync(join(tmpdir(), "chainbell-attest-"));
    anvil = await startAnvil({});
    proxy = await startRpcProxy(anvil.rpcUrl);
    token = await deployToken(anvil);
    await token.mint(payer, 1_000_000n);
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens: [token.asset] });
    await watched.catchUp();
    for (const address of [wallet, empty]) await watched.addWallet(address);
    await anvil.mine(2);
    await watched.catchUp();
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 2n * ether });
    await token.transfer(payer, wallet, 50n);
    await anvil.rpc("evm_increaseTime", 60);
    await anvil.mine(3);
    await watched.catchUp();
  }

  async function close(): Promise<void> {
    await watched.stop();
    await proxy.stop();
    await anvil.stop();
    rmSync(folder, { recursive: true });
  }

  function ports() {
    const { db, chainName } = watched;
    return {
      ledger: bind(db, { readBusiness, readConfirmedHeight, readStatement }),
      openEvidence: () => evidenceAt(proxy.url),
      sign: createSigning({ db, config: { encryptionKeys: keyringOf(7) } }).sign,
      publish,
      folderFiles,
      chainNames: [chainName],
      clock: systemClock,
    };
  }

  async function attest(
    at?: AsOf,
    more: { business?: string; out?: string; blockchain?: string; publish?: string } = {},
  ) {
    const { business, out, blockchain, publish: to } = more;
    return ledgerAttest.perform(ports(), { at, business, out, blockchain, publish: to });
  }

  /** The public key of the installation, as an auditor has it from elsewhere. */
  async function publicKey(): Promise<string> {
    const [key] = await listSigningKeys(watched.db);
    if (key === undefined) throw new Error("No key was made.");
    return key.publicKey;
  }

  const verified = async (document: unknown) => verifyAttestation(document, await publicKey());

  async function written() {
    const { attestation } = await attest();
    if (attestation === null) throw new Error("No attestation was answered.");
    return attestation;
  }

  return {
    open,
    close,
    attest,
    written,
    publicKey,
    verified,
    scene: {
      get anvil() {
        return anvil;
      },
      get proxy() {
        return proxy;
      },
      get watched() {
        return watched;
      },
      get folder() {
        return folder;
      },
    },
  };
}
