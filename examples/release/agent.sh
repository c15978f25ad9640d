#!/usr/bin/env bash
# Stands in for an agent: it does what one might do, without a model. The request
# is on standard input; which step asks is also in the environment.
set -euo pipefail
cat > /dev/null
case $WFC_STEP_KEY in
write#1)
  printf '%s\n' 'Names may hold quotes.' 'Dark mode.' 'Chore: newer linter.' > notes.md
  echo 'Three lines, one for each change.'
  ;;
write#*)
  grep -v Chore notes.md > notes.new && mv notes.new notes.md
  echo 'I have left out the chore.'
  ;;
agreed/rework#*)
  { echo '# Version 2'; cat notes.md; } > notes.new && mv notes.new notes.md
  echo 'It has a heading now.'
  ;;
esac
