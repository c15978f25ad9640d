package perform

import (
	"context"
	"testing"
)

func TestSlots(t *testing.T) {
	var s slots
	limits := map[string]int{"": 3, "prompt": 1}
	take := func(kind string) func() { return s.takeSlot(t.Context(), limits, kind) }
	over, stop := context.WithCancel(t.Context())
	stop()
	blocked := func(kind string) bool {
		free := s.takeSlot(over, limits, kind)
		if free != nil {
			free()
		}
		return free == nil
	}
	agent := take("prompt")
	if !blocked("prompt") || blocked("bash") {
		t.Error("one prompt is the limit, and there is none for bash")
	}
	one, two := take("bash"), take("bash")
	if !blocked("bash") {
		t.Error("three actions are the limit")
	}
	waited := make(chan func())
	go func() { waited <- take("prompt") }()
	one()
	two()
	agent()
	(<-waited)()
	if blocked("prompt") {
		t.Error("all slots are free")
	}
}
