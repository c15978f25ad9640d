package cli_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/serve"
)

// paged is a program with pages.
func paged(def *flow.Definition) cli.Program {
	p := program(def)
	p.Serve = cli.Pages(serve.Pages())
	return p
}

// calls is a workflow whose step calls the pages, with the token and with the cookies of a browser.
func calls() *flow.Definition {
	def := &flow.Definition{Name: "calls", Fingerprint: "c1", Nodes: []flow.NodeInfo{{Key: "call", Kind: "bash"}, {Key: "gate", Kind: "approval"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		node(c, "call", `read -r url <url; host=${url#http://}; path=/${host#*/}; host=${host%%/*}
			ask() {
				exec 3<>"/dev/tcp/${host%:*}/${host#*:}" || return
				printf 'GET %s HTTP/1.0\r\nHost: %s\r\nCookie: %s\r\n\r\n' "$1" "$host" "$2" >&3
				cat <&3
			}
			ask "$path" '' >by-token 2>&1
			cookies=$(cat "$HOME/cookies") || cookies=$(cat url)
			ask / "$cookies" >by-cookie 2>&1
			cat "$HOME/users.json" >passwords 2>/dev/null; true`, nil)
		gate(c, "gate", "Really?")
		return nil, flow.Settle(c)
	}
	return def
}

// A visitor is the browser of a script, with the page that it shows.
type visitor struct {
	http.Client
	base, page string
}

// visitors are the browsers by the folders of their scripts.
var visitors sync.Map

// serveProgram is `serve PROGRAM ARGS…`: it serves pages until the script ends, or the next serve,
// and signs a browser in.
func serveProgram(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve PROGRAM ARGS…")
	}
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, args[0])); err == nil && path == "" {
			path = found
		}
	}
	cmd := exec.Command(path, append([]string{"serve", "--stdin", "--address=127.0.0.1:0"}, args[1:]...)...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "WFC_STATE", "XDG_STATE_HOME", "TMPDIR", "HOOK_SECRET", "RULE", "WFC_DATABASE_URL"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		stdin.Close()
		_, _ = io.Copy(io.Discard, stderr)
		if err := cmd.Wait(); err != nil {
			ts.Logf("serve: %v", err)
		}
	})
	said, piece := "", make([]byte, 4096)
	for {
		n, err := stderr.Read(piece)
		said += string(piece[:n])
		if found := openAddress.FindStringSubmatch(said); found != nil {
			jar, _ := cookiejar.New(nil)
			v := &visitor{Client: http.Client{Jar: jar}, base: found[1]}
			ts.Setenv("SERVED", found[1]+found[2])
			visitors.Store(ts.Getenv("WORK"), v)
			v.get(ts, found[2])
			return
		}
		if err != nil {
			ts.Fatalf("serve said %q: %v", said, err)
		}
	}
}

func visitorOf(ts *testscript.TestScript) *visitor {
	v, ok := visitors.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("nothing is served")
	}
	return v.(*visitor)
}

func (v *visitor) get(ts *testscript.TestScript, path string) {
	reply, err := v.Get(v.base + path)
	ts.Check(err)
	v.read(ts, reply)
}

// These find the addresses of runs, of forms that start them, and hashes of questions.
var (
	hashOnPage  = regexp.MustCompile(`data-hash="([0-9a-f]+)"`)
	runOnPage   = regexp.MustCompile(`/runs/[0-9a-f]+/[a-z0-9.-]+`)
	startOnPage = regexp.MustCompile(`/start/[0-9a-f]+/[0-9a-f]+`)
)

func (v *visitor) read(ts *testscript.TestScript, reply *http.Response) {
	defer reply.Body.Close()
	for _, c := range v.Jar.Cookies(reply.Request.URL) {
		ts.Setenv("COOKIES", c.Name+"="+c.Value)
	}
	text, err := io.ReadAll(reply.Body)
	ts.Check(err)
	v.page = reply.Status + " " + reply.Request.URL.Path + "\n" + string(text)
	if found := runOnPage.FindString(v.page); found != "" {
		ts.Setenv("RUNPAGE", found)
		ts.Setenv("RUNREF", strings.TrimPrefix(found, "/runs/"))
	}
	if found := hashOnPage.FindStringSubmatch(v.page); found != nil {
		ts.Setenv("HASH", found[1])
	}
	if found := startOnPage.FindString(v.page); found != "" {
		ts.Setenv("STARTPAGE", found)
	}
}

// check looks for regular expressions on the page.
func (v *visitor) check(ts *testscript.TestScript, neg bool, wanted []string) {
	for _, want := range wanted {
		if v.has(want) == neg {
			ts.Fatalf("the page, about %q (wanted: %v):\n%s", want, !neg, v.page)
		}
	}
}

func (v *visitor) has(want string) bool { return regexp.MustCompile(`(?s)` + want).MatchString(v.page) }

// pageCommand is `page PATH REGEXP…`: it shows a page, which must soon have all of the expressions,
// or with `!` none of them now. It sets RUNPAGE, RUNREF and
// STARTPAGE to the first run and the first form on the page.
func pageCommand(ts *testscript.TestScript, neg bool, args []string) {
	v := visitorOf(ts)
	const patience = 30 * time.Second
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		v.get(ts, args[0])
		if neg || time.Now().After(deadline) || !slices.ContainsFunc(args[1:], func(want string) bool { return !v.has(want) }) {
			v.check(ts, neg, args[1:])
			return
		}
	}
}

var hiddenFields = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// signCommand is `sign NAME PASSWORD`: another person signs in, in a browser of their own.
func signCommand(ts *testscript.TestScript, neg bool, args []string) {
	v := visitorOf(ts)
	v.Jar, _ = cookiejar.New(nil)
	r, err := http.NewRequest(http.MethodPost, v.base+"/sign-in", strings.NewReader(url.Values{"name": args[:1], "password": args[1:]}.Encode()))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.base)
	reply, err := v.Do(r)
	ts.Check(err)
	v.read(ts, reply)
	if (reply.StatusCode == http.StatusOK) == neg {
		ts.Fatalf("signing in: %s", v.page)
	}
}

// formCommand is `form PATH NAME=VALUE… -- REGEXP…`: it sends a form of the current page, with the
// hidden fields that the page has.
func formCommand(ts *testscript.TestScript, neg bool, args []string) {
	v, values := visitorOf(ts), url.Values{}
	_, form, found := strings.Cut(v.page, `action="`+args[0]+`"`)
	form, _, _ = strings.Cut(form, "</form>")
	if !found { // somebody who may not do it, and sends the form all the same
		form = v.page
	}
	for _, field := range hiddenFields.FindAllStringSubmatch(form, -1) {
		values.Set(field[1], field[2])
	}
	rest := args[1:]
	for len(rest) > 0 && rest[0] != "--" {
		name, value, _ := strings.Cut(rest[0], "=")
		values.Set(name, value)
		rest = rest[1:]
	}
	r, err := http.NewRequest(http.MethodPost, v.base+args[0], strings.NewReader(values.Encode()))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.base)
	reply, err := v.Do(r)
	ts.Check(err)
	v.read(ts, reply)
	if len(rest) > 0 {
		v.check(ts, neg, rest[1:])
	}
}
