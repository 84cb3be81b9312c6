package discovery

import (
	"bytes"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

var t0 = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

var testKey = []byte("0123456789abcdef0123456789abcdef")

// world is a core with a view, a clock, and cables between ports: a probe sent into a cable comes
// in at its other end.
type world struct {
	t      reporter
	view   *netview.View
	facts  *netview.Facts
	inputs *netview.Inputs
	core   *Core
	now    time.Time
	steps  int
	seen   netview.Revision
	cables map[netview.Point]netview.Point
	sent   map[netview.Point][][]byte // every probe of each port
	full   map[netview.DPID]bool      // switches whose sessions take no probe
	deaf   bool                       // no probe comes in
	stall  map[netview.DPID]bool      // switches that take what they are sent, and come to none of it
	held   map[netview.DPID][]func()  // what those are to do
	// What switches have sent: something at any time, unless they stand still. nil: nobody knows.
	bytes map[netview.DPID]*atomic.Uint64

	segments [][]netview.Point                // each a bridge: what goes into one of its ports comes in at the others
	most     map[netview.Point]int            // length of the longest frame that a cable carries from there; 0: any
	nearless map[netview.Point]bool           // cables and bridges that carry no near probes from there
	lives    map[netview.HostID]netview.Point // where hosts are that answer questions
	alarms   []string                         // raised and ended since they were last said

	settled bool // it was said
	quiet   bool // probes are not said
	lines   []string
}

// reporter is what a world needs of a test.
type reporter interface {
	Helper()
	Error(args ...any)
}

func newWorld(t reporter, cfg Config) *world {
	cfg.Seed = 1000
	if cfg.Key == nil {
		cfg.Key = testKey
	}
	w := &world{
		t: t, view: netview.New(netview.Limits{}), now: t0,
		cables: map[netview.Point]netview.Point{}, sent: map[netview.Point][][]byte{}, full: map[netview.DPID]bool{},
		stall: map[netview.DPID]bool{}, held: map[netview.DPID][]func(){},
		most: map[netview.Point]int{}, nearless: map[netview.Point]bool{}, lives: map[netview.HostID]netview.Point{},
	}
	if cfg.Alarms == nil {
		cfg.Alarms = w
	}
	w.facts, w.core = w.view.Facts(), NewCore(cfg, t0)
	return w
}

// Raise implements alarm.Sink.
func (w *world) Raise(kind netview.AlarmKind, object, text string) {
	w.alarms = append(w.alarms, fmt.Sprintf("alarm %s %s: %s", kind, brief(object), brief(text)))
}

// Clear implements alarm.Sink.
func (w *world) Clear(kind netview.AlarmKind, object string) {
	w.alarms = append(w.alarms, fmt.Sprintf("alarm %s %s ended", kind, brief(object)))
}

// brief takes the zeros off datapath ids.
func brief(text string) string { return strings.ReplaceAll(text, "000000000000000", "") }

// seenEvery is after how many steps all known sightings are looked at: with the race detector that takes
// milliseconds.
const seenEvery = 64

// step runs a transaction, delivers the probes it sends, and checks everything.
func (w *world) step(do func()) {
	w.t.Helper()
	for dpid, bytes := range w.bytes {
		if !w.stall[dpid] {
			bytes.Store(uint64(w.now.Sub(t0)))
		}
	}
	for do != nil {
		w.facts.Update(func(tx *netview.FactsTx) {
			w.core.Begin(tx, w.now)
			do()
			w.core.Tick()
		})
		do = w.deliver()
	}
	s := w.view.Snapshot()
	if err := s.Check(); err != nil {
		w.t.Error(err)
	}
	if err := w.core.Check(s); err != nil {
		w.t.Error(err)
	}
	if w.steps++; w.steps%seenEvery == 0 {
		w.checkSeen()
	}
	w.changes()
}

// checkSeen checks the cache of known sightings.
func (w *world) checkSeen() {
	w.t.Helper()
	if err := w.core.hosts.CheckSeen(w.view.Snapshot()); err != nil {
		w.t.Error(err)
	}
}

// deliver returns what brings the probes just sent to the other ends of their cables, nil if none
// has one.
func (w *world) deliver() func() {
	type arrival struct {
		at    netview.Point
		frame []byte
	}
	var arrivals []arrival
	var to []string
	var questions []question
	w.core.Sends(func(at netview.Point, frame []byte) bool {
		if w.full[at.DPID] {
			return false
		}
		frame = bytes.Clone(frame)
		var k packet.Key
		if packet.ParseKey(frame, &k); k.EtherType != packet.TypeLLDP {
			questions = append(questions, question{k, at})
			return true
		}
		w.sent[at] = append(w.sent[at], frame)
		near := k.EthDst == packet.LLDPMulticast
		switch n := len(to); {
		case len(frame) >= probes.MinFrame:
			to = append(to, fmt.Sprintf("%s%s%d", short(at), map[bool]string{true: "n", false: "f"}[near], len(frame)))
		case near:
			to = append(to, short(at)+"n")
		case n > 0 && to[n-1] == short(at)+"n":
			to[n-1] = short(at) // both kinds
		default:
			to = append(to, short(at)+"f")
		}
		for _, end := range w.others(at) {
			fits := w.most[at] == 0 || len(frame) <= w.most[at]
			if fits && !w.deaf && !(near && w.nearless[at]) && !w.stall[at.DPID] {
				arrivals = append(arrivals, arrival{end, frame})
			}
		}
		return true
	})
	if len(to) > 0 && !w.quiet {
		w.say("probe %s", strings.Join(to, " "))
	}
	for _, q := range questions {
		w.say("ask %s at %s", q.EthDst, short(q.at))
	}
	var done []func()
	do := func(dpid netview.DPID, f func()) {
		if w.stall[dpid] {
			w.held[dpid] = append(w.held[dpid], f)
		} else {
			done = append(done, f)
		}
	}
	for _, q := range questions {
		do(q.at.DPID, func() { w.answer(&q) })
	}
	w.core.Barriers(func(dpid netview.DPID, number uint64) {
		do(dpid, func() { w.core.BarrierReply(dpid, number) })
	})
	w.core.Alarms(w)
	w.core.SilentHosts(w.core.cfg.InUse)
	if next, _ := w.core.Next(); len(arrivals) == 0 && len(done) == 0 && next.After(w.now) {
		return nil
	}
	return func() {
		for _, f := range done {
			f()
		}
		for _, a := range arrivals {
			if err := w.core.LLDP(a.at, a.frame); err != nil && !w.quiet {
				w.say("lldp at %s: %v", short(a.at), err)
			}
		}
	}
}

// answer has a host answer a question, if it is there.
func (w *world) answer(q *question) {
	if id := (netview.HostID{MAC: q.EthDst, VLAN: q.VLAN & packet.VLANMask}); w.lives[id] == q.at && !w.deaf {
		k := q.answer()
		if s, _ := hosts.ParseSighting(q.at, &k); !w.core.hosts.Seen.IsNew(&s) {
			w.t.Error("an answer that is no news")
		}
		w.core.Frame(q.at, &k)
	}
}

// question is a frame that asks a host.
type question struct {
	packet.Key
	at netview.Point
}

// answer is what the host says.
func (q *question) answer() packet.Key {
	if q.EtherType == packet.TypeARP {
		return packet.NewARPReply(q.EthDst, q.ARPTPA, q.EthSrc, q.ARPSPA)
	}
	return packet.NewNDAdvert(q.EthDst, q.NDTarget, q.EthSrc, q.IPSrc)
}

// others are the ports where what a port sends comes in.
func (w *world) others(at netview.Point) (all []netview.Point) {
	if end, ok := w.cables[at]; ok {
		all = append(all, end)
	}
	for _, s := range w.segments {
		if slices.Contains(s, at) {
			all = append(all, slices.DeleteFunc(slices.Clone(s), func(p netview.Point) bool { return p == at })...)
		}
	}
	return all
}

// join puts a cable between two ports.
func (w *world) join(a, b netview.Point) { w.cables[a], w.cables[b] = b, a }

// meter counts what a switch sends in its session from now on.
func (w *world) meter(dpid netview.DPID) *atomic.Uint64 {
	if w.bytes[dpid] == nil {
		w.bytes[dpid] = new(atomic.Uint64)
		w.bytes[dpid].Store(uint64(w.now.Sub(t0)))
	}
	return w.bytes[dpid]
}

// wait lets time go by, in the steps that the core asks for.
func (w *world) wait(d time.Duration) {
	end := w.now.Add(d)
	for {
		next, ok := w.core.Next()
		if !ok || next.After(end) {
			break
		}
		w.now = next
		w.step(func() {})
	}
	w.now = end
}

func (w *world) say(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf("%8s  ", w.now.Sub(t0))+fmt.Sprintf(format, args...))
}

// changes tells what changed in the view since it was last called.
func (w *world) changes() {
	cs, upto, _ := w.view.Changes(w.seen, 1<<20)
	for _, c := range cs {
		switch {
		case c.Deleted && c.Kind == netview.KindLink:
			w.say("link %s deleted", shortKey(c.Link.LinkKey))
		case c.Deleted && c.Kind == netview.KindHost:
			w.say("host %s deleted", c.Host.HostID)
		case c.Deleted && c.Kind == netview.KindSwitch:
			w.say("switch %s deleted", brief(c.Switch.DPID.String()))
		case c.Kind == netview.KindSwitch:
			w.say("switch %s", switchText(c.Switch))
		case c.Kind == netview.KindLink:
			text := ""
			if c.Link.Up && c.Link.State == netview.LinkIndirect && c.Link.Usable {
				text = " used"
			}
			if c.Link.Width != netview.WidthUnknown {
				text += " " + c.Link.Width.String()
			}
			w.say("link %s up=%t %s%s", shortKey(c.Link.LinkKey), c.Link.Up, c.Link.State, text)
		case c.Kind == netview.KindHost:
			w.say("host %s at=%s ips=%v %s", c.Host.HostID, short(c.Host.At), c.Host.IPs, c.Host.State)
		}
	}
	for _, a := range slices.Compact(w.alarms) {
		w.say("%s", a)
	}
	w.alarms = nil
	if s := w.view.Snapshot(); s.Settled() && !w.settled {
		w.settled = true
		w.say("settled")
	}
	w.seen = upto
}

func short(p netview.Point) string { return fmt.Sprintf("%d/%d", uint64(p.DPID), p.Port) }

func shortKey(k netview.LinkKey) string { return short(k.Src) + "->" + short(k.Dst) }

func switchText(s *netview.Switch) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d %s", uint64(s.DPID), s.State)
	if s.Settled {
		text.WriteString(" settled")
	}
	for _, p := range s.Ports {
		up := p.Role.String()
		if !p.Up {
			up = "down"
		}
		fmt.Fprintf(&text, " %d:%s", p.Number, up)
	}
	return text.String()
}

func point(text string) netview.Point {
	d, p, _ := strings.Cut(text, "/")
	dpid, err1 := strconv.ParseUint(d, 10, 64)
	port, err2 := strconv.ParseUint(p, 10, 32)
	if err1 != nil || err2 != nil {
		panic("not a point: " + text)
	}
	return netview.Point{DPID: netview.DPID(dpid), Port: uint32(port)}
}

func ofPort(n uint32, up bool) openflow.Port {
	p := openflow.Port{Number: n, HWAddr: [6]byte{0xfe, 0, 0, 0, 0, byte(n)}, Name: "p" + strconv.Itoa(int(n)),
		CurrSpeed: 1_000_000}
	if !up {
		p.State = openflow.PortStateDown
	}
	return p
}

// facts is a handshake of a switch with ports 1 to n, all up but those in down.
func facts(dpid netview.DPID, n int, down string) SwitchFacts {
	f := SwitchFacts{DPID: dpid, Version: openflow.V13, Address: "192.0.2.1:6653", Tables: 254}
	for i := range n {
		f.Ports = append(f.Ports, ofPort(uint32(i+1), !strings.Contains(","+down+",", fmt.Sprintf(",%d,", i+1))))
	}
	return f
}

// frameOf is the key of an ARP request, or of data ("data=") or ND ("ns=", "na=", "dad=") of a
// host.
func frameOf(c *golden.Command) packet.Key {
	mac, err := packet.ParseMAC(c.Args[0])
	if err != nil {
		panic(err)
	}
	k := packet.Key{EthSrc: mac, EthDst: packet.Broadcast, Layers: packet.LayerEthernet, TTL: 255}
	if v, err := strconv.Atoi(c.Arg("vlan", "")); err == nil {
		k.VLAN, k.Layers = packet.VLANPresent|uint16(v), k.Layers|packet.LayerVLAN
	}
	addr := func(kind string) packet.Addr { return packet.AddrFrom(netip.MustParseAddr(c.Arg(kind, ""))) }
	switch {
	case c.Arg("arp", "") != "":
		k.EtherType, k.Layers, k.ARPOp = packet.TypeARP, k.Layers|packet.LayerARP, 1
		k.ARPSHA, k.ARPSPA = mac, addr("arp").As4()
	case c.Arg("data", "") != "":
		k.EtherType, k.Layers, k.IPSrc = packet.TypeIPv4, k.Layers|packet.LayerIPv4, addr("data")
	case c.Arg("ns", "") != "":
		k.EtherType, k.Layers, k.IPSrc, k.ICMPType = packet.TypeIPv6, k.Layers|packet.LayerIPv6|packet.LayerND,
			addr("ns"), packet.NDSolicit
		k.NDTarget = packet.AddrFrom(netip.MustParseAddr("2001:db8::ffff"))
	case c.Arg("dad", "") != "":
		k.EtherType, k.Layers, k.NDTarget, k.ICMPType = packet.TypeIPv6, k.Layers|packet.LayerIPv6|packet.LayerND,
			addr("dad"), packet.NDSolicit
	case c.Arg("na", "") != "":
		k.EtherType, k.Layers, k.NDTarget, k.ICMPType = packet.TypeIPv6, k.Layers|packet.LayerIPv6|packet.LayerND,
			addr("na"), packet.NDAdvert
		k.NDTLL = mac
	}
	return k
}

// do runs one command of a conversation.
func (w *world) do(c *golden.Command) {
	switch c.Name {
	case "up": // up DPID PORTS [down=N,N] [serial=TEXT]
		dpid, n := point(c.Args[0]+"/0").DPID, int(point("0/"+c.Args[1]).Port)
		f := facts(dpid, n, c.Arg("down", ""))
		f.Desc.Serial = c.Arg("serial", "")
		if w.bytes != nil {
			f.Received = w.meter(dpid)
		}
		w.step(func() { w.core.SwitchUp(&f) })
	case "down": // down DPID
		w.step(func() { w.core.SwitchDown(point(c.Args[0] + "/0").DPID) })
	case "rows": // rows DPID [PORT…]: it was found to hold rows that say that these ports are links'
		var ports []uint32
		for _, number := range c.Args[1:] {
			ports = append(ports, point("0/"+number).Port)
		}
		w.step(func() { w.core.FormerLinkPorts(point(c.Args[0]+"/0").DPID, ports) })
	case "forget": // forget DPID|MAC: an operator says that it is gone for good
		w.step(func() {
			var err error
			if mac, no := packet.ParseMAC(c.Args[0]); no == nil {
				if !w.core.hosts.Forget(netview.HostID{MAC: mac}) {
					err = ErrUnknown
				}
			} else {
				err = w.core.switches.forget(point(c.Args[0] + "/0").DPID)
			}
			if err != nil {
				w.say("refused: %v", err)
			}
		})
	case "restart": // restart: the instance ends, and another remembers
		w.restart()
	case "full": // full DPID yes|no: whether the session's queue has no room
		w.full[point(c.Args[0]+"/0").DPID] = c.Args[1] == "yes"
	case "stall": // stall DPID yes|no: whether a switch comes to nothing that it is sent, though its session takes it
		dpid := point(c.Args[0] + "/0").DPID
		w.stall[dpid] = c.Args[1] == "yes"
		if w.bytes == nil {
			w.bytes = map[netview.DPID]*atomic.Uint64{}
			for dpid, d := range w.core.Devices {
				if d.Connected {
					d.Received = w.meter(dpid)
				}
			}
		}
		held := w.held[dpid]
		if delete(w.held, dpid); len(held) > 0 {
			w.step(func() {
				for _, f := range held {
					f()
				}
			})
		}
	case "deaf": // deaf yes|no: whether probes that are sent into cables do not come in
		w.deaf = c.Args[0] == "yes"
	case "port": // port POINT up|down|delete
		at := point(c.Args[0])
		reason, p := openflow.PortModified, ofPort(at.Port, c.Args[1] == "up")
		if c.Args[1] == "delete" {
			reason = openflow.PortDeleted
		}
		w.step(func() { w.core.PortStatus(at.DPID, reason, &p) })
	case "cable": // cable POINT POINT [oneway]
		a, b := point(c.Args[0]), point(c.Args[1])
		w.cables[a] = b
		if len(c.Args) == 2 {
			w.cables[b] = a
		}
	case "relay": // relay POINT POINT [far]: somebody carries probes between two ports, or the far ones only
		a, b := point(c.Args[0]), point(c.Args[1])
		w.join(a, b)
		w.nearless[a], w.nearless[b] = len(c.Args) > 2, len(c.Args) > 2
	case "bridge", "hub": // bridge POINT…: a bridge, or a hub, joins these ports
		var ports []netview.Point
		for _, arg := range c.Args {
			ports = append(ports, point(arg))
			w.nearless[point(arg)] = c.Name == "bridge"
		}
		w.segments = append(w.segments, ports)
	case "unbridge":
		w.segments = nil
	case "lives": // lives MAC POINT|nowhere: where a host answers
		mac, err := packet.ParseMAC(c.Args[0])
		if err != nil {
			panic(err)
		}
		delete(w.lives, netview.HostID{MAC: mac})
		if c.Args[1] != "nowhere" {
			w.lives[netview.HostID{MAC: mac}] = point(c.Args[1])
		}
	case "edge": // edge POINT yes|no: whether it is configured as edge
		w.settings(func(s *netview.Settings) {
			s.Ports[point(c.Args[0])] = netview.PortSettings{Edge: c.Args[1] == "yes"}
		})
	case "trusted": // trusted POINT POINT: an operator says that a link is a cable
		w.settings(func(s *netview.Settings) {
			s.Links[netview.LinkKey{Src: point(c.Args[0]), Dst: point(c.Args[1])}] = netview.LinkSettings{Trusted: true}
		})
	case "indirect": // indirect yes|no
		w.settings(func(s *netview.Settings) { s.Indirect = c.Args[0] == "yes" })
	case "frame": // frame BYTES: how long frames links are to carry
		w.settings(func(s *netview.Settings) { s.LinkFrame = int(point("0/" + c.Args[0]).Port) })
	case "carries": // carries POINT BYTES: how long frames the cable carries from there
		w.most[point(c.Args[0])] = int(point("0/" + c.Args[1]).Port)
	case "cut": // cut POINT
		a := point(c.Args[0])
		delete(w.cables, w.cables[a])
		delete(w.cables, a)
	case "wait": // wait DURATION [quiet]: without the probes
		w.quiet = len(c.Args) > 1
		defer func() { w.quiet = false }()
		d, err := time.ParseDuration(c.Args[0])
		if err != nil {
			panic(err)
		}
		w.wait(d)
	case "host": // host MAC POINT [arp=IP] [data=IP] [ns=IP] [na=IP] [dad=IP] [vlan=N]
		k := frameOf(c)
		s, ok := hosts.ParseSighting(point(c.Args[1]), &k)
		if ok && !w.core.hosts.Seen.IsNew(&s) {
			w.say("known")
			return
		}
		w.step(func() {
			if in := (input{kind: inputFrame, sighting: s}); ok {
				w.core.handle(&in)
				in = input{} // as the inbox does, which uses its memory again
			}
		})
	case "lldp": // lldp KIND of=POINT at=POINT: a frame made from the last probe of a port comes in elsewhere
		frame := w.crafted(c.Args[0], point(c.Arg("of", "0/0")))
		w.step(func() {
			if err := w.core.LLDP(point(c.Arg("at", "")), frame); err != nil {
				w.say("refused: %v", err)
			}
		})
	default:
		panic("unknown command " + c.Name)
	}
}

// restart makes a new core and view, that remember what the old view showed.
func (w *world) restart() {
	s := w.view.Snapshot()
	cfg := w.core.cfg
	cfg.Seed = w.core.prober.LastNumber + 1000
	w.view = netview.New(netview.Limits{})
	w.inputs, w.seen, w.settled = w.view.Inputs(), 0, false
	w.inputs.Set(s.Settings())
	w.facts, w.core = w.view.Facts(), NewCore(cfg, w.now)
	var links []*netview.Link
	for l := range s.Links() {
		links = append(links, l)
	}
	w.step(func() { w.core.Load(slices.Collect(s.Switches()), links, slices.Collect(s.Hosts())) })
}

// settings changes what is configured, and lets the core see it.
func (w *world) settings(change func(*netview.Settings)) {
	if w.inputs == nil {
		w.inputs = w.view.Inputs()
	}
	next := *w.view.Snapshot().Settings()
	next.Ports = maps.Clone(next.Ports)
	if next.Ports == nil {
		next.Ports = map[netview.Point]netview.PortSettings{}
	}
	if next.Links = maps.Clone(next.Links); next.Links == nil {
		next.Links = map[netview.LinkKey]netview.LinkSettings{}
	}
	change(&next)
	w.inputs.Set(&next)
	w.step(func() {})
}

// crafted is what an attacker makes of the last probe that a port sent.
func (w *world) crafted(kind string, of netview.Point) []byte {
	var frame []byte
	if sent := w.sent[of]; len(sent) > 0 {
		frame = bytes.Clone(sent[len(sent)-1])
	}
	at := bytes.Index(frame, []byte{0x02, 0x57, 0x52, 1}) + 4
	switch kind {
	case "copy":
	case "old":
		frame = bytes.Clone(w.sent[of][len(w.sent[of])-4])
	case "port": // says another port
		frame[at+13]++
	case "redirected": // to the address of the other kind
		if frame[0] == probes.FarGroup[0] {
			copy(frame, packet.LLDPMulticast[:])
		} else {
			copy(frame, probes.FarGroup[:])
		}
	case "number":
		frame[at+21]++
	case "mac":
		frame[len(frame)-3] ^= 1
	case "chassis":
		frame[packet.EthernetLen+3] ^= 1
	case "key": // of another cluster
		s := probes.NewCodec([]byte("another key another key another "), 1, 6)
		frame = s.Encode(nil, probes.Probe{From: of, Number: w.core.prober.LastNumber}, packet.MAC{2})
	case "domain":
		s := probes.NewCodec(testKey, 2, 6)
		frame = s.Encode(nil, probes.Probe{From: of, Number: w.core.prober.LastNumber}, packet.MAC{2})
	case "never": // authentic, of a number that was not sent yet
		frame = w.core.prober.Codec.Encode(nil, probes.Probe{From: of, Number: w.core.prober.LastNumber + 1}, packet.MAC{2})
	case "plain":
		frame = packet.AppendLLDP(nil, packet.LLDPMulticast, packet.MAC{2}, &packet.LLDP{
			ChassisSubtype: 4, ChassisID: make([]byte, 6), PortSubtype: 5, PortID: []byte("eth0"), TTL: 120})
	case "short":
		frame = frame[:len(frame)-20]
	default:
		panic("unknown kind " + kind)
	}
	return frame
}

func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		w := newWorld(t, Config{Limits: Limits{IPs: 3}})
		golden.Run(t, path, func(t *testing.T, c *golden.Command) string {
			w.lines = nil
			w.do(c)
			return strings.Join(w.lines, "\n")
		})
		w.checkSeen()
	})
}

// LLDP handles an LLDP frame that came in at a port. The error is why it makes no link; it has been
// counted.
func (c *Core) LLDP(at netview.Point, frame []byte) error {
	p, err := c.prober.Codec.Decode(frame)
	if err == nil {
		err = c.links.probeHeard(at, p, arrival{})
	} else {
		c.cfg.raiseForged(at, err)
	}
	c.prober.Count(err)
	return err
}
