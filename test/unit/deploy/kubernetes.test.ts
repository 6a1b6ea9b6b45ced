import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { inCheckout } from "../../support/checkout.ts";
import { type Manifest, manifestTrouble } from "../../support/deploy/kubernetes-schema.ts";

type Probe = { httpGet: { path: string; port: string } };
type Peer = { namespaceSelector: object; podSelector?: object };
type Container = {
  image: string;
  securityContext: object;
  resources: { limits: object };
  volumeMounts: { name: string }[];
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
};
type Pod = {
  securityContext: object;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  containers: Container[];
};
type Spec = {
  replicas: number;
  template: { metadata: { labels: object; annotations: Record<string, string> }; spec: Pod };
  ports: { targetPort: string }[];
  ingress: { from: Peer[]; ports: { port: string }[] }[];
};

const folder = inCheckout("deploy", "kubernetes");
const { resources, images } = parse(readFileSync(`${folder}/kustomization.yaml`, "utf8")) as {
  resources: string[];
  images: { name: string }[];
};

const manifests = resources.flatMap((file) =>
  parseAllDocuments(readFileSync(`${folder}/${file}`, "utf8")).map(
    (document) => document.toJS() as Manifest & { spec: Spec },
  ),
);
const ofKind = (kind: string) => manifests.filter((one) => one.kind === kind);
const daemons = ofKind("Deployment");
const pods = [...daemons, ...ofKind("Job")].map(({ spec }) => spec.template.spec);

test("every manifest of the folder is applied", () => {
  const apart = ["kustomization.yaml", "chainbell.yaml"];
  const files = readdirSync(folder).filter((file) => !apart.includes(file));
  expect(files.sort()).toEqual([...resources].sort());
});

test.each(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one] as const))(
  "%s is what Kubernetes' schemas allow",
  (_name, manifest) => {
    expect(manifestTrouble(manifest)).toEqual([]);
  },
);

describe("the schemas", () => {
  const [daemon] = daemons;
  const changed = (spec: object): Manifest => {
    const mutable: Manifest & { spec?: object } = { ...(daemon ?? expect.fail()) };
    return Object.assign(mutable, { spec: { ...daemon?.spec, ...spec } });
  };

  it("see a value that does not fit", () => {
    const trouble = manifestTrouble(changed({ replicas: "two" }));
    expect(trouble).toEqual([expect.stringContaining("replicas must be integer")]);
  });

  it("see a field that is not known", () => {
    expect(manifestTrouble(changed({ replica: 2 }))).toEqual(["spec.replica is not a field"]);
  });
});

test("every pod runs as nobody, may do nothing more, and cannot write into its image", () => {
  expect(pods).toHaveLength(3);
  for (const pod of pods) {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const { image, securityContext, resources: asked } of pod.containers) {
      expect(images.map(({ name }) => name)).toContain(image);
      expect(asked.limits).toHaveProperty("memory");
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  }
});

test("every daemon has two pods, its probes, a budget of disruptions and the time to end in order", () => {
  const budgets = ofKind("PodDisruptionBudget").map(({ spec }) => spec);
  expect(daemons).toHaveLength(2);
  for (const { spec } of daemons) {
    expect(spec.replicas).toBeGreaterThan(1);
    const pod = spec.template.spec;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(20);
    const [container] = pod.containers;
    const asked = (probe: Probe | undefined) => probe?.httpGet.path;
    expect(asked(container?.startupProbe)).toBe("/health/live");
    // One that is not ready is not restarted for it: an endpoint that is down mends by waiting.
    expect(asked(container?.livenessProbe)).toBe("/health/live");
    expect(asked(container?.readinessProbe)).toBe("/health/ready");
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    for (const probe of probes) expect(probe?.httpGet.port).toBe("http");
    expect(budgets).toContainEqual({
      minAvailable: 1,
      selector: { matchLabels: spec.template.metadata.labels },
    });
  }
});

test("a pod that answers goes on until no new connection comes to it, and has time left to end", () => {
  const [api] = daemons.filter(({ metadata }) => metadata.name === "chainbell-api");
  const pod = api?.spec.template.spec;
  const [program, option, script] = pod?.containers[0]?.lifecycle?.preStop.exec.command ?? [];
  // The image has no shell.
  expect([program, option]).toEqual(["node", "-e"]);
  const pauseS = Number(/^setTimeout\(\(\) => \{\}, (\d+)\)$/.exec(script ?? "")?.[1]) / 1_000;
  expect(pauseS).toBeGreaterThanOrEqual(5);
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(pauseS + 20);
});

test("/metrics and /admin are on a port of their own, which Prometheus alone is let in to", () => {
  for (const { spec } of daemons) {
    const { metadata, spec: pod } = spec.template;
    const { env = [], ports = [] } = pod.containers[0] ?? {};
    const port = ports.find(({ name }) => name === "operator")?.containerPort;
    expect(port).not.toBe(ports.find(({ name }) => name === "http")?.containerPort);
    // Loopback, which it is by default, is out of Prometheus' reach.
    expect(env).toContainEqual({ name: "OPERATOR_HOST", value: "0.0.0.0" });
    expect(env).toContainEqual({ name: "OPERATOR_PORT", value: String(port) });
    expect(metadata.annotations["prometheus.io/port"]).toBe(String(port));
  }
  for (const { spec } of ofKind("Service"))
    expect(spec.ports.map(({ targetPort }) => targetPort)).toEqual(["http"]);
  const rules = ofKind("NetworkPolicy").flatMap(({ spec }) => spec.ingress);
  expect(rules.map(({ ports }) => ports)).toEqual([[{ port: "http" }], [{ port: "operator" }]]);
  expect(rules[1]?.from).toEqual([
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } },
      podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } },
    },
  ]);
});

test("a policy holds for all pods, and keeps the addresses of a cloud's credentials from them", () => {
  const [policy] = ofKind("NetworkPolicy");
  expect(policy?.spec).toMatchObject({
    podSelector: { matchLabels: { "app.kubernetes.io/name": "chainbell" } },
    policyTypes: ["Ingress", "Egress"],
  });
  const text = JSON.stringify(policy?.spec);
  for (const range of ["169.254.0.0/16", "fd00:ec2::254/128"]) expect(text).toContain(range);
});
