#!/usr/bin/env bash
# Installs code-server, which contains a build of VS Code, and playwright-core into the
# folder $1. Both come from the npm registry. Debian's chromium is the browser.
#
# The installation script of code-server downloads a build of ripgrep from GitHub. This
# script does its other steps: the editor needs ripgrep only to search in files.
set -euo pipefail
export npm_config_yes=true # an installation script calls npx

mkdir -p "$1"
folder=$(cd "$1" && pwd)
code_server=4.100.3 # the last version for Node.js 20
playwright=1.65.1

if [ ! -e "$folder/node_modules/code-server/lib/vscode/node_modules.asar" ]; then
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" "code-server@$code_server" "playwright-core@$playwright"
  cd "$folder/node_modules/code-server"
  npm rebuild --silent --prefix "$folder" argon2
  cd lib/vscode
  npm install --silent --no-audit --no-fund --ignore-scripts --omit=dev
  for module in @parcel/watcher @vscode/spdlog kerberos native-watchdog node-pty; do
    npm rebuild --silent "$module" || { echo "$module could not be compiled; install g++, make, libkrb5-dev" >&2; exit 1; }
  done
  (cd extensions && npm install --silent --no-audit --no-fund --ignore-scripts --omit=dev)
  ln -sfn node_modules node_modules.asar
fi
