#!/bin/sh
# Makes a replica the master of Sentinels, and loses no write: docs/operations.md, "Failover". REDISCLI_AUTH is the password of Redis.
set -eu
SENTINEL_URL=${SENTINEL_URL:-redis://10.0.0.5:26379} NAME=${NAME:-guilds}
sentinel() { redis-cli -e -u "$SENTINEL_URL" SENTINEL "$@"; }
master() { sentinel GET-MASTER-ADDR-BY-NAME "$NAME" | paste -sd ' ' -; }
address=$(master)
old() { redis-cli -e -h "${address% *}" -p "${address#* }" "$@"; }
replicas=$(old INFO replication | grep -c '^slave[0-9]')
old CLIENT PAUSE 60000 WRITE
until [ "$(printf 'PING\nWAIT %s 1000\n' "$replicas" | old | tail -n 1)" -ge "$replicas" ]; do :; done
sentinel FAILOVER "$NAME" || { old CLIENT UNPAUSE; exit 1; }
while [ "$(master)" = "$address" ]; do sleep 0.1; done
old REPLICAOF $(master)
old CLIENT KILL TYPE normal
old CLIENT UNPAUSE
