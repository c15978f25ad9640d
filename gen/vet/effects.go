package vet

import (
	"go/types"
	"slices"
	"strings"
)

// An effect is a part of the standard library whose results differ from call to call, or
// from machine to machine.
type effect struct {
	path string
	// names are functions and, as in "Rand.Int", methods; nil means all but those of except.
	names, except []string
	// why completes the sentence "F depends on".
	why string
	// instead is what a flow does instead.
	instead string
}

const (
	byAction = "do it in a step, as in `c.Do(flow.Bash{…})`, so that its result is recorded"
	byInput  = "pass it to the run as an input"
)

// effects are what flow code must not use. A flow is executed again when its run is resumed,
// and must then take the same way.
var effects = []effect{
	{path: "time", names: []string{"Now", "Since", "Until"}, why: "the clock", instead: "take the time from `c.Engine().Now`, which is recorded"},
	{path: "time", names: []string{"Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}, why: "the clock", instead: "use `c.Sleep`, which survives a restart"},
	{path: "time", names: []string{"LoadLocation"}, why: "the machine's time zones", instead: byInput},
	{path: "math/rand", why: "random numbers", instead: byAction, except: []string{"New", "NewSource", "NewZipf"}},
	{path: "math/rand/v2", why: "random numbers", instead: byAction, except: []string{"New", "NewPCG", "NewChaCha8", "NewZipf"}},
	{path: "crypto/rand", why: "random numbers", instead: byAction},
	{path: "os", why: "the machine", instead: byAction, except: []string{
		"IsExist", "IsNotExist", "IsPathSeparator", "IsPermission", "IsTimeout", "NewSyscallError", "Expand", "SameFile",
		"PathError.Error", "PathError.Unwrap", "PathError.Timeout", "LinkError.Error", "LinkError.Unwrap", "SyscallError.Error", "SyscallError.Unwrap", "SyscallError.Timeout",
	}},
	{path: "os/exec", why: "the machine", instead: byAction, except: []string{"Error.Error", "Error.Unwrap", "ExitError.Error"}},
	{path: "os/user", why: "the machine", instead: byInput},
	{path: "os/signal", why: "the process", instead: byAction},
	{path: "io/ioutil", why: "the machine", instead: byAction, except: []string{"NopCloser", "ReadAll"}},
	{path: "path/filepath", names: []string{"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"}, why: "the machine", instead: byAction},
	{path: "net", why: "the network", instead: byAction, except: []string{
		"CIDRMask", "IPv4", "IPv4Mask", "JoinHostPort", "ParseCIDR", "ParseIP", "ParseMAC", "SplitHostPort",
	}},
	{path: "net/http", why: "the network", instead: byAction, except: []string{
		"CanonicalHeaderKey", "DetectContentType", "StatusText", "ParseTime", "ParseHTTPVersion",
		"Header.Add", "Header.Clone", "Header.Del", "Header.Get", "Header.Set", "Header.Values",
	}},
	{path: "database/sql", why: "the database", instead: byAction, except: []string{"Named"}},
	{path: "syscall", why: "the machine", instead: byAction, except: []string{"Errno.Error", "Errno.Is"}},
	{path: "runtime", names: []string{"NumCPU", "NumGoroutine", "GOMAXPROCS", "ReadMemStats"}, why: "the machine", instead: byInput},
}

// effectOf returns what a function of the standard library depends on, or nil.
func effectOf(fn *types.Func) *effect {
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		name = typeName(recv.Type()) + "." + name
	}
	for i := range effects {
		e := &effects[i]
		switch {
		case e.path != fn.Pkg().Path() || slices.Contains(e.except, name):
		case e.names == nil && isSource(e.path, name):
		case e.names == nil || slices.Contains(e.names, name):
			return e
		}
	}
	return nil
}

// isSource reports whether a method is one of a source of random numbers: the seed decides
// what it returns, and functions that make one without a seed do not exist.
func isSource(path, name string) bool {
	return strings.HasPrefix(path, "math/rand") && strings.Contains(name, ".")
}
