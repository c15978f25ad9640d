#!/usr/bin/env bash
# Answers with the commits since yesterday, one a line.
git log --since=yesterday --format='%an: %s'
