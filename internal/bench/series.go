//go:build unix

package main

import (
	"fmt"
	"slices"
	"time"
)

// A series is what several runs of one process took.
type series []sample

// median and least return the wall-clock time of the middle and of the
// quickest run.
func (s series) median() time.Duration { return s.sorted()[len(s)/2] }
func (s series) least() time.Duration  { return s.sorted()[0] }

func (s series) sorted() []time.Duration {
	var list []time.Duration
	for _, one := range s {
		list = append(list, one.wall)
	}
	slices.Sort(list)
	return list
}

// peak returns the middle of the largest memories, in bytes.
func (s series) peak() int64 {
	var list []int64
	for _, one := range s {
		list = append(list, one.peak)
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// String is the median with the least in brackets, in milliseconds.
func (s series) String() string {
	return fmt.Sprintf("%s (%s) ms", milliseconds(s.median()), milliseconds(s.least()))
}

// milliseconds is a time with the digits that matter.
func milliseconds(d time.Duration) string {
	ms := d.Seconds() * 1000
	if ms < 100 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// megabytes is a size in units of a million bytes.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
