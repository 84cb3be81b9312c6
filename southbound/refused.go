package southbound

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
)

// refused is told of connections that never became a session: they are logged, and raise an alarm
// where somebody should look. The server counts them.
func (g *Registry) refused(r session.Refusal) {
	reason := session.Reason(r.Err)
	if g.quiet.allow(reason, g.cfg.Now()) {
		g.cfg.Log.Info("connection refused", "address", r.Remote, "reason", reason, "error", r.Err)
		g.auditRefusal(r, reason)
	}
	dpid := netview.DPID(r.Datapath).String()
	switch reason {
	case "datapath_in_use":
		g.cfg.Alarms.Raise(netview.AlarmSpoofedID, dpid, fmt.Sprintf("%s claims it, and the switch that has it answers", r.Remote))
	case "not_admitted":
		kind := netview.AlarmRefusedSwitch
		if errors.Is(r.Err, cert.ErrOther) {
			kind = netview.AlarmSpoofedID
		}
		g.cfg.Alarms.Raise(kind, dpid, fmt.Sprintf("%s: %v", r.Remote, r.Err))
	case "certificate", "tls":
		g.cfg.Alarms.Raise(netview.AlarmRefusedSwitch, host(r.Remote), fmt.Sprintf("%s: %v", r.Remote, r.Err))
	case "shed":
		g.cfg.Alarms.Raise(netview.AlarmHalfOpen, "", fmt.Sprintf("the last one cut: %s", r.Remote))
	case "held":
		g.cfg.Alarms.Raise(netview.AlarmLimit, "limits.handshake_memory", fmt.Sprintf("the last one cut: %s", r.Remote))
	case "ports":
		g.cfg.Alarms.Raise(netview.AlarmLimit, "limits.switch_ports", fmt.Sprintf("%s as switch %s: %v", r.Remote, dpid, r.Err))
	case "new_ports":
		g.cfg.Alarms.Raise(netview.AlarmLimit, "limits.handshake_memory", fmt.Sprintf(
			"%s as switch %s: %v; it gets in when they are known, or at once if the configuration names it (switches)", r.Remote, dpid, r.Err))
	case "source":
		g.cfg.Alarms.Raise(netview.AlarmLimit, "limits.switch_connections_per_source",
			fmt.Sprintf("the last one refused: %s", r.Remote))
	case "too_many":
		g.cfg.Alarms.Raise(netview.AlarmLimit, "switch connections", fmt.Sprintf("the last one refused: %s", r.Remote))
	}
}

// host is an address without its port.
func host(a net.Addr) string {
	h, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return h
}

// logLimiter bounds how often each reason is logged: a flood must not fill the disk.
type logLimiter struct {
	mu     sync.Mutex
	second time.Time
	lines  map[string]int
}

// logLinesMax is how many lines of one reason are logged in a second.
const logLinesMax = 5

// allow reports whether one more line may be logged.
func (q *logLimiter) allow(reason string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := now.Truncate(time.Second); s != q.second || q.lines == nil {
		q.second, q.lines = s, make(map[string]int)
	}
	q.lines[reason]++
	return q.lines[reason] <= logLinesMax
}

// auditRefusal writes a refusal that matters for security into the audit log.
func (g *Registry) auditRefusal(r session.Refusal, reason string) {
	switch reason {
	case "datapath_in_use", "not_admitted", "certificate", "tls":
	default:
		return
	}
	if g.cfg.Audit == nil {
		return
	}
	dpid := ""
	if r.Identified {
		dpid = netview.DPID(r.Datapath).String()
	}
	g.cfg.Audit(r.Remote.String(), dpid, reason+": "+r.Err.Error())
}
