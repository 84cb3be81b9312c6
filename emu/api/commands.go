package api

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
)

// commands are what hosts were told to send.
type commands struct{ operator *control.Operator }

func (r commands) routes() []rest.Route {
	return []rest.Route{
		{Method: "POST", Path: "/v1/commands", ID: "begin-command", Handler: rest.Typed(r.begin),
			Summary: "Have a host send: ping, udp or tcp"},
		{Method: "GET", Path: "/v1/commands", ID: "commands", Handler: rest.Typed(r.all),
			Summary: "What hosts were told to send, and what came of it"},
		{Method: "GET", Path: "/v1/commands/{number}", ID: "command", Handler: rest.Typed(r.one),
			Summary: "One command"},
		{Method: "DELETE", Path: "/v1/commands/{number}", ID: "stop-command", Handler: rest.Typed(r.stop),
			Summary: "Have the host send no more"},
	}
}

// maxWait is the longest that a request waits for a command: an answer may take a minute
// (api.Limits.Write).
const maxWait = 50 * time.Second

type beginInput struct {
	Wait string `query:"wait" doc:"answer when the command is done, or after this time, at most 50s" example:"10s"`
	Body struct {
		Kind     string  `json:"kind" enum:"ping,udp,tcp"`
		From     string  `json:"from" doc:"host" example:"h1"`
		To       string  `json:"to" doc:"host, or an address" example:"h2"`
		IPv6     bool    `json:"ipv6,omitempty" doc:"to the host's IPv6 address"`
		Count    int     `json:"count,omitempty" minimum:"0" maximum:"1000000000" doc:"ping: requests; udp: datagrams; 0: until it is stopped, or duration"`
		Interval Span    `json:"interval,omitempty" doc:"ping: between requests; default 1s"`
		Size     int     `json:"size,omitempty" minimum:"0" maximum:"9000" doc:"ping, udp: bytes of payload"`
		DstPort  uint16  `json:"dst_port,omitempty" doc:"udp, tcp; default 9; of udp 7 sends all back"`
		Rate     float64 `json:"rate,omitempty" minimum:"0" doc:"udp: datagrams a second; tcp: bits of payload a second, 0 as fast as it goes"`
		Pattern  string  `json:"pattern,omitempty" enum:"constant,poisson,on-off" doc:"udp"`
		On       Span    `json:"on,omitempty" doc:"of on-off"`
		Off      Span    `json:"off,omitempty"`
		Bytes    uint64  `json:"bytes,omitempty" maximum:"1152921504606846976" doc:"tcp; 0: until it is stopped, or duration"`
		Duration Span    `json:"duration,omitempty" doc:"udp, tcp"`
	}
}

type commandAnswer struct {
	Status int
	Body   Command
}

func (r commands) begin(ctx context.Context, in *beginInput) (*commandAnswer, error) {
	b := &in.Body
	var wait Span
	if in.Wait != "" {
		if err := wait.UnmarshalText([]byte(in.Wait)); err != nil || time.Duration(wait) > maxWait {
			return nil, huma.Error422UnprocessableEntity(
				fmt.Sprintf("wait=%s given, want a time of at most %v, such as 10s", in.Wait, maxWait))
		}
	}
	from := r.operator.Host(b.From)
	if from == nil {
		return nil, huma.Error404NotFound("there is no host " + b.From + ": GET /v1/hosts lists what there is")
	}
	to, err := r.destination(b.To, b.IPv6)
	if err != nil {
		return nil, err
	}
	c, err := r.operator.Begin(from, to,
		topo.Traffic{Kind: b.Kind, IPv6: b.IPv6, Count: b.Count, Interval: time.Duration(b.Interval), Size: b.Size,
			Port: b.DstPort, Rate: b.Rate, Pattern: b.Pattern, On: time.Duration(b.On), Off: time.Duration(b.Off),
			Bytes: b.Bytes, Duration: time.Duration(b.Duration)})
	if err != nil {
		return nil, refuse(err)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(wait))
	defer cancel()
	o := c.Await(ctx)
	answer := &commandAnswer{http.StatusAccepted, commandItem(c, o)}
	if o.Done {
		answer.Status = http.StatusOK
	}
	return answer, nil
}

// destination returns an address, or that of a host.
func (r commands) destination(to string, ipv6 bool) (netip.Addr, error) {
	if h := r.operator.Host(to); h != nil {
		addr, err := control.Address(h, ipv6)
		return addr, refuse(err)
	}
	addr, err := netip.ParseAddr(to)
	if err != nil {
		return addr, huma.Error404NotFound("there is no host " + to + ", and it is no address: GET /v1/hosts lists what there is")
	}
	return addr, nil
}

func (r commands) all(context.Context, *none) (*list[Command], error) {
	return listOf(r.operator.Commands(), func(c *control.Command) Command { return commandItem(c, c.Outcome()) })
}

type numberInput struct {
	Number int `path:"number" minimum:"1"`
}

func (r commands) find(in *numberInput) (*control.Command, error) {
	if c := r.operator.Command(in.Number); c != nil {
		return c, nil
	}
	return nil, huma.Error404NotFound(fmt.Sprintf("there is no command %d: GET /v1/commands lists the last %d",
		in.Number, control.MaxCommands))
}

func (r commands) one(_ context.Context, in *numberInput) (*one[Command], error) {
	c, err := r.find(in)
	if err != nil {
		return nil, err
	}
	return &one[Command]{commandItem(c, c.Outcome())}, nil
}

func (r commands) stop(_ context.Context, in *numberInput) (*one[Command], error) {
	c, err := r.find(in)
	if err != nil {
		return nil, err
	}
	c.Stop()
	return &one[Command]{commandItem(c, c.Outcome())}, nil
}
