// Package helper has functions that flows call.
package helper

import (
	"strings"
	"time"
)

// Stamp depends on the clock.
func Stamp() string { // want Stamp:`varies\(calls time.Now, which depends on the clock\)`
	return time.Now().String()
}

// Label depends on the clock through another function.
func Label() string { // want Label:`varies\(calls helper.Stamp, which calls time.Now, which depends on the clock\)`
	return "at " + Stamp()
}

// Log may be called, because nothing depends on it.
//
//wfc:deterministic no result depends on the time of a log line
func Log(text string) { println(time.Now().String(), text) }

// Upper always does the same.
func Upper(s string) string { return strings.ToUpper(s) }
