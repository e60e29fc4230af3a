#!/bin/sh
# Installs bankapi as one file that needs no Node:
#
#   curl -fsSL https://github.com/bankapi/bankapi/releases/latest/download/install.sh | sh
#
# BANKAPI_INSTALL_DIR  the folder to put it into; ~/.local/bin by default
# BANKAPI_DOWNLOADS    where the files are, https (or http on this machine)
#
# Nothing runs before the last line: a script that arrives cut off does nothing.
set -eu

# The address of a release is assumed: nothing is published there yet.
downloads=${BANKAPI_DOWNLOADS:-https://github.com/bankapi/bankapi/releases/latest/download}
folder=${BANKAPI_INSTALL_DIR:-${HOME:?}/.local/bin}

fail() {
  printf 'bankapi was not installed: %s\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

file_for_this_machine() {
  case "$(uname -s) $(uname -m)" in
    'Linux x86_64' | 'Linux amd64') echo bankapi-linux-x64 ;;
    'Linux aarch64' | 'Linux arm64') echo bankapi-linux-arm64 ;;
    'Darwin arm64') echo bankapi-darwin-arm64 ;;
    MINGW* | MSYS* | CYGWIN*) fail "on Windows, download $downloads/bankapi-win-x64.exe yourself" ;;
    *) fail "there is no file for $(uname -s) $(uname -m); with Node 24: npm install -g bankapi" ;;
  esac
}

# download NAME: into the work folder
download() {
  if has curl; then
    curl -fsSL --connect-timeout 30 --proto "=$protocol" --proto-redir "=$protocol" \
      -o "$work/$1" "$downloads/$1" || fail "$downloads/$1 could not be downloaded"
  else
    wget -q -O "$work/$1" "$downloads/$1" || fail "$downloads/$1 could not be downloaded"
  fi
}

# sum_of NAME: as SHA256SUMS has it
sum_of() {
  awk -v name="$1" '$2 == name && length($1) == 64 { print $1; exit }' "$work/SHA256SUMS"
}

# verify NAME
verify() {
  expected=$(sum_of "$1")
  [ -n "$expected" ] || fail "SHA256SUMS does not have $1"
  if has sha256sum; then
    actual=$(sha256sum <"$work/$1")
  elif has shasum; then
    actual=$(shasum -a 256 <"$work/$1")
  else
    fail 'it takes sha256sum or shasum to verify what was downloaded'
  fi
  [ "${actual%% *}" = "$expected" ] ||
    fail "$1 is not the file that SHA256SUMS names (its checksum is ${actual%% *}, not $expected)"
}

main() {
  has curl || has wget || fail 'it takes curl or wget to download it'
  case $downloads in
    https://*) protocol=https ;;
    http://127.0.0.1:* | http://localhost:*) protocol=http ;;
    *) fail "BANKAPI_DOWNLOADS has to begin with https://" ;;
  esac
  file=$(file_for_this_machine)
  [ ! -d "$folder/bankapi" ] || fail "$folder/bankapi is a folder"
  mkdir -p "$folder" || fail "$folder cannot be made"
  # In the same folder, so that the finished file takes its place in one step.
  work=$(mktemp -d "$folder/.bankapi-install.XXXXXX") || fail "$folder cannot be written"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM

  download SHA256SUMS
  echo "Downloading $file from $downloads"
  if has xz && [ -n "$(sum_of "$file.xz")" ]; then
    download "$file.xz"
    verify "$file.xz"
    xz -d "$work/$file.xz" || fail "$file.xz cannot be unpacked"
  else
    download "$file"
  fi
  verify "$file"
  chmod 755 "$work/$file"
  version=$("$work/$file" --version) ||
    fail "$file does not run on this machine: on Linux it needs glibc 2.28, libstdc++ and libatomic (libatomic1 in Debian)"
  mv -f "$work/$file" "$folder/bankapi"

  echo "Installed $folder/bankapi: $version"
  case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "$folder is not in your PATH. Add it: export PATH=\"$folder:\$PATH\"" ;;
  esac
}

main
