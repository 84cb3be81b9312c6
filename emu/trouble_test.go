package emu

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// TestTrouble has a network say why its switches are not connected: nobody listens, the controller
// hangs up, it speaks another version; and say nothing any more once they are.
func TestTrouble(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := ln.Addr().String()
	ln.Close()
	hangUp := func(context.Context, string) (net.Conn, error) {
		near, far := net.Pipe()
		far.Close()
		return near, nil
	}
	boss := newBoss()
	ctl := dialTo(map[string]*control{"c": serve(t, boss, session.Config{Versions: []openflow.Version{openflow.V10}})})
	for _, c := range []struct {
		name, controller, want string
		dial                   dialer
	}{
		{"nobody listens", nobody, "connection refused", dialTCP},
		{"hung up", "c", "closed", hangUp},
		{"another version", "c", "version", ctl},
	} {
		cfg := Config{Topology: parse(t, "single:2"), Versions: []openflow.Version{openflow.V13},
			Controllers: []string{c.controller}, Dial: c.dial,
			stack: newStation, BackoffMin: time.Millisecond, BackoffMax: 10 * time.Millisecond}
		n := start(t, cfg)
		await(t, c.name+": the reason is known",
			func() bool { _, reason := n.Trouble(); return strings.Contains(reason, c.want) })
		if at, reason := n.Trouble(); at != c.controller || strings.Contains(reason, nobody) {
			t.Errorf("%s: %s: %s", c.name, at, reason)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if err := n.AwaitConnected(ctx); err == nil ||
			!strings.Contains(err.Error(), "0 of 2 switches are connected: "+c.controller+": ") {
			t.Errorf("%s: %v", c.name, err)
		}
		cancel()
	}
	n := joined(t, "single:1", boss, openflow.V10, func(c *Config) { c.BackoffMin = time.Millisecond })
	if _, reason := n.Trouble(); reason != "" {
		t.Errorf("a network that is connected is in trouble: %s", reason)
	}
	if err := n.Switches()[0].Control().CutOff(0, true); err != nil {
		t.Fatal(err)
	}
	await(t, "it is told that the connection ended",
		func() bool { return n.Switches()[0].Controls()[0].Trouble == "the connection was cut" })
}
