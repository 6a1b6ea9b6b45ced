# Build: everything, compiled. Run: node itself, compiled sources and production dependencies, as an unprivileged user, on a base
# without shell or package manager. Nothing is written into the container: its root file system may be read-only.
# The bases are pinned by digest: the tags beside them say what they were, and are not looked at. Others, or those of your own registry:
#   docker build --build-arg NODE_IMAGE=node:26-bookworm-slim --build-arg BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot .
# NODE_IMAGE has node at /usr/local/bin; BASE_IMAGE has the C++ libraries that it needs, but for libatomic.
# `npm run production` shows what the second stage and the build's result take, and that the daemon runs from them.
ARG NODE_IMAGE=node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
FROM ${NODE_IMAGE} AS build
WORKDIR /chainbell
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json prisma.config.ts ./
COPY prisma prisma
COPY scripts scripts
COPY src src
COPY console console
RUN npm run -s build
# Node 26 needs libatomic, which the base of the last stage lacks. Node itself says where it has found it.
RUN node scripts/libraries.mjs libatomic /libraries

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /chainbell
COPY package.json package-lock.json .npmrc ./
COPY scripts/strip.mjs scripts/
RUN npm ci --omit=dev --ignore-scripts && node scripts/strip.mjs

# The chain, the receiver and the traffic of `docker compose --profile demo`.
FROM build AS demo
COPY deploy/demo deploy/demo
# A volume there begins with this owner.
RUN node -e "fs.mkdirSync('/chain'); fs.chownSync('/chain', 65532, 65532)"
USER 65532:65532

FROM ${BASE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /chainbell
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /libraries/ /
COPY --from=dependencies /chainbell/node_modules node_modules
COPY --from=build /chainbell/dist/bin dist/bin
COPY --from=build /chainbell/dist/console dist/console
COPY prisma/migrations prisma/migrations
COPY package.json LICENSE ./
USER 65532:65532
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# In exec form, so that SIGTERM reaches the daemon.
CMD ["node", "--enable-source-maps", "dist/bin/main.js"]
