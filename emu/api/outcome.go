package api

import (
	"fmt"

	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/host"
)

// Command is something that a host was told to send, and what came of it.
type Command struct {
	Number int    `json:"number"`
	Kind   string `json:"kind"`
	From   string `json:"from"`
	To     string `json:"to" doc:"address"`
	Done   bool   `json:"done"`
	Error  string `json:"error,omitempty" doc:"unreachable: nobody answers for the address, so that nothing has left the host"`
	Ping   *Ping  `json:"ping,omitempty"`
	UDP    *UDP   `json:"udp,omitempty"`
	TCP    *TCP   `json:"tcp,omitempty"`
}

// Ping is what a ping has come to.
type Ping struct {
	Sent       uint64  `json:"sent"`
	Unsent     uint64  `json:"unsent" doc:"the neighbour did not answer"`
	Received   uint64  `json:"received"`
	Lost       uint64  `json:"lost" doc:"sent and not answered; 0 until it is done"`
	Duplicated uint64  `json:"duplicated"`
	Reordered  uint64  `json:"reordered"`
	RTT        Summary `json:"rtt_us"`
}

// UDP is what a flow has come to: at its sender, and at the host that it went to.
type UDP struct {
	Sent       uint64   `json:"sent"`
	Unsent     uint64   `json:"unsent" doc:"the neighbour did not answer"`
	Received   uint64   `json:"received"`
	Missing    uint64   `json:"missing" doc:"sent and not there: lost, or, while it is not done, on its way"`
	Duplicated uint64   `json:"duplicated"`
	Reordered  uint64   `json:"reordered"`
	Latency    Summary  `json:"latency_us" doc:"one way"`
	Echoed     uint64   `json:"echoed" doc:"sent back by port 7"`
	RTT        *Summary `json:"rtt_us,omitempty" doc:"of the echoed"`
}

// TCP is what a stream has come to: at the host that opened it, and at the other.
type TCP struct {
	State         string  `json:"state"`
	Error         string  `json:"error,omitempty"`
	Acked         uint64  `json:"acked" doc:"bytes"`
	Delivered     uint64  `json:"delivered" doc:"bytes, in order, at the other host"`
	Segments      uint64  `json:"segments" doc:"sent"`
	Retransmitted uint64  `json:"retransmitted"`
	Timeouts      uint64  `json:"timeouts"`
	Duplicated    uint64  `json:"duplicated" doc:"segments with nothing new, at the other host"`
	Reordered     uint64  `json:"reordered" doc:"segments before their turn, at the other host"`
	RTT           Summary `json:"rtt_us"`
}

func commandItem(c *control.Command, o control.Outcome) Command {
	item := Command{Number: c.Number, Kind: c.Traffic.Kind, From: c.From.Spec().Name, To: c.To.String(), Done: o.Done}
	switch {
	case o.Ping != nil:
		r := o.Ping
		item.Error = unreachable(c, r.Sent, r.Unsent)
		item.Ping = &Ping{r.Sent, r.Unsent, r.Received, r.Lost, r.Duplicated, r.Reordered, summaryItem(r.RTT)}
	case o.UDP != nil:
		item.UDP, item.Error = udpItem(o.UDP, o.Sink), unreachable(c, o.UDP.Sent, o.UDP.Unsent)
	case o.TCP != nil:
		item.TCP = tcpItem(o.TCP, o.Peer)
	}
	return item
}

// unreachable says that nobody answers for the address of a command; empty if something could be
// sent, or nothing is known yet.
func unreachable(c *control.Command, sent, unsent uint64) string {
	if sent > 0 || unsent == 0 {
		return ""
	}
	return fmt.Sprintf("unreachable: nobody answers for %s, and nothing has left %s", c.To, c.From.Spec().Name)
}

func udpItem(f *host.FlowReport, sink *host.SinkReport) *UDP {
	u := &UDP{Sent: f.Sent, Unsent: f.Unsent, Echoed: f.Echoed}
	if f.Echoed > 0 {
		rtt := summaryItem(f.RTT)
		u.RTT = &rtt
	}
	if sink != nil {
		u.Received, u.Duplicated, u.Reordered, u.Latency = sink.Received, sink.Duplicated, sink.Reordered,
			summaryItem(sink.Latency)
	}
	u.Missing = f.Sent - min(u.Received, f.Sent)
	return u
}

func tcpItem(s, peer *host.StreamReport) *TCP {
	t := &TCP{State: s.State, Acked: s.Acked, Segments: s.Segments, Retransmitted: s.Retransmitted,
		Timeouts: s.Timeouts, RTT: summaryItem(s.RTT)}
	if s.Err != nil {
		t.Error = s.Err.Error()
	}
	if peer != nil {
		t.Delivered, t.Duplicated, t.Reordered = peer.Delivered, peer.Duplicated, peer.Reordered
	}
	return t
}

func summaryItem(s host.Summary) Summary {
	return Summary{s.Count, micros(s.Min), micros(s.Mean), micros(s.P50), micros(s.P90), micros(s.P99), micros(s.Max)}
}
