//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes this machine: its system, processors, memory and load. Facts that the
// system does not show are left out.
func machine() string {
	facts := []string{runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d processors", runtime.NumCPU())}
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		facts = append(facts, model)
	}
	if memory := field("/proc/meminfo", "MemTotal"); memory != "" {
		facts = append(facts, "memory "+memory)
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		facts = append(facts, "load "+strings.Join(strings.Fields(string(load))[:3], " "))
	}
	return strings.Join(append(facts, runtime.Version()), ", ")
}

// field returns the first value of a field in a file of Linux, or "".
func field(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
