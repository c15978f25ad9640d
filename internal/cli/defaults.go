package cli

import (
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/gen"
)

// defaults returns the settings of a configuration that programs take along.
// Relative paths are relative to base; with "" they stay as they are written,
// for code that is kept and must be the same on every machine.
func defaults(c *config.Config, base string) gen.Defaults {
	d := gen.Defaults{
		Agents: agents(c, base), BaseBranch: c.BaseBranch, DocsDir: c.DocsDir, MaxParallel: c.MaxParallel, State: c.State, Database: c.Database,
		Limits: gen.Limits(c.Limits), Environment: gen.Environment(c.Environment),
		Gates: c.Gates,
	}
	for _, channel := range c.Delivery.Channels {
		d.Channels = append(d.Channels, gen.Channel(channel))
	}
	d.DeliverTo = c.Delivery.Default
	if d.State != "" {
		d.State = based(base, d.State)
	}
	for _, v := range c.Env {
		d.Environ = append(d.Environ, v.Name+"="+v.Value)
	}
	o := c.OnInterrupt
	d.OnInterrupt = gen.Interrupts{Default: string(o.Default), Kinds: policies(o.Kinds), Nodes: policies(o.Nodes)}
	return d
}

func policies(table map[string]config.Policy) map[string]string {
	names := make(map[string]string, len(table))
	for key, p := range table {
		names[key] = string(p)
	}
	return names
}

// based returns a path relative to base; one that is absolute or begins with a
// home folder stays.
func based(base, path string) string {
	if base == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return path
	}
	return filepath.Join(base, filepath.FromSlash(path))
}
