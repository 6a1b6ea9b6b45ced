import { loadCryptography } from "../../chain/proof/hashing/cryptography.ts";
import { recordBlock } from "../../chain/recording/record-block.ts";
import { packRecording, unpackRecording } from "../../chain/recording/recording.ts";
import { verifyRecording } from "../../chain/recording/verify-recording.ts";
import type { ChainConfig } from "../../config/config.ts";
import { profileOf } from "../../domain/chain/profiles/known-profiles.ts";
import { invalidField } from "../../domain/text.ts";
import type { ByteFiles } from "../../operator/byte-files.ts";
import type { BlockRecordPorts } from "../../operator/setup/block-record.ts";
import type { BlockVerifyPorts } from "../../operator/setup/block-verify.ts";
import { profileNamed } from "../../operator/setup/chain-profile.ts";
import { systemClock as clock } from "../../runtime/clock.ts";

/**
 * The tools for files of recorded blocks.
 * @param readChains the configured chains; none if the configuration cannot be understood
 */
export function createBlockTools(
  readChains: () => Promise<readonly ChainConfig[]>,
  files: ByteFiles,
): BlockRecordPorts & BlockVerifyPorts {
  return {
    async recordBlock({ chain, number, url, path }) {
      const { chainId, url: from } = await endpointOf(await readChains(), chain, url);
      const recording = await recordBlock({ clock }, { url: from, chainId, number });
      const packed = packRecording(recording);
      const file = path ?? `${chainId}-${number}.json.gz`;
      await files.write(file, packed);
      // Verifies the packed file, so that the findings are those that its receiver will see.
      const findings = verifyRecording(await loadCryptography(), unpackRecording(packed));
      return { path: file, bytes: packed.length, findings };
    },

    async verifyBlock(path) {
      const recording = unpackRecording(await files.read(path));
      const { chainId, block } = recording;
      return {
        chainId,
        chain: profileOf(chainId).name,
        number: BigInt(String(block["number"])),
        hash: String(block["hash"]),
        findings: verifyRecording(await loadCryptography(), recording),
      };
    },
  };
}

/** A configured chain by its name. Else a known chain, or a chain id, together with a URL. */
async function endpointOf(
  chains: readonly ChainConfig[],
  wanted: string,
  given: string | null,
): Promise<{ chainId: number; url: string }> {
  const configured = chains.find(({ name }) => name === wanted);
  const url = given ?? configured?.rpcUrls[0];
  if (url === undefined)
    throw invalidField("rpc", `'${wanted}' is not configured: give the URL of an endpoint of it`);
  if (!/^(?:https?|wss?):\/\//i.test(url) || !URL.canParse(url))
    throw invalidField("rpc", "expected a URL of http, https, ws or wss");
  const isId = /^[1-9]\d{0,15}$/.test(wanted);
  const chainId = configured?.chainId ?? (isId ? Number(wanted) : profileNamed(wanted).chainId);
  return { chainId, url };
}
