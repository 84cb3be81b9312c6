package paper

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/probe/nic"
)

// Hosts is how many hosts the campaign has: H1 to H4.
const Hosts = 4

// Parameters are what figures depend on. A store has those of one campaign only.
type Parameters struct {
	Hosts      [Hosts]string `json:"hosts"`  // interfaces, as nic.Parse reads them
	Stamps     string        `json:"stamps"` // who takes times: software, hardware
	Controlled bool          `json:"controlled"`
	Quick      bool          `json:"quick,omitempty"`
	Probes     int           `json:"probes"`           // of each point of latency and set-up
	Transfers  int           `json:"transfers"`        // of each point of TCP and UDP
	Seconds    float64       `json:"transfer_seconds"` // of each transfer
	UDPRate    float64       `json:"udp_mbps"`         // at which datagrams are sent, Mbit/s of IP\'s payload
}

// Full are the paper's figures, and Short those of a campaign of minutes.
var (
	Full  = Parameters{Probes: 20, Transfers: 20, Seconds: 120, UDPRate: 900}
	Short = Parameters{Probes: 5, Transfers: 2, Seconds: 3, UDPRate: 900, Quick: true}
)

// Limits of parameters.
const (
	MaxProbes    = 1000
	MaxTransfers = 1000
	MaxTransfer  = time.Hour
	MaxUDPRate   = 1e6 // Mbit/s
)

// Check finds what cannot be meant.
func (c *Parameters) Check() error {
	seen := map[string]int{}
	for i, text := range c.Hosts {
		at, err := nic.Parse(text)
		if err != nil {
			return fmt.Errorf("host H%d: %w", i+1, err)
		}
		if j := seen[at.String()]; j > 0 {
			return fmt.Errorf("%s given for H%d and H%d, want an interface of its own for each", text, j, i+1)
		}
		seen[at.String()] = i + 1
	}
	if _, err := nic.ParseStamps(c.Stamps); err != nil {
		return fmt.Errorf("stamps: %w", err)
	}
	switch {
	case c.Probes < 2 || c.Probes > MaxProbes:
		return fmt.Errorf("%d probes given, want 2 to %d", c.Probes, MaxProbes)
	case c.Transfers < 1 || c.Transfers > MaxTransfers:
		return fmt.Errorf("%d transfers given, want 1 to %d", c.Transfers, MaxTransfers)
	case !(c.Seconds >= 1 && c.Seconds <= MaxTransfer.Seconds()):
		return fmt.Errorf("transfers of %g s given, want 1 to %g", c.Seconds, MaxTransfer.Seconds())
	case !(c.UDPRate >= 1 && c.UDPRate <= MaxUDPRate):
		return fmt.Errorf("a rate of %g Mbit/s given, want 1 to %g", c.UDPRate, float64(MaxUDPRate))
	}
	return nil
}

// transfer is how long a transfer takes.
func (c *Parameters) transfer() time.Duration { return time.Duration(c.Seconds * float64(time.Second)) }

// ParseHosts reads four interfaces: eth1,eth2,eth3,eth4, or each with its namespace,
// eth0,netns=h1,eth0,netns=h2 and so on.
func ParseHosts(text string) (hosts [Hosts]string, err error) {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if strings.HasPrefix(part, "netns=") && len(list) > 0 {
			list[len(list)-1] += "," + part
			continue
		}
		list = append(list, part)
	}
	if len(list) != Hosts {
		return hosts, fmt.Errorf("%d interfaces given, want those of H1 to H4, such as eth1,eth2,eth3,eth4 or eth0,netns=h1,eth0,netns=h2,…",
			len(list))
	}
	for i, one := range list {
		at, err := nic.Parse(one)
		if err != nil {
			return hosts, fmt.Errorf("host H%d: %w", i+1, err)
		}
		hosts[i] = at.String()
	}
	return hosts, nil
}

// ErrOther refuses a store that has another campaign's results.
var ErrOther = errors.New("results of another campaign")

// same reports how a campaign that was begun differs from one that is asked for.
func (c *Parameters) same(asked *Parameters) error {
	var differ []string
	note := func(name string, kept, given any) {
		if kept != given {
			differ = append(differ, fmt.Sprintf("%s %v, given %v", name, kept, given))
		}
	}
	for i := range c.Hosts {
		note(fmt.Sprintf("H%d", i+1), c.Hosts[i], asked.Hosts[i])
	}
	note("stamps", c.Stamps, asked.Stamps)
	note("a controller of its own", c.Controlled, asked.Controlled)
	note("quick", c.Quick, asked.Quick)
	note("probes", c.Probes, asked.Probes)
	note("transfers", c.Transfers, asked.Transfers)
	note("seconds of a transfer", c.Seconds, asked.Seconds)
	note("Mbit/s of UDP", c.UDPRate, asked.UDPRate)
	if len(differ) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrOther, strings.Join(differ, "; "))
}
