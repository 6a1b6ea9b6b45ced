import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Job } from "kubernetes-models/batch/v1/Job";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Service } from "kubernetes-models/v1/Service";

/**
 * Of Kubernetes' own OpenAPI description, which the package brings: nothing is asked of a cluster.
 */
const schemas: Record<string, (manifest: object) => object & { validate: () => void }> = {
  "apps/v1 Deployment": (manifest) => new Deployment(manifest as never),
  "batch/v1 Job": (manifest) => new Job(manifest as never),
  "networking.k8s.io/v1 NetworkPolicy": (manifest) => new NetworkPolicy(manifest as never),
  "policy/v1 PodDisruptionBudget": (manifest) => new PodDisruptionBudget(manifest as never),
  "v1 Namespace": (manifest) => new Namespace(manifest as never),
  "v1 Service": (manifest) => new Service(manifest as never),
};

export type Manifest = { apiVersion: string; kind: string; metadata: { name: string } };

/**
 * What is wrong with a manifest, one line each: values that do not fit, and fields that Kubernetes
 * does not know.
 */
export function manifestTrouble(manifest: Manifest): string[] {
  const schema = schemas[`${manifest.apiVersion} ${manifest.kind}`];
  if (schema === undefined) return [`${manifest.apiVersion} ${manifest.kind} is not known here`];
  const unread = new Set<string>();
  const model = schema(manifest);
  // Validators pass over what they do not know: so a field that none of them has looked at is
  // unknown.
  for (const [name, value] of Object.entries(manifest))
    Object.assign(model, { [name]: watched(value, name, unread) });
  try {
    model.validate();
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return [...unread].map((path) => `${path} is not a field`);
}

/**
 * The same value, which takes each field that is read out of `unread`, where all of them are put
 * first.
 */
function watched(value: unknown, path: string, unread: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((one, at) => watched(one, `${path}[${at}]`, unread));
  if (typeof value !== "object" || value === null) return value;
  const inner = Object.entries(value).map(([name, one]): [string, unknown] => {
    unread.add(`${path}.${name}`);
    return [name, watched(one, `${path}.${name}`, unread)];
  });
  return new Proxy(Object.fromEntries(inner), {
    get(target, name) {
      unread.delete(`${path}.${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}
