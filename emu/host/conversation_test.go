package host

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/packet"
)

// TestConversations runs testdata: hosts on one wire, every frame printed with its time and who
// sent it.
func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		c := &conversation{t: t, w: newHub(t, 1), flows: map[string]*Flow{}, pings: map[string]*Ping{},
			streams: map[string]*Stream{}, first: map[[2]uint16]uint32{}}
		c.w.seen = c.print
		golden.Run(t, path, c.do)
	})
}

// conversation is one file's hosts and commands.
type conversation struct {
	t       *testing.T
	w       *hub
	text    strings.Builder
	pings   map[string]*Ping
	flows   map[string]*Flow
	streams map[string]*Stream
	first   map[[2]uint16]uint32 // of each direction, by its ports: the number of its SYN
	quiet   bool
}

// print writes a frame as "0.001s h1 > eth_dst=…".
func (c *conversation) print(at time.Duration, from int, frame []byte, lost bool) {
	if c.quiet {
		return
	}
	mark := ""
	if lost {
		mark = " (lost)"
	}
	fmt.Fprintf(&c.text, "%s %s > %s%s%s\n", at, c.w.hosts[from].link.cfg.Name, c.segment(frame), packet.Ethernet(frame), mark)
}

// segment is what a TCP segment says beside its key, by offsets from the first numbers of its
// stream: "seq=1 ack=1 win=65535 ".
func (c *conversation) segment(frame []byte) string {
	var k packet.Key
	packet.ParseKey(frame, &k)
	if !k.Layers.Has(packet.LayerTCP) {
		return ""
	}
	at := packet.EthernetLen + packet.IPv4Len
	if k.EtherType == packet.TypeIPv6 {
		at = packet.EthernetLen + packet.IPv6Len
	}
	t := packet.TCP(frame[at:])
	here, there := [2]uint16{k.SrcPort, k.DstPort}, [2]uint16{k.DstPort, k.SrcPort}
	if k.TCPFlags&packet.TCPSyn != 0 {
		c.first[here] = t.Seq()
	}
	return fmt.Sprintf("seq=%d ack=%d win=%d ", t.Seq()-c.first[here], t.Ack()-c.first[there], t.Window())
}

func (c *conversation) do(t *testing.T, cmd *golden.Command) string {
	c.t, c.w.t = t, t
	c.text.Reset()
	switch cmd.Name {
	case "host":
		c.host(cmd)
	case "delay":
		c.w.delay = c.duration(cmd.Args[0])
	case "lose":
		c.lose(cmd)
	case "announce":
		c.named(cmd.Args[0]).Announce(c.w.now, c.plug(cmd.Args[0]))
	case "run":
		c.quiet = len(cmd.Args) > 1 && cmd.Args[1] == "quietly"
		c.w.run(c.duration(cmd.Args[0]))
	case "recv":
		c.recv(cmd)
	case "ping":
		c.ping(cmd)
	case "udp":
		c.udp(cmd)
	case "tcp":
		c.tcp(cmd)
	case "close":
		c.named(cmd.Args[0]).ClosePort(uint16(c.number(cmd.Args[1])))
	case "stop":
		c.stop(cmd)
	case "report":
		c.report(cmd)
	default:
		t.Fatalf("no such command: %s", cmd.Name)
	}
	return c.text.String()
}

// host makes "host NUMBER vlan=N announce=yes only=4 life=10s", and the first host's are the
// defaults of config.
func (c *conversation) host(cmd *golden.Command) {
	cfg := config(byte(c.number(cmd.Args[0])))
	cfg.VLAN = uint16(c.number(cmd.Arg("vlan", "0")))
	cfg.Announce = cmd.Arg("announce", "no") == "yes"
	cfg.NeighbourLife = c.duration(cmd.Arg("life", "0s"))
	switch cmd.Arg("only", "") {
	case "4":
		cfg.IPv6 = netip.Prefix{}
	case "6":
		cfg.IPv4 = netip.Prefix{}
	}
	c.w.add(cfg)
}

// lose loses the next frames, "lose N", or of TCP the next segment with this offset: "lose segment
// OFFSET".
func (c *conversation) lose(cmd *golden.Command) {
	n := 1
	if cmd.Args[0] != "segment" {
		n = c.number(cmd.Args[0])
	}
	c.w.lose = func(frame []byte) bool {
		if cmd.Args[0] == "segment" && !strings.HasPrefix(c.segment(frame), "seq="+cmd.Args[1]+" ") {
			return false
		}
		n--
		return n >= 0
	}
}

func (c *conversation) named(name string) *Host { return c.w.hosts[c.index(name)] }
func (c *conversation) plug(name string) plug   { return plug{c.w, c.index(name)} }

func (c *conversation) index(name string) int {
	for i, h := range c.w.hosts {
		if h.link.cfg.Name == name {
			return i
		}
	}
	c.t.Fatalf("no host %s", name)
	return 0
}

func (c *conversation) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

func (c *conversation) duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		c.t.Fatal(err)
	}
	return d
}

// recv gives a host a frame in hexadecimal: "recv h1", then the bytes.
func (c *conversation) recv(cmd *golden.Command) {
	frame, err := hex.DecodeString(strings.Join(strings.Fields(cmd.Input), ""))
	if err != nil {
		c.t.Fatal(err)
	}
	c.named(cmd.Args[0]).Receive(frame, c.w.now, c.plug(cmd.Args[0]))
}

func (c *conversation) addr(s string) netip.Addr {
	a, err := netip.ParseAddr(s)
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

// ping begins "ping NAME HOST DST count=N interval=D size=N timeout=D".
func (c *conversation) ping(cmd *golden.Command) {
	p, err := c.named(cmd.Args[1]).Ping(PingSpec{Dst: c.addr(cmd.Args[2]), Count: c.number(cmd.Arg("count", "0")),
		Interval: c.duration(cmd.Arg("interval", "0s")), Size: c.number(cmd.Arg("size", "0")),
		Timeout: c.duration(cmd.Arg("timeout", "0s"))}, c.w.now)
	if err != nil {
		fmt.Fprintln(&c.text, "refused:", err)
		return
	}
	c.pings[cmd.Args[0]] = p
}

// udp begins "udp NAME HOST DST port=N rate=N count=N for=D size=N pattern=P on=D off=D".
func (c *conversation) udp(cmd *golden.Command) {
	rate, err := strconv.ParseFloat(cmd.Arg("rate", "1"), 64)
	if err != nil {
		c.t.Fatal(err)
	}
	pattern, err := ParsePattern(cmd.Arg("pattern", "constant"))
	if err != nil {
		c.t.Fatal(err)
	}
	f, err := c.named(cmd.Args[1]).UDP(FlowSpec{Dst: c.addr(cmd.Args[2]),
		Port: uint16(c.number(cmd.Arg("port", "0"))), Rate: rate,
		Size: c.number(cmd.Arg("size", "0")), Pattern: pattern, On: c.duration(cmd.Arg("on", "0s")),
		Off:   c.duration(cmd.Arg("off", "0s")),
		Count: uint64(c.number(cmd.Arg("count", "0"))), Duration: c.duration(cmd.Arg("for", "0s"))}, c.w.now)
	if err != nil {
		fmt.Fprintln(&c.text, "refused:", err)
		return
	}
	c.flows[cmd.Args[0]] = f
}

// tcp begins "tcp NAME HOST DST port=N bytes=N rate=N for=D".
func (c *conversation) tcp(cmd *golden.Command) {
	s, err := c.named(cmd.Args[1]).TCP(StreamSpec{Dst: c.addr(cmd.Args[2]), Port: uint16(c.number(cmd.Arg("port", "0"))),
		Bytes: uint64(c.number(cmd.Arg("bytes", "0"))), Rate: uint64(c.number(cmd.Arg("rate", "0"))),
		Duration: c.duration(cmd.Arg("for", "0s"))}, c.w.now)
	if err != nil {
		fmt.Fprintln(&c.text, "refused:", err)
		return
	}
	c.streams[cmd.Args[0]] = s
}

// stop ends "stop NAME HOST".
func (c *conversation) stop(cmd *golden.Command) {
	c.named(cmd.Args[1]) // which there has to be
	if p := c.pings[cmd.Args[0]]; p != nil {
		p.Stop(c.w.now)
	}
	if f := c.flows[cmd.Args[0]]; f != nil {
		f.Stop(c.w.now)
	}
	if s := c.streams[cmd.Args[0]]; s != nil {
		s.Stop(c.w.now)
	}
}

// report prints what a ping or flow has come to, or a host's counters and sinks.
func (c *conversation) report(cmd *golden.Command) {
	name := cmd.Args[0]
	if p := c.pings[name]; p != nil {
		fmt.Fprintf(&c.text, "%+v\n", p.Report())
		return
	}
	if f := c.flows[name]; f != nil {
		fmt.Fprintf(&c.text, "%+v\n", f.Report())
		return
	}
	if s := c.streams[name]; s != nil {
		fmt.Fprintf(&c.text, "%+v\n", s.Report())
		return
	}
	h := c.named(name)
	if cmd.Arg("of", "") == "streams" {
		for _, s := range h.Accepted() {
			fmt.Fprintf(&c.text, "%+v\n", s.Report())
		}
		return
	}
	fmt.Fprintf(&c.text, "%s\n", strings.ReplaceAll(fmt.Sprintf("%+v", h.Counters()), " ", "\n "))
	for _, s := range h.Sinks() {
		fmt.Fprintf(&c.text, "%+v\n", s.Report())
	}
}
