package confine

import (
	"context"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox/proxy"
)

// EventReport is the type of events about what the sandbox would have refused.
const EventReport = "sandbox_report"

// findings are what the sandbox would have refused to observed programs.
type findings struct {
	mu   sync.Mutex
	all  map[sandbox.Access]bool
	ran  bool // a program has run
	news bool // since the last report
	full bool
}

// mostFindings limits the memory for findings.
const mostFindings = 20_000

func (f *findings) addAccess(a sandbox.Access) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[sandbox.Access]bool{}
	}
	if f.full = f.full || len(f.all) >= mostFindings; !f.full && !f.all[a] {
		f.all[a], f.news = true, true
	}
}

// Report returns what the sandbox would have refused to the steps that were observed by now. It
// is "" if there is nothing new.
func (r *Run) Report() string {
	if r == nil {
		return ""
	}
	r.found.mu.Lock()
	defer r.found.mu.Unlock()
	if !r.found.news {
		return ""
	}
	r.found.news = false
	return r.describeFindings(&r.found) + "\n  " + blindness
}

// blindness says that a report is no promise.
const blindness = "It cannot see everything: not calls by io_uring, not files that were open before, and not what a program changes at that moment."

// An observed step runs in no sandbox. Its programs are observed.
type observed struct {
	*step
	observer sandbox.Observer
	found    findings
	before   guards
	serving  sync.Once
	proxy    *proxy.Proxy
}

// observePrograms returns a context in which programs are observed, and what ends that.
func (s *step) observePrograms(ctx context.Context, note func(text string)) (_ context.Context, leave func(flow.Result) flow.Result, err error) {
	o := &observed{step: s, before: lookAt(s.guard)}
	o.observer.Saw = o.recordAccess
	trusted, err := s.run.beginTrustedWork()
	leave = func(result flow.Result) flow.Result {
		_ = os.RemoveAll(s.folder)
		o.reportFindings(note)
		go func() {
			o.observer.Wait() // a step may leave a server running
			if o.proxy != nil {
				o.proxy.Close()
			}
		}()
		return trusted(result)
	}
	return process.WithObserver(ctx, o), leave, err
}

func (o *observed) recordAccess(a sandbox.Access) {
	o.found.addAccess(a)
	o.run.found.addAccess(a)
}

// reportFindings notes what the sandbox would have refused to the step.
func (o *observed) reportFindings(note func(text string)) {
	for _, path := range o.before.plantedFiles(o.guard, lookAt(o.guard)) {
		o.recordAccess(sandbox.Access{Way: "write", What: path})
	}
	o.found.mu.Lock()
	defer o.found.mu.Unlock()
	if o.found.ran {
		note("sandbox report: " + o.run.describeFindings(&o.found))
	}
}

// Start implements process.Container.
func (o *observed) Start(cmd *exec.Cmd, tag uint64, readOnly bool) (child process.Contained, err error) {
	grant, policy := o.grantOf(cmd, readOnly)
	if err := o.run.checkWidth(); err != nil {
		o.recordAccess(sandbox.Access{What: err.Error()})
	}
	o.serving.Do(func() { o.startProxy(grant.Hosts) })
	c := *cmd
	if o.observer.Proxy > 0 && !hasProxy(cmd.Env) {
		at := "http://127.0.0.1:" + strconv.Itoa(o.observer.Proxy)
		c.Env = append(slices.Clip(cmd.Env), "http_proxy="+at, "HTTP_PROXY="+at, "https_proxy="+at, "HTTPS_PROXY="+at,
			"no_proxy=127.0.0.1,localhost,::1", "NO_PROXY=127.0.0.1,localhost,::1", "NODE_USE_ENV_PROXY=1")
	}
	for _, f := range []*findings{&o.found, &o.run.found} {
		f.mu.Lock()
		f.news, f.ran = f.news || !f.ran, true
		f.mu.Unlock()
	}
	err = o.observer.Start(&c, policy, process.Variable(cmd.Env, "TMPDIR"), func(c *exec.Cmd, then func() error) (err error) {
		child, err = process.StartObserved(c, tag, then)
		return err
	})
	return child, err
}

// startProxy starts a proxy that connects programs to all hosts, and notes those that are not granted.
func (o *observed) startProxy(hosts []string) {
	p, err := proxy.New(proxy.Options{Allow: hosts, Admit: true, Refused: func(pattern string) {
		o.recordAccess(sandbox.Access{Way: "host", What: pattern})
	}})
	if err != nil {
		o.recordAccess(sandbox.Access{What: err.Error()})
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return // then programs connect by themselves
	}
	o.proxy, o.observer.Proxy = p, l.Addr().(*net.TCPAddr).Port
	go p.Serve(l)
}

// hasProxy reports whether an environment names a proxy already, which may be the only way out.
func hasProxy(environ []string) bool {
	return slices.ContainsFunc([]string{"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}, func(name string) bool {
		return process.Variable(environ, name) != ""
	})
}

// describeFindings returns findings as the lines for wfc.yaml that permit them, and what no line permits.
func (r *Run) describeFindings(f *findings) string {
	place := r.grantPlace()
	place.Home = sandbox.RealPath(place.Home)
	l := r.newLandscape()
	need, others, blind := l.classifyAccesses(f.all)
	names, own := place.Covering(need)
	own.Write = l.foldPaths(own.Write)
	own.Read = slices.DeleteFunc(l.foldPaths(own.Read), func(path string) bool { return sandbox.Within(path, own.Write...) })
	var b strings.Builder
	list := func(indent, key string, values []string) {
		if len(values) > 0 {
			b.WriteString("\n" + indent + key + ":")
		}
		for i, value := range values {
			if i == mostListed {
				b.WriteString("\n" + indent + "  # and " + strconv.Itoa(len(values)-i) + " more")
				break
			}
			b.WriteString("\n" + indent + "  - " + value)
		}
	}
	set := r.newSetName()
	hasOwn := len(own.Hosts)+len(own.Read)+len(own.Write) > 0
	switch {
	case hasOwn:
		names = append(names, set)
		fallthrough
	case len(names) > 0:
		b.WriteString("`sandbox: on` would have refused something; to permit it, add to wfc.yaml:")
		b.WriteString("\n  grants: [" + strings.Join(names, ", ") + "]")
	case len(others) > 0:
		b.WriteString("`sandbox: on` would have refused something:")
	default:
		b.WriteString("`sandbox: on` would have refused nothing that was seen")
	}
	if hasOwn {
		b.WriteString("\n  grant_sets:\n    " + set + ":")
		list("      ", "hosts", quoteForYAML(own.Hosts))
		list("      ", "read", r.formatPaths(own.Read))
		list("      ", "write", r.formatPaths(own.Write))
	}
	list("  ", "no grant permits", others)
	list("  ", "not seen are the programs", blind)
	if f.full {
		b.WriteString("\n  there was more than the report can list")
	}
	return b.String()
}

// mostListed is the largest number of values of a list in a report.
const mostListed = 40

// formatPaths returns paths as wfc.yaml has them.
func (r *Run) formatPaths(paths []string) []string {
	home, project := sandbox.RealPath(r.homeFolder()), sandbox.RealPath(r.Info.WorkDir)
	var list []string
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, project+"/"); ok {
			path = rest
		} else if rest, ok := strings.CutPrefix(path, home+"/"); ok {
			path = "~/" + rest
		}
		list = append(list, path)
	}
	return quoteForYAML(list)
}

// quoteForYAML returns strings as YAML has them.
func quoteForYAML(list []string) []string {
	list = slices.Clone(list)
	for i, s := range list {
		if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~:+@") != "" || strings.Trim(s, "0123456789.-+~:@") == "" {
			list[i] = strconv.Quote(s)
		}
	}
	return list
}
