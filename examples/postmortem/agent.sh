#!/usr/bin/env bash
# Stands in for all agents of the demonstration: it reads a request, writes what
# the step asks for, and says what an agent would.
read -r request
case $WFC_STEP_KEY in
  ask_team*) echo "They saw the disk fill up at nine." ;;
  timeline*) echo "Nine o'clock: the disk is full. I learned that nobody watches the disk." ;;
  draft@6) printf '# The outage\nThe disk was full.\n' > report.md; echo "a first draft" ;;
  draft*) printf '# The outage\nThe disk was full.\n## Impact\nNo orders for an hour.\n' > report.md; echo "with the impact" ;;
esac
