# Images of the emulator and of the command line; docs/container.md.
#   docker build --tag bankapi-emulator .
#   docker build --tag bankapi --target cli .
ARG NODE=docker.io/library/node:24.21.0-bookworm-slim

FROM ${NODE} AS build
WORKDIR /source
COPY package.json package-lock.json ./
COPY packages packages
RUN npm ci --no-audit --no-fund
COPY . .
# What npm publishes, with the versions of package-lock.json.
RUN npm pack --pack-destination /tmp
RUN mkdir /opt/bankapi && tar -xzf /tmp/bankapi-*.tgz -C /opt/bankapi --strip-components 1
WORKDIR /opt/bankapi
RUN cp /source/package-lock.json . && npm ci --workspaces=false --omit=dev --ignore-scripts --no-audit --no-fund
RUN mkdir -m 700 /data

FROM ${NODE} AS cli
COPY --from=build /opt/bankapi /opt/bankapi
RUN ln -s /opt/bankapi/bin/run.js /usr/local/bin/bankapi
# A volume that is mounted here gets this owner and mode.
COPY --from=build --chown=1000:1000 /data /data
# Everything that is kept is in /data. Its folders are made by bankapi itself, closed to others whatever the volume's mode.
ENV BANKAPI_CONFIG_DIR=/data/config BANKAPI_DATA_DIR=/data/state XDG_CACHE_HOME=/tmp/cache
USER 1000:1000
WORKDIR /data
VOLUME /data
ENTRYPOINT ["bankapi"]

FROM cli AS emulator
EXPOSE 4010 4011
# Of the answer only the process id: Docker keeps what a check prints, and keys are no part of that.
HEALTHCHECK --interval=5s --timeout=5s --start-period=15s CMD ["bankapi", "emulator", "status", "--jq", ".pid"]
CMD ["emulator", "start", "--host", "0.0.0.0"]
