import { Fault } from "../../domain/fault.ts";
import { readQuantity } from "../rpc/rpc-value.ts";
import type { Endpoint } from "./endpoint.ts";

export async function askChainId(endpoint: Endpoint): Promise<number> {
  const answer = await endpoint.ask("chain id", { method: "eth_chainId", params: [] });
  return Number(readQuantity(answer, "chain id"));
}

/** @throws Fault `wrong_chain_id` if the endpoint serves another chain */
export async function requireChain(endpoint: Endpoint, chainId: number): Promise<void> {
  const served = await askChainId(endpoint);
  if (served === chainId) return;
  const message = `Endpoint ${endpoint.name} serves chain ${served}, not ${chainId}.`;
  throw new Fault("wrong_chain_id", message);
}
