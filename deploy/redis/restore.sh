#!/bin/sh
# Puts a copy of the data, made with redis-cli --rdb, into the folder of a stopped Redis or Valkey. When you start the server, it starts from the
# copy, with or without appendonly. The earlier content of the folder moves to before-restore. See "Backup and restore" in docs/operations.md.
#   sh restore.sh FOLDER < guildrank.rdb
set -eu
cd "${1:?must be the folder of the data, such as /data}"

fail() { echo "restore.sh: $1" >&2; exit 1; }
[ ! -e before-restore ] || fail "$1/before-restore is left over from an earlier restore: move it away, or delete it"
cat >restored.rdb
case $(head -c 6 restored.rdb) in
  REDIS* | VALKEY) ;;
  *) rm restored.rdb; fail "standard input is not a copy made with redis-cli --rdb" ;;
esac
# A copy that redis-cli wrote to standard output still ends with the mark of its transfer. The copy itself cannot end with such bytes.
if [ "$(tail -c 40 restored.rdb | tr -d 0-9a-f | wc -c)" -eq 0 ]; then
  head -c -40 restored.rdb >without-mark.rdb
  mv without-mark.rdb restored.rdb
fi
# A copy ends with the byte ff and a checksum of eight bytes.
[ "$(tail -c 9 restored.rdb | head -c 1 | od -An -tx1 | tr -d ' ')" = ff ] ||
  { rm restored.rdb; fail "the copy ends in the middle: make or transfer it again. Nothing was changed"; }
mkdir before-restore
for each in dump.rdb appendonlydir; do
  [ ! -e $each ] || mv $each before-restore/
done
mv restored.rdb dump.rdb
# These names are the defaults of Redis 7 and Valkey.
mkdir appendonlydir
cp dump.rdb appendonlydir/appendonly.aof.1.base.rdb
echo 'file appendonly.aof.1.base.rdb seq 1 type b' >appendonlydir/appendonly.aof.manifest
# Redis runs as the owner of its folder.
[ "$(id -u)" -ne 0 ] || chown -R "$(stat -c %u:%g .)" dump.rdb appendonlydir before-restore
