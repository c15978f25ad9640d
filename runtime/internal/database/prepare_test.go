package database

import (
	"errors"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A store that is prepared for changes opens its connection before the first one. If that
// fails, the first change opens it.
func TestPrepareWrites(t *testing.T) {
	for name, failures := range map[string]int{"opens at once": 0, "opens later": 1} {
		t.Run(name, func(t *testing.T) {
			cfg := newStore(t).cfg
			open, tried := cfg.Open, make(chan struct{}, 8)
			cfg.Open = func() (Connection, error) {
				defer func() { tried <- struct{}{} }()
				if failures > 0 {
					failures--
					return nil, errors.New("not yet")
				}
				return open()
			}
			s := &Store{cfg: cfg, commit: newCommitter(cfg)}
			s.PrepareWrites()
			s.PrepareWrites()
			<-tried
			if err := s.CreateRun(t.Context(), store.Run{RunInfo: flow.RunInfo{ID: "run"}}, nil); err != nil {
				t.Error(err)
			}
			if err := s.commit.close(); err != nil {
				t.Error(err)
			}
			s.PrepareWrites() // after the end it does nothing
		})
	}
}
