#!/usr/bin/env bash
# Fetches Redis and Valkey from releases of Debian, with the libraries that they need, and prints the path of each: for REDIS_SERVER.
# The servers run beside the servers of this system, and are kept in ~/.cache/guildrank-servers. Without names, the script fetches all servers.
#   scripts/dev/servers.sh [redis-8 valkey-8 valkey-9]
set -euo pipefail
declare -A PACKAGES=(
  [redis-8]=trixie/redis
  [valkey-8]=trixie/valkey
  [valkey-9]=forky/valkey
)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/guildrank-servers"

# Downloads a package of the release to the folder that this runs in, and the libraries that the package depends on.
download() {
  local package=$1 each
  [ -e "seen/$package" ] && return 0
  touch "seen/$package"
  # A package that provides another has no file of its own.
  [ -n "$(apt-cache "${apt[@]}" madison "$package")" ] || return 0
  apt-get "${apt[@]}" download "$package/$release" >&2
  dpkg-deb -x "$package"_*.deb root
  for each in $(dpkg-deb -f "$package"_*.deb Depends Pre-Depends | tr ',' '\n' | sed 's/^[A-Za-z-]*: //; s/|.*//; s/(.*//; s/:any//; s/ //g'); do
    case $each in lib* | zlib1g | lua-* | *-tools) download "$each" ;; esac
  done
}

fetch() {
  local name=$1 release=${PACKAGES[$1]%/*} program=${PACKAGES[$1]#*/}-server folder="$cache/$1"
  if [ ! -x "$folder/$program" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"/{lists,archives}/partial "$folder"/{seen,root}
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main" >"$folder/sources.list"
    apt=(-qq -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$folder/lists"
      -o Dir::Cache="$folder" -o APT::Sandbox::User=root)
    apt-get "${apt[@]}" update >&2
    cd "$folder"
    download "$program"
    # Each server gets its own loader and libraries, because the libraries of this system may be older.
    loader=$(find "$folder/root" -name 'ld-linux*' | head -1)
    libraries=$(find "$folder/root" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
    printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$loader" "$libraries" "$folder/root/usr/bin/$program" >"$program"
    rm -rf lists archives seen ./*.deb ./*pkgcache.bin sources.list
    chmod +x "$program"
    cd - >/dev/null
  fi
  "$folder/$program" --version >&2
  echo "$folder/$program"
}

for name in "${@:-redis-8 valkey-8 valkey-9}"; do
  for each in $name; do
    [ -n "${PACKAGES[$each]:-}" ] || { echo "servers.sh knows ${!PACKAGES[*]}, not $each" >&2; exit 2; }
    fetch "$each"
  done
done
