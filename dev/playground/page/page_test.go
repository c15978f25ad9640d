package page

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/dev/playground/answer"
)

const repository = "../../.."

// An answered is what the page gets about a text.
type answered struct {
	Dialect  string
	Picture  string
	Findings []struct{ Code, Message string }
}

func ask(t *testing.T, x example) answered {
	t.Helper()
	var a answered
	if err := json.Unmarshal(answer.Check(x.File, x.Text), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// The examples are of each format, and only the first has findings.
func TestExamples(t *testing.T) {
	list, err := read(repository)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, x := range list {
		a := ask(t, x)
		if a.Dialect != x.Dialect {
			t.Errorf("%s: recognized as %s, want %s", x.Title, a.Dialect, x.Dialect)
		}
		if want := []int{4, 0}[min(i, 1)]; len(a.Findings) != want {
			t.Errorf("%s: findings %v, want %d", x.Title, a.Findings, want)
		}
		if i > 0 && !strings.HasPrefix(a.Picture, "<svg") {
			t.Errorf("%s: the picture is %.40q", x.Title, a.Picture)
		}
		seen[x.Dialect] = true
	}
	for _, format := range compiler.Dialects() {
		if !seen[format] {
			t.Errorf("no example of %s", format)
		}
	}
}

// maxSize is how large the page may be, as it is sent: it contains its program compressed.
const maxSize = 6 << 20

// drive is what a person does in the page: look, repair, and break it.
const drive = `<script>
const wait = what => new Promise((done, fail) => { const end = Date.now() + 60000; const look = () => { if (what()) done(); else if (Date.now() > end) fail(Error("waited for " + what)); else setTimeout(look, 20) }; look() })
const all = s => [...document.querySelectorAll(s)]
;(async () => {
  const log = []
  await wait(() => document.documentElement.dataset.ready)
  log.push("first: " + document.getElementById("state").textContent.replace(/[0-9]+ ms/, "N ms"))
  log.push("marks: " + all("mark").map(m => m.className + "=" + m.textContent).join(" "))
  all("summary")[0].click()
  await wait(() => all("details pre").length > 0)
  log.push("explained: " + (all("details p")[0].textContent.length > 20))
  while (all(".fix").length > 0) all(".fix")[0].click()
  log.push("fixed: " + document.getElementById("findings").textContent)
  log.push("pictures: " + all("#picture svg").length)
  const text = document.getElementById("text")
  for (const i of [2, 3, 4]) {
    const list = document.getElementById("examples")
    list.value = i
    list.dispatchEvent(new Event("change"))
    log.push("example: " + document.getElementById("state").textContent.replace(/[0-9]+ ms/, "N ms") + ", pictures: " + all("#picture svg").length)
  }
  text.value = "name: é\ndescription: 😀\nnodes:\n  - id: a\n    bash: echo 😀\n  - id: b\n    depends_on: [aa]\n    bash: echo b\n"
  text.dispatchEvent(new Event("input"))
  await wait(() => all("mark").length > 0)
  log.push("typed: " + all("mark").map(m => m.textContent).join(" "))
  text.value = "hello"
  text.dispatchEvent(new Event("input"))
  await wait(() => all(".error").length > 0 && all("#findings li")[0].textContent.includes("WFC160"))
  log.push("other: " + document.getElementById("state").textContent.replace(/[0-9]+ ms/, "N ms"))
  return log.join("\n")
})().catch(e => "failed: " + e).then(body => fetch("/", {method: "POST", body}))
</script></body>`

// The page works in a browser, from a file. WFC_TEST_CHROMIUM is the browser.
func TestBrowser(t *testing.T) {
	browser := os.Getenv("WFC_TEST_CHROMIUM")
	if browser == "" {
		t.Skip("needs WFC_TEST_CHROMIUM, the path of Chromium; `make test-playground` sets it")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "index.html")
	if err := Write(t.Context(), repository, path); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > maxSize {
		t.Errorf("the page has %d bytes, want at most %d", len(content), maxSize)
	}
	// Browsers forbid pages of files to ask servers, so the page with the test comes from one.
	page := strings.Replace(string(content), "default-src 'none'", "default-src 'none'; connect-src 'self'", 1)
	page = strings.Replace(page, "</body>", drive, 1)
	told := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			io.WriteString(w, page)
		} else if body, err := io.ReadAll(r.Body); err == nil {
			told <- string(body)
		}
	}))
	defer server.Close()
	ctx, stop := context.WithCancel(t.Context())
	var messages bytes.Buffer
	cmd := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"), server.URL)
	cmd.Stderr = &messages
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var got string
	select {
	case got = <-told:
		stop()
		<-ended
	case err := <-ended:
		stop()
		t.Fatalf("the browser ended: %v\n%s", err, messages.String())
	}
	want := `first: archon: 3 errors, 1 warning, checked in N ms
marks: error=$classify.output.kidn error=clasify warning=$classify.output.kind error=trigger_rules
explained: true
fixed: No findings.
pictures: 1
example: xprompt: no findings, checked in N ms, pictures: 1
example: graphloop: no findings, checked in N ms, pictures: 1
example: lango: no findings, checked in N ms, pictures: 1
typed: aa
other: no workflow: 1 error, checked in N ms`
	if got != want {
		t.Errorf("the page says\n%s\nwant\n%s", got, want)
	}
}
