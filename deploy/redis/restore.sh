#!/bin/sh
# Puts a copy of the data, as redis-cli --rdb makes it, into the folder of a Redis or Valkey that is stopped. It starts from the copy then,
# with and without appendonly. What was in the folder goes to before-restore there. See "Backup and restore" in docs/operations.md.
#   sh restore.sh FOLDER < guildrank.rdb
set -eu
cd "${1:?must be the folder of the data, such as /data}"

fail() { echo "restore.sh: $1" >&2; exit 1; }
[ ! -e before-restore ] || fail "$1/before-restore is there, from an earlier restore: move it away, or delete it"
cat >restored.rdb
case $(head -c 6 restored.rdb) in
  REDIS* | VALKEY) ;;
  *) rm restored.rdb; fail "the standard input is no copy by redis-cli --rdb" ;;
esac
# Written to the standard output, the copy still has the mark that ended its transfer. A copy itself cannot end so.
if [ "$(tail -c 40 restored.rdb | tr -d 0-9a-f | wc -c)" -eq 0 ]; then
  head -c -40 restored.rdb >without-mark.rdb
  mv without-mark.rdb restored.rdb
fi
mkdir before-restore
for each in dump.rdb appendonlydir; do
  [ ! -e $each ] || mv $each before-restore/
done
mv restored.rdb dump.rdb
# The names are the defaults of Redis 7 and Valkey.
mkdir appendonlydir
cp dump.rdb appendonlydir/appendonly.aof.1.base.rdb
echo 'file appendonly.aof.1.base.rdb seq 1 type b' >appendonlydir/appendonly.aof.manifest
# Redis runs as the owner of its folder.
[ "$(id -u)" -ne 0 ] || chown -R "$(stat -c %u:%g .)" dump.rdb appendonlydir before-restore
