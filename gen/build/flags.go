package build

import "github.com/wfc-lang/wfc/internal/lazyregexp"

// compilerFlags make compilers faster and change nothing that a program does.
//
// The linker drops debug information (-s -w), so the compilers do not write it: that is a
// sixth of their time. The SDKs of model services are single packages of many thousand
// generated functions, which compile in half the time without inlining (-l). Their
// functions wait for the network, so nobody notices the calls.
//
// .ci/run has the same flags: the build cache keeps packages by their flags, and programs
// in tests share what the tests compile.
var compilerFlags = []string{
	"-gcflags=all=-dwarf=false",
	"-gcflags=github.com/anthropics/anthropic-sdk-go/...=-dwarf=false -l",
	"-gcflags=github.com/openai/openai-go/...=-dwarf=false -l",
}

// oneWord is what a version may be made of, so that the linker takes it as one
// word.
var oneWord = lazyregexp.New(`^[-+.()0-9A-Za-z]+$`)

// buildArgs are the arguments of the go command that the program depends on.
func (b *Builder) buildArgs() []string {
	link := "-ldflags=-s -w"
	if oneWord.MatchString(b.Version) {
		link += " -X github.com/wfc-lang/wfc/runtime/cli.builtBy=" + b.Version
	}
	return append([]string{"build", "-v", "-mod=readonly", "-trimpath", "-buildvcs=false", link}, compilerFlags...)
}
