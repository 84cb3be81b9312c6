//go:build linux

package alarmclock

import (
	"testing"
	"time"
)

// TestClock: Await returns when the time has come that was set last, and not before, and when the clock is closed.
func TestClock(t *testing.T) {
	c := New()
	if c == nil {
		t.Fatal("no clock")
	}
	const soon = 2 * time.Millisecond
	c.Set(time.Hour)
	begun := time.Now()
	c.Set(soon)
	if !c.Await() {
		t.Fatal("it does not wait")
	}
	if took := time.Since(begun); took < soon {
		t.Errorf("it woke after %v, want %v or more", took, soon)
	}
	c.Set(-1) // as soon as it can
	if !c.Await() {
		t.Error("a time that has passed is not waited for")
	}
	ended := make(chan bool)
	go func() { ended <- c.Await() }()
	c.Close()
	if <-ended {
		t.Error("it woke, and was closed")
	}
}
