package node

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/stats"
)

// checkStats finds what is wrong with the periods at which switches are asked for counters.
func (c *Config) checkStats() error {
	for _, period := range []time.Duration{c.Stats.PortPeriod, c.Stats.TablePeriod, c.Stats.FlowPeriod} {
		if period > 0 && (period < stats.MinPeriod || period > time.Hour) {
			return fmt.Errorf("switches are to be asked for counters every %s: want %s to 1h", period, stats.MinPeriod)
		}
	}
	return nil
}
