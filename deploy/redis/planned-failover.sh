#!/bin/sh
# Makes a replica the master of Sentinels without losing a write. See "Failover" in docs/operations.md. REDISCLI_AUTH is the password of Redis, and
# REDIS_USER its user, which is "default" if you leave it out.
set -eu
: "${SENTINEL_URL:?must be the address of a Sentinel, such as redis://10.0.0.5:26379}"
: "${NAME:?must be the name that the Sentinels give the master, such as guildrank}"

fail() { echo "$1" >&2; exit 1; }
# A Sentinel has a password of its own or none, so it must not get REDISCLI_AUTH.
sentinel() { env -u REDISCLI_AUTH redis-cli -e -u "$SENTINEL_URL" SENTINEL "$@"; }
master() { sentinel GET-MASTER-ADDR-BY-NAME "$NAME" | paste -sd ' ' -; }

address=$(master)
[ -n "$address" ] || fail "The Sentinel at $SENTINEL_URL knows no master $NAME"
old() { redis-cli -e --no-auth-warning ${REDIS_USER:+--user "$REDIS_USER"} -h "${address% *}" -p "${address#* }" "$@"; }
state=$(old INFO replication)
replicas=$(echo "$state" | grep -c '^slave[0-9]') || fail "The master at $address has no replica"
# The loops below pause the writes again in each turn, because a write after the end of the pause would be lost.
pause() { old CLIENT PAUSE 60000 WRITE >/dev/null; }
trap 'old CLIENT UNPAUSE; exit 1' INT TERM
pause
until [ "$(printf 'PING\nWAIT %s 1000\n' "$replicas" | old | tail -n 1)" -ge "$replicas" ]; do pause; done
sentinel FAILOVER "$NAME" || { old CLIENT UNPAUSE; exit 1; }
while [ "$(master)" = "$address" ]; do pause; sleep 0.1; done
trap - INT TERM
old REPLICAOF $(master)
old CLIENT KILL TYPE normal
old CLIENT UNPAUSE
