//go:build real

package object

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// TestOpenvSwitchHoldsWhatIsWritten has the samples on an Open vSwitch. It lacks provider backbone bridges and bands
// that remark, of which its features tell.
func TestOpenvSwitchHoldsWhatIsWritten(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		sw := ofcase.NewOVS(t, l, openflow.V13)
		sw.Reset()
		features := &Switch{Version: openflow.V13,
			Groups: ask[*openflow.GroupFeatures](t, sw, &openflow.GroupFeaturesRequest{}),
			Meters: ask[*openflow.MeterFeatures](t, sw, &openflow.MeterFeaturesRequest{})}
		var lacks []string
		list := slices.DeleteFunc(samples(t), func(s sample) bool {
			err := features.Takes(s.object, 0)
			if err != nil {
				lacks = append(lacks, s.name)
			}
			return err != nil
		})
		if !slices.Equal(lacks, []string{"remark", "remark-burst", "pbb"}) {
			t.Errorf("lacks %q", lacks)
		}
		holds(t, sw, list)
		passes(t, sw)
	})
}
