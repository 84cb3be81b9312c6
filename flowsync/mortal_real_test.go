//go:build real

package flowsync

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/ruleset"
)

// TestOpenvSwitchEndsRules is rules with time-outs against a real ovs-vswitchd, which ends them: that is told once, with
// the counters, and nothing is put back. One that somebody deletes, or that the switch loses as it is started anew, is put
// back for what is left of its time; if it has an idle time-out, a loss that nobody has told of is its end.
func TestOpenvSwitchEndsRules(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, monitor := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s monitor=%t", v, monitor), func(t *testing.T) {
				t.Parallel()
				netlab.Inside(t, func(t *testing.T, l *netlab.Lab) { mortalOnOVS(t, l, v, monitor) })
			})
		}
	}
}

func mortalOnOVS(t *testing.T, l *netlab.Lab, v openflow.Version, monitor bool) {
	told := newOutcomes()
	r := newRealSwitchWith(t, l, v,
		Config{OnOutcomes: told.add, NoMonitor: !monitor, ReadEvery: time.Second, LieWindow: time.Nanosecond})
	const hard, idle, hardLost, idleLost, long, longIdle = 1, 2, 3, 4, 5, 6 // intents and last octets
	times := []string{hard: "hard=8", idle: "idle=8", hardLost: "hard=12", idleLost: "idle=11",
		long: "hard=60", longIdle: "idle=60"}
	order := func(i uint32) {
		r.loop.Order([]ruleset.Order{parseOrder(t, 1, fmt.Sprintf(
			"install intent=%d version=1 priority=20100 in=1 out=2 ipv4_dst=10.0.0.%d %s", i, i, times[i]))})
	}
	place := func(i uint32) string {
		return fmt.Sprintf("priority=20100,ip,in_port=1,nw_dst=10.0.0.%d%s", i, r.table())
	}
	becomes := func(results string, intents ...uint32) {
		t.Helper()
		for _, i := range intents {
			l.Eventually(time.Minute, times[i]+": "+results, func() bool { return told.results(i) == results })
		}
	}
	began := time.Now()
	for i := range times[1:] {
		order(uint32(i + 1))
	}
	becomes("installed", hard, idle, hardLost, idleLost, long, longIdle)
	for i := range uint32(2) {
		k := packet.Key{EtherType: packet.TypeIPv4, IPDst: packet.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)})}
		r.ofctl("packet-out", "s1", fmt.Sprintf("in_port=1 packet=%x actions=table", packet.AppendUDP(nil, &k, nil)))
	}

	l.Eventually(5*time.Second, "more than a second", func() bool { return time.Since(began) > 1100*time.Millisecond })
	for _, i := range []uint32{hardLost, idleLost, long} {
		r.ofctl("--strict", "del-flows", "s1", place(i))
	}
	becomes("installed lost installed", hardLost, idleLost, long)
	if left := r.hardTimeout("10.0.0.5"); left < 1 || left > 59 {
		t.Errorf("one of 60 s is put back for %d s, more than a second later", left)
	}
	becomes("installed ended", hard, idle)
	for _, i := range []uint32{hard, idle} {
		if last := told.lastOf(i).Last; last == nil || last.Packets != 1 || last.Bytes == 0 {
			t.Errorf("%s has ended with %+v", times[i], last)
		}
	}
	becomes("installed lost installed ended", hardLost)
	if lived := time.Since(began); lived < 11990*time.Millisecond {
		t.Errorf("one of 12 s that was put back has ended after %s", lived)
	}
	becomes("installed lost installed ended", idleLost)
	if got := r.dump("priority=20100"); got != 2 {
		t.Errorf("the switch lists %d rules with time-outs, want the long ones", got)
	}

	r.ovs.Switches.Kill()
	r.ovs.StartSwitches()
	becomes("installed lost installed lost installed", long)
	becomes("installed ended", longIdle)
	if left := r.hardTimeout("10.0.0.5"); left < 1 || left > 48 {
		t.Errorf("one of 60 s is put back for %d s, more than twelve later", left)
	}
	order(hard)
	becomes("installed ended installed ended", hard)
	if got := r.dump("priority=20100"); got != 1 {
		t.Errorf("the switch lists %d rules with time-outs, want the long one", got)
	}
}

// hardTimeout is that of the entry for an address, as the switch lists it.
func (r *realSwitch) hardTimeout(address string) (seconds int) {
	line := regexp.MustCompile(`hard_timeout=(\d+).*nw_dst=` + regexp.QuoteMeta(address) + " ")
	if m := line.FindStringSubmatch(r.ofctl("dump-flows", "s1")); m != nil {
		seconds, _ = strconv.Atoi(m[1])
	}
	return seconds
}
