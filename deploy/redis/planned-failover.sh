#!/bin/sh
# Makes a replica the master of Sentinels, and loses no write: docs/operations.md, "Failover". REDISCLI_AUTH is the password of Redis.
set -eu
: "${SENTINEL_URL:?must be the address of a Sentinel, such as redis://10.0.0.5:26379}"
: "${NAME:?must be the name that the Sentinels give the master, such as guilds}"
sentinel() { redis-cli -e -u "$SENTINEL_URL" SENTINEL "$@"; }
master() { sentinel GET-MASTER-ADDR-BY-NAME "$NAME" | paste -sd ' ' -; }
address=$(master)
[ -n "$address" ] || { echo "The Sentinel at $SENTINEL_URL knows no master $NAME" >&2; exit 1; }
old() { redis-cli -e -h "${address% *}" -p "${address#* }" "$@"; }
replicas=$(old INFO replication | grep -c '^slave[0-9]')
old CLIENT PAUSE 60000 WRITE
until [ "$(printf 'PING\nWAIT %s 1000\n' "$replicas" | old | tail -n 1)" -ge "$replicas" ]; do :; done
sentinel FAILOVER "$NAME" || { old CLIENT UNPAUSE; exit 1; }
while [ "$(master)" = "$address" ]; do sleep 0.1; done
old REPLICAOF $(master)
old CLIENT KILL TYPE normal
old CLIENT UNPAUSE
