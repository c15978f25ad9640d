package local_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

func TestIDs(t *testing.T) {
	for name, want := range map[string]string{
		"demo": "demo", "Fix GitHub/Issue!": "fix-github-issue", "../../etc": "etc", "日本": "run", "": "run", "_x_": "x",
		strings.Repeat("long", 30): strings.Repeat("long", 10),
	} {
		id := runid.New(name)
		if !regexp.MustCompile(`^` + regexp.QuoteMeta(want) + `-[a-z0-9]{6}$`).MatchString(id) {
			t.Errorf("%q gives %s", name, id)
		}
		if other := runid.New(name); other == id {
			t.Errorf("%s twice", id)
		}
	}
}

func TestFind(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, nil)
	ctx := context.Background()
	if _, err := e.Find(ctx, "demo", "latest"); !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "has no runs") {
		t.Errorf("no runs: %v", err)
	}
	for _, id := range []string{"demo-abc111", "demo-abd222", "demo-xyz333"} {
		must(t, flow.Completed)(e.Run(ctx, define("demo", step{key: "a"}), nil, local.Options{ID: id, WorkDir: w.work}))
	}
	must(t, flow.Completed)(e.Run(ctx, define("demo-abc", step{key: "a"}), nil, local.Options{ID: "demo-abc-999999", WorkDir: w.work}))
	for name, want := range map[string]string{
		"demo-abc111": "demo-abc111", "demo-abd": "demo-abd222", "demo-x": "demo-xyz333", "latest": "demo-xyz333", "": "demo-xyz333",
		"xyz": "demo-xyz333", "demo-abc": "demo-abc111",
	} {
		if id, err := e.Find(ctx, "demo", name); err != nil || id != want {
			t.Errorf("%q gives %s, %v; want %s", name, id, err, want)
		}
	}
	for name, want := range map[string]string{
		"demo-ab": "2 runs begin with demo-ab: demo-abd222, demo-abc111", "nope": "not found", "demo-abc-999999": "belongs to workflow demo-abc, and this is demo", "%": "not found",
	} {
		if id, err := e.Find(ctx, "demo", name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %s, %v; want %s", name, id, err, want)
		}
	}
}

func TestListRuns(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.performer.set("b", w.performer.block)
	e, dying := w.engine(t, nil), w.engine(t, nil)
	def, quick := define("demo", step{key: "b"}), define("quick", step{key: "a"})
	if _, err := dying.RunAsync(ctx, def, nil, local.Options{ID: "one", WorkDir: w.work}); err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	_ = dying.Shutdown(ctx)
	if _, err := e.RunAsync(ctx, def, nil, local.Options{ID: "two", WorkDir: w.work}); err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	must(t, flow.Completed)(e.Run(ctx, quick, nil, local.Options{ID: "three", WorkDir: w.work}))
	for _, c := range []struct {
		filter   store.Filter
		statuses []flow.Status
		want     string
	}{
		{store.Filter{}, nil, "three completed, two running, one interrupted"},
		{store.Filter{Limit: 2}, nil, "three completed, two running"},
		{store.Filter{Status: flow.Interrupted}, nil, "one interrupted"},
		{store.Filter{Status: flow.Interrupted, Limit: 1}, nil, "one interrupted"},
		{store.Filter{Status: flow.Running, Limit: 1}, nil, "two running"},
		{store.Filter{Status: flow.Completed, Workflow: "demo"}, nil, ""},
		{store.Filter{}, []flow.Status{flow.Interrupted, flow.Completed}, "three completed, one interrupted"},
		{store.Filter{Limit: 1}, []flow.Status{flow.Interrupted, flow.Completed}, "three completed"},
		{store.Filter{}, []flow.Status{flow.Failed}, ""},
	} {
		list, err := e.ListRuns(ctx, c.filter, c.statuses...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list {
			got = append(got, r.ID+" "+string(r.Status))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%+v gives %v, want %s", c.filter, got, c.want)
		}
	}
}
