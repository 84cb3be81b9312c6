package node

import (
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/stats"
)

// counterConn is a session as package stats sees it.
type counterConn struct{ s *session.Session }

// Multipart asks; the errors are those that stats knows.
func (c counterConn) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	err := c.s.Multipart(body, func(reply openflow.ReplyBody, err error) {
		var refused *session.PeerError
		if errors.As(err, &refused) {
			err = stats.ErrRefused
		}
		answer(reply, err)
	})
	if errors.Is(err, session.ErrFull) {
		return stats.ErrBusy
	}
	return err
}

// Queue is how many bytes wait for the switch.
func (c counterConn) Queue() int { return c.s.Queue() }

// roundTrip is how far away a switch is, for discovery; 0 if that is not known.
func (n *node) roundTrip(dpid netview.DPID) time.Duration {
	if s := n.server.Session(uint64(dpid)); s != nil {
		return s.MinRoundTrip()
	}
	return 0
}

// checkStats finds what is wrong with the periods at which switches are asked for counters.
func (c *Config) checkStats() error {
	for _, period := range []time.Duration{c.Stats.PortPeriod, c.Stats.TablePeriod, c.Stats.FlowPeriod} {
		if period > 0 && (period < stats.MinPeriod || period > time.Hour) {
			return fmt.Errorf("switches are to be asked for counters every %s: want %s to 1h", period, stats.MinPeriod)
		}
	}
	return nil
}

// counters returns the configuration of package stats.
func (c *Config) counters(as boot) stats.Config {
	return stats.Config{Now: as.now, Seed: as.seed, Domain: uint16(c.Domain), Ports: c.Stats.PortPeriod,
		Tables: c.Stats.TablePeriod, Flows: c.Stats.FlowPeriod}
}
