#!/usr/bin/env bash
# Builds the postmortem workflow into a binary, runs it to a limit, resumes it with
# a higher one, and answers its questions. Usage: demo.sh PATH-TO-WFC
set -euo pipefail
wfc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ends runs a command and expects an exit code: 3 is a run that waits for a person, 5
# a run that reached a limit.
ends() {
  local want=$1 code=0
  shift
  "$@" < /dev/null || code=$?
  [ "$code" = "$want" ]
}

"$wfc" check --report "$here/postmortem.yaml"
"$wfc" build "$here/postmortem.yaml" -o "$work/postmortem"
cp "$here/agent.sh" "$work/"
cd "$work"
printf 'ERROR disk full\nok\nERROR disk full\n' > app.log
export WFC_STATE="$work/state"
agents=(--agent self=command:./agent.sh --agent gemini=command:./agent.sh)

echo "== ./postmortem graph"
./postmortem graph

echo
echo "== ./postmortem run --service orders --max-iterations 7 ${agents[*]}"
ends 5 ./postmortem run --service orders --max-iterations 7 "${agents[@]}"

echo
echo "== ./postmortem resume --max-iterations 30"
ends 3 ./postmortem resume --max-iterations 30

echo
echo "== ./postmortem answer latest y"
ends 3 ./postmortem answer latest y

echo
echo "== ./postmortem answer latest proceed"
./postmortem answer latest proceed

echo
echo "== ./postmortem status"
./postmortem status

echo
echo "== .graph-loop/postmortem"
ls .graph-loop/postmortem
cat .graph-loop/postmortem/memory.md
