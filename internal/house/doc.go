// Package house holds the tests that keep the module in order as a whole: its
// public names, its direct requirements, the size of its files, and what
// docs/architecture.md says about them.
package house
