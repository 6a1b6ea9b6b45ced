import type { ChainProfile } from "../../domain/chain/profile.ts";
import { type KnownToken, knownTokensOn } from "../../domain/setup/known-tokens.ts";
import type { NewChain } from "../../domain/setup/new-chain.ts";
import { invalidField } from "../../domain/text.ts";
import { defineCommand } from "../define-command.ts";
import { argument, optional, words } from "../parameter.ts";
import { nameOf, profileNamed } from "./chain-profile.ts";

export type ConfigInitPorts = {
  /**
   * Adds a chain to the configuration file, which is made if it is missing.
   * @throws Fault `invalid_configuration`
   */
  addChain: (chain: NewChain) => Promise<{ path: string; isNew: boolean }>;
};

type Input = {
  chain: string;
  rpc: readonly string[] | undefined;
  tokens: readonly string[] | undefined;
};

/**
 * Adds a known chain to the configuration file, with the tokens that their issuers list on it. All
 * other settings have the defaults for that chain. Without endpoints it writes a placeholder, which
 * the environment fills in.
 * @throws Fault `invalid_request` for an unknown chain or token
 * @throws Fault `invalid_configuration` if the file has the chain already
 */
export const configInit = defineCommand({
  noun: "config",
  name: "init",
  help: "Add a chain to the configuration file, or make the file. Tokens are those that Circle and Tether list themselves.",
  examples: [
    "config init ethereum --rpc https://rpc.example,wss://rpc.example --tokens USDC,USDT",
    "config init base --tokens USDC",
  ],
  takes: {
    chain: argument("<chain>", "a known chain: its name, the beginning of it, or its chain id"),
    rpc: optional(
      "--rpc <urls>",
      words,
      "its endpoints; otherwise the file names a variable of the environment",
    ),
    tokens: optional("--tokens <codes>", words, "the tokens to watch; otherwise only its coin"),
  },
  run: async ({ addChain }: ConfigInitPorts, input: Input) => {
    const profile = profileNamed(input.chain);
    const name = nameOf(profile);
    const tokens = tokensOf(profile, input.tokens ?? []);
    const variable = `${name.toUpperCase().replaceAll("-", "_")}_RPC`;
    const rpc = (input.rpc ?? [`\${${variable}}`]).map(requireEndpoint);
    const { path, isNew } = await addChain({ name, chainId: profile.chainId, rpc, tokens });
    return {
      file: path,
      made: isNew,
      chain: name,
      chain_id: profile.chainId,
      tokens: tokens.map(({ code }) => code),
      next: input.rpc === undefined ? `set ${variable}, then config check` : "config check",
    };
  },
});

/** @throws Fault `invalid_request`. A variable of the environment stands for any URL. */
function requireEndpoint(url: string): string {
  if (url.startsWith("${") || (/^(?:https?|wss?):\/\//i.test(url) && URL.canParse(url))) return url;
  throw invalidField("rpc", "expected URLs that begin with http://, https://, ws:// or wss://");
}

function tokensOf({ chainId, name }: ChainProfile, codes: readonly string[]): KnownToken[] {
  const known = knownTokensOn(chainId);
  return codes.map((code) => {
    const token = known.find((one) => one.code === code.toUpperCase());
    if (token !== undefined) return token;
    const there = known.map((one) => one.code).join(", ") || "none";
    throw invalidField(
      "tokens",
      `'${code}' is not in the built-in table of ${name} (${there}): write its address and decimals into the file yourself`,
    );
  });
}
