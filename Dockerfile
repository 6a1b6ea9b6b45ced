# Build: everything, compiled. Run: compiled sources and production dependencies, as an unprivileged user.
# The base is pinned by digest: the tag beside it says what it was, and is not looked at. A newer one, or one of your own registry:
#   docker build --build-arg NODE_IMAGE=node:24-bookworm-slim .
# `npm run production` shows what the second stage and the build's result take, and that the daemon runs from them.
ARG NODE_IMAGE=node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e
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

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /chainbell
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /chainbell
COPY --from=dependencies /chainbell/node_modules node_modules
COPY --from=build /chainbell/dist dist
COPY prisma/migrations prisma/migrations
COPY package.json LICENSE ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# In exec form, so that SIGTERM reaches the daemon.
CMD ["node", "--enable-source-maps", "dist/bin/main.js"]
