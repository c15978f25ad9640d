// Package house tests the module as a whole: its public names, its direct
// requirements, its licences, the picture of its packages, and the pages for
// contributors.
package house
