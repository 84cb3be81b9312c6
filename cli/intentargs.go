package cli

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/intent/schema"
)

// intentArgs are the flags that describe an intent.
type intentArgs struct {
	id, file       string
	wait, atomic   bool
	timeout        time.Duration
	flags          *pflag.FlagSet  // those of the fields among them
	switches       []client.Switch // loaded once, where names are given
	switchesLoaded bool
	byDPID         []givenPoint // connect points and switches given by datapath id
}

// addFlags adds the flags that a command has: those of the fields, and what is waited for.
func (w *intentArgs) addFlags(cmd *cobra.Command, command string) {
	w.flags = cmd.Flags()
	for i := range schema.Rows {
		row := &schema.Rows[i]
		for _, f := range row.Flags {
			if f.Command == "" || f.Command == command {
				addFieldFlag(w.flags, row, f)
			}
		}
	}
	w.flags.BoolVar(&w.wait, "wait", false, "return when it is installed")
	w.flags.DurationVar(&w.timeout, "timeout", 5*time.Second, "how long --wait waits, at most 50s")
}

func addFieldFlag(flags *pflag.FlagSet, row *schema.Row, f schema.CommandFlag) {
	switch row.Form {
	case schema.Text, schema.Enum:
		flags.String(f.Name, "", f.Usage)
	case schema.Number:
		flags.Uint16(f.Name, uint16(row.Default), f.Usage)
	case schema.Flag:
		flags.Bool(f.Name, false, f.Usage)
	default:
		flags.StringArray(f.Name, nil, f.Usage)
	}
}

func (w *intentArgs) given(flag string) bool { return w.flags.Changed(flag) }

// list returns the values of a flag that may be given several times.
func (w *intentArgs) list(flag string) []string {
	return w.flags.Lookup(flag).Value.(pflag.SliceValue).GetSlice()
}

// text returns a flag's value as text; "" of one that the command does not have.
func (w *intentArgs) text(flag string) string {
	if f := w.flags.Lookup(flag); f != nil {
		return f.Value.String()
	}
	return ""
}

func (w *intentArgs) options() client.CreateOptions {
	o := client.CreateOptions{Key: w.text("key"), IfMatch: w.text("if-match"), Atomic: w.atomic}
	if w.wait {
		o.Wait = w.timeout
	}
	return o
}

// request makes the request. Its errors are of usage, or of unknown names.
func (w *intentArgs) request(ctx context.Context, c *client.Client, args []string) (*client.IntentRequest, error) {
	q := &client.IntentRequest{ID: w.id}
	if err := w.values(q); err != nil {
		return nil, err
	}
	hosts, from, to, hops := w.list("host"), w.list("from"), w.list("to"), w.list("hop")
	if len(args) > 0 && len(hosts) == 0 {
		return nil, fmt.Errorf("argument %q given, want --host A B, --from and --to, or --hop", args[0])
	}
	forms := 0
	for _, given := range []bool{len(hosts) > 0, len(from)+len(to) > 0, len(hops) > 0} {
		if given {
			forms++
		}
	}
	if forms != 1 {
		return nil, fmt.Errorf("%d of --host, --from with --to, and --hop given, want one", forms)
	}
	var err error
	switch {
	case len(hosts) > 0:
		err = w.betweenHosts(ctx, c, q, append(hosts, args...))
	case len(hops) > 0:
		err = w.alongHops(ctx, c, q, hops)
	default:
		err = w.betweenPoints(ctx, c, q, from, to)
	}
	if err != nil {
		return nil, err
	}
	q.Selector, err = parseFields("--match", w.list("match"))
	return q, err
}

// values sets the fields of one value whose flags are given. Those of schema.Request are headers
// here (options).
func (w *intentArgs) values(q *client.IntentRequest) error {
	for i := range schema.Rows {
		row := &schema.Rows[i]
		if row.Part == schema.Request || !row.OneValue() {
			continue
		}
		for _, f := range row.Flags {
			if !w.given(f.Name) {
				continue
			}
			if err := q.SetText(row, w.text(f.Name)); err != nil {
				return fmt.Errorf("--%s=%s given, %w", f.Name, w.text(f.Name), err)
			}
		}
	}
	return nil
}

// parseFields reads the fields of a match that a flag gives, each FIELD=VALUE.
func parseFields(flag string, list []string) (client.Selector, error) {
	s := client.Selector{}
	for _, m := range list {
		name, value, ok := strings.Cut(m, "=")
		if _, twice := s[name]; !ok || name == "" || value == "" || twice {
			return nil, fmt.Errorf("%s %q given, want FIELD=VALUE, such as tcp_dst=80, each field once", flag, m)
		}
		s[name] = value
	}
	return s, nil
}

func (w *intentArgs) betweenHosts(ctx context.Context, c *client.Client, q *client.IntentRequest, hosts []string) error {
	if len(hosts) != 2 {
		return fmt.Errorf("%s given, want two: --host A B", command.Plural(len(hosts), "host", "hosts"))
	}
	ids := [2]string{}
	for i, h := range hosts {
		var err error
		if ids[i], err = hostNamed(ctx, c, h); err != nil {
			return err
		}
	}
	q.Kind, q.Src, q.Dst = client.HostToHost, client.HostEnd(ids[0]), client.HostEnd(ids[1])
	return nil
}

// hostNamed returns a host's id, which may be given by an IP address.
func hostNamed(ctx context.Context, c *client.Client, s string) (string, error) {
	if ip, err := netip.ParseAddr(s); err == nil {
		return hostWith(ctx, c, ip)
	}
	return s, nil
}

func (w *intentArgs) betweenPoints(ctx context.Context, c *client.Client, q *client.IntentRequest, from, to []string) error {
	if len(from) == 0 || len(to) == 0 {
		return fmt.Errorf("one of --from and --to given, want both")
	}
	src, err := w.points(ctx, c, from)
	if err != nil {
		return err
	}
	dst, err := w.points(ctx, c, to)
	if err != nil {
		return err
	}
	q.Src, q.Dst = client.PointEnds(src...), client.PointEnds(dst...)
	switch {
	case len(src) > 1 && len(dst) > 1:
		return fmt.Errorf("%d --from and %d --to given, want several of one of them only", len(src), len(dst))
	case len(src) > 1:
		q.Kind = client.MultipointToPoint
	case len(dst) > 1:
		q.Kind = client.PointToMultipoint
	default:
		q.Kind = client.PointToPoint
	}
	return nil
}

func (w *intentArgs) points(ctx context.Context, c *client.Client, list []string) (points []client.Point, err error) {
	for _, text := range list {
		p, err := w.point(ctx, c, text)
		if err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	return points, nil
}

func (w *intentArgs) alongHops(ctx context.Context, c *client.Client, q *client.IntentRequest, hops []string) error {
	q.Kind = client.ExplicitPath
	for _, text := range hops {
		at := strings.LastIndex(text, ":")
		before := strings.LastIndex(text[:max(at, 0)], ":")
		if before < 0 {
			return fmt.Errorf("--hop %q given, want SWITCH:IN:OUT, such as s1:1:2", text)
		}
		in, err := w.point(ctx, c, text[:before]+"/"+text[before+1:at])
		if err != nil {
			return err
		}
		out, err := w.point(ctx, c, text[:before]+"/"+text[at+1:])
		if err != nil {
			return err
		}
		q.Hops = append(q.Hops, client.IntentHop{DPID: in.DPID, In: in.Port, Out: out.Port})
	}
	return nil
}

// point resolves SWITCH/PORT. It asks the instance only for names.
func (w *intentArgs) point(ctx context.Context, c *client.Client, text string) (client.Point, error) {
	at := strings.LastIndex(text, "/")
	if at < 0 {
		return client.Point{}, fmt.Errorf("connect point %q given, want SWITCH/PORT, such as s1/3 or 00000000000000a1/3", text)
	}
	name, port := text[:at], text[at+1:]
	number, err := strconv.ParseUint(port, 10, 32)
	dpid, noDPID := client.ParseDPID(name)
	if err == nil && noDPID == nil {
		w.byDPID = append(w.byDPID, givenPoint{text, dpid, uint32(number)})
		return client.Point{DPID: client.FormatDPID(dpid), Port: uint32(number)}, nil
	}
	sw, err2 := w.switchNamed(ctx, c, name)
	if err2 != nil {
		return client.Point{}, err2
	}
	if err == nil {
		return client.Point{DPID: sw.DPID, Port: uint32(number)}, nil
	}
	if i := slices.IndexFunc(sw.Ports, func(p client.Port) bool { return p.Name == port }); i >= 0 {
		return client.Point{DPID: sw.DPID, Port: sw.Ports[i].Number}, nil
	}
	return client.Point{}, command.RuntimeError(
		fmt.Errorf("port %[2]q of switch %[1]s given, want one that it has: weir get ports %[1]s lists them", name, port))
}

func (w *intentArgs) switchNamed(ctx context.Context, c *client.Client, name string) (*client.Switch, error) {
	if !w.switchesLoaded {
		p, err := c.Switches(ctx)
		if err != nil {
			return nil, command.Explained(err)
		}
		w.switches, w.switchesLoaded = p.Items, true
	}
	var found []*client.Switch
	for i := range w.switches {
		if sw := &w.switches[i]; sw.Name == name || sameDPID(sw.DPID, name) {
			found = append(found, sw)
		}
	}
	return single(found, unknownSwitch(name),
		fmt.Errorf("switch %q given, which is the id or name of %d, want one: weir get switches lists both", name, len(found)))
}
