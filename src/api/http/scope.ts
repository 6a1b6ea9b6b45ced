import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Web } from "./web.ts";

/** Registers routes with hooks that apply only to these routes. */
export function addScope(web: Web, prefix: string, add: (scope: Web) => void): void {
  web.register(
    (plugin, _options, done) => {
      add(plugin.withTypeProvider<ZodTypeProvider>());
      done();
    },
    { prefix },
  );
}
