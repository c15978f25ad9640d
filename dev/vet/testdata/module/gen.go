// Package module uses generated packages.
package module

//go:generate wfc gen flows/greet.yaml -o greet --engine
