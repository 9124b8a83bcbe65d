# Node 24 is LTS until April 2028. The slim Debian image is the smallest image with glibc, which Node's own builds use.
# To use another Node, add --build-arg NODE_IMAGE=... Node 26 became LTS only last month. Node 20 does not know an option in NODE_OPTIONS below.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY src/kit/package.json src/kit/
COPY src/widget/package.json src/widget/
RUN npm ci --ignore-scripts --no-audit --no-fund
# This copies everything that .dockerignore lets through.
COPY . .
RUN npm run build

# dist holds all packages but two: resvg, which draws pictures and is a program of the machine, and the SDK of OpenTelemetry. "Traces" in
# docs/operations.md says how to add the SDK to an image.
FROM ${NODE_IMAGE}
# :: means all addresses of IPv6 and IPv4. ADMIN_HOST need not be loopback here, because the port stays inside the container until you publish it.
ENV NODE_ENV=production HOST=:: PORT=8080 ADMIN_HOST=:: ADMIN_PORT=9464 DASHBOARD_HEALTH_PORT=9464
# In a small container, Node by itself makes the young generation 1 MB, which doubles the CPU time, and lets the old generation fill the container
# until the kernel kills the process. MALLOC_TRIM_THRESHOLD_ makes glibc give freed memory back.
ENV NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size-percentage=50" MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/node_modules/@resvg node_modules/@resvg
COPY --from=build /app/dist dist
# This is the image's user "node". Its number stands here because Kubernetes cannot check by name that a user is not root.
USER 1000:1000
EXPOSE 8080 9464
# This asks only whether the process runs: without Redis, a restart would not help. The admin port answers even while clients fill the public port.
HEALTHCHECK --interval=10s --timeout=3s --start-period=35s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${Number(process.env.ADMIN_PORT) || process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# With this entry point, `docker run guildrank keys create --guild ID` works too. As PID 1, the service handles SIGTERM itself.
ENTRYPOINT ["node", "dist/guildrank.cjs"]
CMD ["serve"]
