/**
 * What a program needs of our environment to run at all: nothing of the developer's own settings
 * reaches it. While tests run, Node has the options that vitest.config.ts gives to such programs.
 */
export function bareEnvironment(): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG"];
  const environment = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const options = process.env["CHAINBELL_TEST_NODE_OPTIONS"];
  return options === undefined ? environment : { ...environment, NODE_OPTIONS: options };
}
