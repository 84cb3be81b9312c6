package netlab

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// Stream is a running iperf3 between two hosts: datagrams at a constant rate, or one TCP
// connection.
type Stream struct {
	*Process
	name string
}

// streamRate is in bits a second: enough to notice a loss of milliseconds, little enough for a
// loaded machine.
const streamRate = 400_000

// StartStream sends from one host to another for the given time: datagrams of 500 bytes, 100 a
// second, or a TCP connection of the same rate.
func (h *Host) StartStream(to *Host, udp bool, length time.Duration) *Stream {
	h.lab.t.Helper()
	h.lab.ports++
	port := fmt.Sprint(5200 + h.lab.ports)
	to.Start("iperf3", "--server", "--one-off", "--port", port)
	to.awaitListener(port)
	args := []string{"--client", to.IP4.String(), "--port", port, "--json", "--time", fmt.Sprint(int(length.Seconds())),
		"--bitrate", fmt.Sprint(streamRate), "--length", "500"}
	kind := "TCP"
	if udp {
		kind, args = "UDP", append(args, "--udp")
	}
	return &Stream{h.Start("iperf3", args...), fmt.Sprintf("%s %s→%s", kind, h.Name, to.Name)}
}

func (h *Host) awaitListener(port string) {
	h.lab.t.Helper()
	h.lab.Eventually(20*time.Second, "iperf3 listens", func() bool {
		return strings.Contains(h.Run("ss", "--no-header", "--listening", "--tcp", "--numeric"), ":"+port+" ")
	})
}

// Flow is what iperf3 counted.
type Flow struct {
	Packets, Lost int // datagrams; of TCP, 0
	Stalled       int // seconds in which nothing was sent, of TCP
	Seconds       int
}

// Wait waits for the stream's own end and returns its counts.
func (s *Stream) Wait(limit time.Duration) Flow {
	s.lab.t.Helper()
	s.lab.Eventually(limit, s.name+" ends", s.Ended)
	f, err := parseStream(s.Output())
	if err != nil {
		s.lab.t.Fatalf("%s: %v\n%s", s.name, err, tail(s.Output(), 2000))
	}
	return f
}

// parseStream reads the report of an iperf3 client.
func parseStream(out string) (f Flow, err error) {
	var said struct {
		Error     string `json:"error"`
		Intervals []struct {
			Sum struct {
				Bytes int `json:"bytes"`
			} `json:"sum"`
		} `json:"intervals"`
		End struct {
			Sum struct {
				Packets int `json:"packets"`
				Lost    int `json:"lost_packets"`
			} `json:"sum"`
		} `json:"end"`
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		return f, err
	}
	if said.Error != "" {
		return f, fmt.Errorf("iperf3: %s", said.Error)
	}
	for _, i := range said.Intervals {
		f.Seconds++
		if i.Sum.Bytes == 0 {
			f.Stalled++
		}
	}
	f.Packets, f.Lost = said.End.Sum.Packets, said.End.Sum.Lost
	return f, nil
}

// Rare is a host that speaks to another now and then, forgetting its neighbours each time.
type Rare struct {
	*Process
	name   string
	period time.Duration
}

// asking is what a Rare prints before each request.
const asking = "neighbours forgotten"

// StartRare sends one echo request every period; before each, the host has forgotten where its
// neighbours are.
func (h *Host) StartRare(to netip.Addr, period time.Duration) *Rare {
	h.lab.t.Helper()
	once := fmt.Sprintf("ip neigh flush "+resolved+"; echo %s; ping -n -q -c 1 -W 5 %s; sleep %.2f", asking, to, period.Seconds())
	return &Rare{h.Start("bash", "-c", "while :; do "+once+"; done"), fmt.Sprintf("%s→%s every %s", h.Name, to, period), period}
}

// Begun is how many requests were begun, counted or in flight.
func (r *Rare) Begun() int { return strings.Count(r.Output(), asking) }

// Count sums what was counted so far; a request in flight is not counted.
func (r *Rare) Count() (c Count) {
	for _, m := range summary.FindAllString(r.Output(), -1) {
		one, _ := parsePing(m)
		c.Sent += one.Sent
		c.Received += one.Received
		c.Duplicates += one.Duplicates
	}
	return c
}
