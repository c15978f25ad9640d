// Package arrows holds the test that keeps the packages' dependencies pointing
// the way docs/architecture.md says.
package arrows

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/wfc-lang/wfc/"

// A rule forbids packages under from to import, directly or through others,
// packages under to. Paths are relative to the module unless they name another
// module; a trailing /... takes in the folders below.
type rule struct {
	from   []string
	to     []string
	except []string // packages of from that may
	but    []string // packages of to that may be imported
	direct bool     // only imports written in the package itself count
	why    string
}

var rules = []rule{
	{from: []string{"internal/ir", "compiler/internal/check/...", "gen"}, to: []string{"compiler/internal/dialect/...", "internal/yamlsrc"}, direct: true,
		why: "checks and the generator see the IR alone, so that every dialect gets them all"},
	{from: []string{"compiler/internal/dialect/archon/..."}, to: []string{"compiler/internal/dialect/lango/...", "compiler/internal/dialect/xprompt/...", "compiler/internal/dialect/graphloop/..."},
		why: "what two dialects share lives outside both"},
	{from: []string{"compiler/internal/dialect/graphloop/..."}, to: []string{"compiler/internal/dialect/archon/...", "compiler/internal/dialect/lango/...", "compiler/internal/dialect/xprompt/..."},
		why: "what two dialects share lives outside both"},
	{from: []string{"compiler/internal/dialect/lango/..."}, to: []string{"compiler/internal/dialect/archon/...", "compiler/internal/dialect/graphloop/...", "compiler/internal/dialect/xprompt/..."},
		why: "what two dialects share lives outside both"},
	{from: []string{"compiler/internal/dialect/xprompt/..."}, to: []string{"compiler/internal/dialect/archon/...", "compiler/internal/dialect/graphloop/...", "compiler/internal/dialect/lango/..."},
		why: "what two dialects share lives outside both"},
	{from: []string{"compiler/internal/dialect/decode"}, to: []string{"compiler/internal/dialect/archon/...", "compiler/internal/dialect/graphloop/...", "compiler/internal/dialect/lango/...", "compiler/internal/dialect/xprompt/...", "internal/ir", "internal/expr"},
		why: "reading values knows no format and no program: it ends at diagnostics"},
	{from: []string{"gen"}, to: []string{"runtime/..."}, but: []string{"runtime/settings"},
		why: "the generator writes import paths as strings; it must not link what it generates for. It writes settings by walking their types"},
	{from: []string{"runtime/settings"}, to: []string{"!std"},
		why: "compiler, generator and programs share the settings, so they import the standard library only"},
	{from: []string{"runtime/..."}, to: []string{"compiler/...", "gen/...", "internal/..."}, but: []string{"internal/shared/..."},
		why: "a generated binary must not carry the compiler, and only the runtime and what it shares are embedded in wfc"},
	{from: []string{"internal/shared/..."}, to: []string{"runtime/...", "internal/..."}, but: []string{"internal/shared/...", "runtime/settings"},
		why: "what the runtime shares with the compiler lies below both"},
	{from: compilerRooms, to: []string{"runtime/engine/...", "runtime/store/...", "runtime/cli/..."},
		why: "the compiler ends at the IR"},
	{from: []string{"internal/..."}, to: []string{"compiler/...", "gen/...", "cmd/..."}, but: []string{"compiler/diag", "compiler/source"},
		why: "what compiler, generator and commands share lies below all three; diagnostics and files are leaves that the compiler's users name"},
	{from: []string{"compiler/diag", "compiler/source"}, to: []string{"compiler/...", "internal/...", "gen/...", "cmd/..."}, but: []string{"compiler/diag", "compiler/source", "internal/lazyregexp"},
		why: "diagnostics and files lie below all that reports and reads them"},
	{from: []string{"compiler/..."}, to: []string{"gen/...", "cmd/..."},
		why: "the generator lies above the compiler"},
	{from: []string{"gen/..."}, to: []string{"cmd/..."},
		why: "what only the program wfc uses lies above all else"},
	{from: []string{"cmd/...", "compiler/...", "gen/...", "internal/...", "runtime/..."}, to: []string{"dev/..."},
		why: "dev is what only contributors run, and a module of its own: wfc and its programs have none of its requirements"},
	{from: []string{"..."}, to: []string{"gopkg.in/yaml.v3"}, except: []string{"internal/yamlsrc", "runtime/output", "runtime/internal/testfile"}, direct: true,
		why: "internal/yamlsrc alone knows the YAML library, runtime/output what agents and people write in it, and runtime/internal/testfile test files"},
	{from: []string{"..."}, to: []string{"github.com/dave/jennifer/..."}, except: []string{"gen/..."}, direct: true,
		why: "gen alone knows the code printer"},
	{from: []string{"..."}, to: []string{"golang.org/x/mod/..."}, except: []string{"cmd/wfc/build/toolchain"}, direct: true,
		why: "cmd/wfc/build/toolchain alone knows the Go module proxy and the checksum database"},
	{from: []string{"..."}, to: []string{"golang.org/x/text/..."}, except: []string{"cmd/wfc/report"}, direct: true,
		why: "cmd/wfc/report alone asks how wide characters are"},
	{from: []string{"..."}, to: []string{"mvdan.cc/sh/v3/..."}, except: []string{"compiler/internal/shell/..."}, direct: true,
		why: "compiler/internal/shell alone knows the shell parser"},
	{from: []string{"..."}, to: []string{"entgo.io/ent/...", "modernc.org/sqlite/..."}, except: []string{"runtime/store/entstore/...", "runtime/internal/database", "runtime/internal/ent/...", "runtime/internal/schema", "dev/bench/floor"}, direct: true,
		why: "the stores alone know the database"},
	{from: []string{"..."}, to: []string{"github.com/jackc/pgx/v5/..."}, except: []string{"runtime/store/entstore/postgres/...", "runtime/internal/pg", "runtime/internal/pgtest"}, direct: true,
		why: "runtime/internal/pg and the store alone know the driver"},
	{from: []string{"..."}, to: []string{"runtime/internal/pg", "github.com/jackc/pgx/v5/..."}, except: []string{"runtime/store/entstore/postgres/...", "runtime/internal/pg", "runtime/internal/pgtest/...", "dev/bench/many", "runtime/engine/temporal/..."},
		why: "only programs with runs in PostgreSQL, or on a cluster, carry its driver"},
	{from: []string{"runtime/internal/database", "runtime/store/entstore/postgres"}, to: []string{"modernc.org/sqlite/..."},
		why: "a program links one database's driver"},
	{from: []string{"..."}, to: []string{"github.com/sourcegraph/jsonrpc2/..."}, except: []string{"cmd/wfc/lsp"}, direct: true,
		why: "cmd/wfc/lsp alone knows the framing of the language server"},
	{from: []string{"cmd/wfc/lsp/...", "cmd/wfc/symbols"}, to: []string{"compiler/internal/..."}, direct: true,
		why: "editors see results of the compiler alone, so that every dialect gets every feature"},
	{from: []string{"..."}, to: []string{"github.com/yuin/goldmark/..."}, except: []string{"dev/site"}, direct: true,
		why: "dev/site alone knows the Markdown library, which is for documents"},
	{from: []string{"..."}, to: []string{"github.com/spf13/cobra/..."}, except: []string{"cmd/wfc/cli/...", "runtime/cli/...", "internal/shared/commandline"}, direct: true,
		why: "the command lines alone know the command library"},
	{from: []string{"..."}, to: []string{"github.com/anthropics/anthropic-sdk-go/..."}, except: []string{"runtime/agent/anthropic"}, direct: true,
		why: "runtime/agent/anthropic alone knows the SDK, so that a binary without that agent does not carry it"},
	{from: []string{"..."}, to: []string{"github.com/openai/openai-go/..."}, except: []string{"runtime/agent/openai"}, direct: true,
		why: "runtime/agent/openai alone knows the SDK, so that a binary without that agent does not carry it"},
	{from: []string{"..."}, to: []string{"google.golang.org/genai/..."}, except: []string{"runtime/agent/google"}, direct: true,
		why: "runtime/agent/google alone knows the SDK, so that a binary without that agent does not carry it"},
	{from: []string{"..."}, to: []string{"github.com/nicholas-fedor/shoutrrr/..."}, except: []string{"runtime/deliver"}, direct: true,
		why: "runtime/deliver alone knows the notification library, and nothing of its requests is used"},
	{from: []string{"..."}, to: []string{"github.com/wneessen/go-mail/..."}, except: []string{"runtime/deliver/mail"},
		why: "only a program that sends e-mails carries the library for them"},
	{from: []string{"cmd/...", "compiler/...", "runtime/cli", "runtime/engine/...", "runtime/mcp/..."}, to: []string{"runtime/deliver", "github.com/nicholas-fedor/shoutrrr/..."},
		why: "only a program whose workflow delivers links what sends; internal/shared/target is for everybody"},
	{from: []string{"compiler/...", "runtime/cli"}, to: []string{"runtime/schedule/zones"},
		why: "the time zone database is half a megabyte, for programs whose schedule names a zone"},
	{from: []string{"cmd/...", "compiler/..."}, to: sdks,
		why: "wfc stays small and starts at once; programs of workflows look at agents for it"},
	{from: []string{"..."}, to: []string{"github.com/modelcontextprotocol/go-sdk/..."}, except: []string{"runtime/mcp/..."}, direct: true,
		why: "runtime/mcp alone knows the SDK, so that a binary that serves no agent does not carry it"},
	{from: []string{"..."}, to: []string{"runtime/mcp/..."}, except: []string{"runtime/mcp/..."},
		why: "the main of a program that serves agents names the server; nothing else may link it, wfc least of all"},
	{from: []string{"..."}, to: []string{"runtime/otel", "go.opentelemetry.io/otel/sdk/...", "go.opentelemetry.io/otel/exporters/..."}, except: []string{"runtime/otel"},
		why: "the main of a program that is built with --otel names the exporter; nothing else may link it, so that other programs grow by nothing"},
	{from: []string{"..."}, to: []string{"runtime/serve", "runtime/internal/access"}, except: []string{"runtime/serve", "runtime/internal/access"},
		why: "the main of a program that is built with --serve names the pages; nothing else may link them, so that other programs grow by nothing"},
	{from: []string{"runtime/cli"}, to: []string{"net/http"},
		why: "a program without webhooks and services links no web server"},
	{from: []string{"..."}, to: []string{"go.temporal.io/..."}, except: []string{"runtime/engine/temporal/..."}, direct: true,
		why: "runtime/engine/temporal alone knows the SDK, so that only binaries built with --engine temporal carry it"},
	{from: []string{"..."}, to: []string{"runtime/engine/temporal/...", "go.temporal.io/..."}, except: []string{"runtime/engine/temporal/..."},
		why: "the main of a program that is built with --engine temporal names the engine; nothing else may link it"},
	{from: []string{"runtime/value/py"}, to: []string{"runtime/..."},
		why: "Python's values know nothing of workflows, so that another project can use them"},
	{from: kernelRoom, to: []string{"!std"},
		but: append([]string{"runtime/reply", "runtime/settings", "internal/shared/plain", "internal/shared/scalar"}, kernelRoom...),
		why: "the kernel imports nothing but the standard library and leaves that do the same, so that any engine can carry it"},
	{from: []string{"runtime/internal/kernel", "runtime/reply", "internal/shared/plain"}, to: []string{"!std"},
		but: []string{"internal/shared/plain"},
		why: "the kernel carries them"},
	{from: []string{"runtime/cli", "runtime/engine/local", "runtime/internal/dry"}, to: []string{"runtime/shell", "runtime/script", "runtime/agent/...", "runtime/graphfiles", "runtime/store/entstore/...", "runtime/store/memory"},
		why: "generated main names the performers, agents and stores; nothing else may link them"},
	{from: []string{"runtime/internal/dry"}, to: []string{"runtime/engine/local", "internal/shared/state"},
		why: "a plan performs nothing and keeps nothing"},
}

// compilerRooms are the packages of the compiler, and those below it.
var compilerRooms = []string{"compiler/...", "internal/explore", "internal/expr", "internal/graph", "internal/ir", "internal/template", "internal/types", "internal/yamlsrc"}

// kernelRoom are the packages of the kernel.
var kernelRoom = []string{"runtime/flow", "runtime/flow/graph", "runtime/flow/steps", "runtime/internal/format", "runtime/internal/graphstate",
	"runtime/internal/kernel", "runtime/internal/repeat", "runtime/internal/sched", "runtime/internal/stepkey"}

// sdks are the modules that talk to agents.
var sdks = []string{
	"github.com/anthropics/anthropic-sdk-go/...", "github.com/openai/openai-go/...", "google.golang.org/genai/...", "github.com/coder/acp-go-sdk/...",
}

type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
}

func TestArrows(t *testing.T) {
	pkgs := list(t)
	std := map[string]bool{}
	for _, p := range pkgs {
		std[p.ImportPath] = p.Standard
	}
	for _, r := range rules {
		for _, p := range pkgs {
			if !strings.HasPrefix(p.ImportPath+"/", module) || !matches(p.ImportPath, r.from) || matches(p.ImportPath, r.except) {
				continue
			}
			used := p.Deps
			if r.direct {
				used = p.Imports
			}
			for _, dep := range used {
				outside := slices.Contains(r.to, "!std") && !std[dep] && !matches(dep, r.but) && dep != p.ImportPath
				if outside || matches(dep, r.to) && !matches(dep, r.but) && dep != p.ImportPath {
					t.Errorf("%s imports %s, but %s", p.ImportPath, dep, r.why)
				}
			}
		}
	}
}

// matches reports whether an import path is one of the patterns.
func matches(path string, patterns []string) bool {
	for _, p := range patterns {
		if p == "..." {
			return true
		}
		full := p
		if !strings.Contains(strings.SplitN(p, "/", 2)[0], ".") {
			full = module + p
		}
		if dir, ok := strings.CutSuffix(full, "/..."); ok {
			if path == dir || strings.HasPrefix(path, dir+"/") {
				return true
			}
		} else if path == full {
			return true
		}
	}
	return false
}

// list returns the packages of both modules, and those that they import.
func list(t *testing.T) []pkg {
	t.Helper()
	pkgs := listModule(t, "../..")
	for _, p := range listModule(t, "..") {
		if !slices.ContainsFunc(pkgs, func(q pkg) bool { return q.ImportPath == p.ImportPath }) {
			pkgs = append(pkgs, p)
		}
	}
	return pkgs
}

// listModule returns the packages of the module in a folder, and those that they import.
func listModule(t *testing.T, dir string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0") // as workflows are built, whatever the test is built with
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}
