package flowtable

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/openflow"
)

// TestConversations runs testdata/*.txt. Each file begins with a switch of four ports; Check holds
// after each command.
func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		c := &conversation{v: openflow.V13}
		c.bed = newBed(t, Config{Tables: 8, Buffers: 4})
		golden.Run(t, path, func(t *testing.T, cmd *golden.Command) string {
			c.t, c.cmd = t, cmd
			result := c.run()
			if err := c.Check(); err != nil {
				t.Errorf("%s:%d: %v", cmd.File, cmd.Line, err)
			}
			return strings.TrimSpace(c.out.take() + "\n" + result)
		})
	})
}

// conversation does the commands of a file.
type conversation struct {
	*bed
	v   openflow.Version
	cmd *golden.Command
}

func (c *conversation) run() string {
	switch c.cmd.Name {
	case "switch":
		c.bed = newBed(c.t, Config{
			Tables: int(c.num("tables", 8)), MaxEntries: int(c.num("max_entries", 0)), Buffers: int(c.num("buffers", 4)),
			Evict: c.has("evict"), MaxGroups: int(c.num("max_groups", 0)), MaxMeters: int(c.num("max_meters", 0)),
		})
		c.SetMiss(c.has("miss"))
	case "version":
		c.v = map[string]openflow.Version{"1.0": openflow.V10, "1.3": openflow.V13}[c.cmd.Args[0]]
	case "at":
		d, err := time.ParseDuration(c.cmd.Args[0])
		c.fail(err)
		c.now = d
	case "flow":
		return c.result(c.FlowMod(c.v, c.flowMod(), c.now, &c.out))
	case "group":
		return c.result(c.GroupMod(c.v, c.groupMod(), c.now, &c.out))
	case "meter":
		return c.result(c.MeterMod(c.v, c.meterMod(), c.now, &c.out))
	case "port":
		return c.port()
	case "receive":
		c.Receive(uint32(c.num("port", 1)), c.frame(), c.now, &c.out)
	case "packet_out":
		m := &openflow.PacketOut{Buffer: c.buffer(), InPort: c.portArg("in_port", openflow.PortController),
			Actions: c.actions(c.cmd.Arg("actions", "[]"))}
		if m.Buffer == openflow.NoBuffer {
			m.Data = c.frame()
		}
		return c.result(c.PacketOut(c.v, m, c.now, &c.out))
	case "expire":
		if next, ok := c.Expire(c.now, &c.out); ok {
			return "next " + next.String()
		}
	case "multipart":
		return c.multipart()
	default:
		c.t.Fatalf("%s:%d: unknown command %s", c.cmd.File, c.cmd.Line, c.cmd.Name)
	}
	return ""
}

func (c *conversation) fail(err error) {
	if err != nil {
		c.t.Fatalf("%s:%d: %v", c.cmd.File, c.cmd.Line, err)
	}
}

// result is the error in text. Errors are of type *Error always.
func (c *conversation) result(err error) string {
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) {
		c.t.Errorf("%s:%d: %T is no *Error", c.cmd.File, c.cmd.Line, err)
	}
	return "error " + err.Error()
}

func (c *conversation) has(word string) bool {
	for _, a := range c.cmd.Args {
		if a == word {
			return true
		}
	}
	return false
}

func (c *conversation) num(key string, otherwise uint64) uint64 {
	s := c.cmd.Arg(key, "")
	if s == "" {
		return otherwise
	}
	v, err := strconv.ParseUint(s, 0, 64)
	c.fail(err)
	return v
}

func (c *conversation) portArg(key string, otherwise uint32) uint32 {
	s := c.cmd.Arg(key, "")
	if s == "" {
		return otherwise
	}
	v, err := openflow.ParsePort(s)
	c.fail(err)
	return v
}

func (c *conversation) buffer() uint32 { return uint32(c.num("buffer", uint64(openflow.NoBuffer))) }

// actions reads "[output:2,group:1]".
func (c *conversation) actions(s string) []openflow.Action {
	in, err := openflow.ParseInstruction("apply:" + s)
	c.fail(err)
	return in.Actions
}

var commands = map[string]openflow.FlowModCommand{
	"add": openflow.FlowAdd, "modify": openflow.FlowModify, "modify_strict": openflow.FlowModifyStrict,
	"delete": openflow.FlowDelete, "delete_strict": openflow.FlowDeleteStrict,
}

var flowFlags = map[string]openflow.FlowFlags{
	"send_flow_rem": openflow.FlagSendFlowRemoved, "check_overlap": openflow.FlagCheckOverlap,
	"reset_counts":  openflow.FlagResetCounts,
	"no_pkt_counts": openflow.FlagNoPacketCounts, "no_byt_counts": openflow.FlagNoByteCounts, "emerg": openflow.FlagEmergency,
}

// flowMod reads "flow COMMAND key=value… match=a=1,b=2 do=apply:[…];goto_table:1".
func (c *conversation) flowMod() *openflow.FlowMod {
	m := &openflow.FlowMod{
		Command: commands[c.cmd.Args[0]], Table: uint8(c.num("table", 0)), Priority: uint16(c.num("priority", 0)),
		Cookie:     c.num("cookie", 0),
		CookieMask: c.num("cookie_mask", 0), IdleTimeout: uint16(c.num("idle", 0)),
		HardTimeout: uint16(c.num("hard", 0)), Buffer: c.buffer(),
		OutPort: c.portArg("out_port", openflow.PortAny), OutGroup: uint32(c.num("out_group", uint64(openflow.GroupAny))),
		Match: matchOf(c.t, c.cmd.Arg("match", "")), Instructions: instructionsOf(c.t, c.cmd.Arg("do", "")),
	}
	for _, f := range strings.Split(c.cmd.Arg("flags", ""), "|") {
		m.Flags |= flowFlags[f]
	}
	if c.v == openflow.V10 {
		return c.through10(m)
	}
	return m
}

// through10 takes a flow-mod through the bytes of OpenFlow 1.0.
func (c *conversation) through10(m *openflow.FlowMod) *openflow.FlowMod {
	wire, err := m.Append(nil, openflow.V10)
	c.fail(err)
	if w := c.cmd.Arg("wildcards", ""); w == "none" {
		copy(wire, make([]byte, 4))
	}
	var got openflow.FlowMod
	c.fail(got.Parse(openflow.V10, wire))
	return &got
}

var groupTypes = map[string]openflow.GroupType{
	"all": openflow.GroupTypeAll, "select": openflow.GroupTypeSelect, "indirect": openflow.GroupTypeIndirect,
	"ff": openflow.GroupTypeFastFailover,
}

// groupMod reads "group COMMAND id=1 type=all", and a bucket a line: "weight=1 watch_port=2
// [output:1]".
func (c *conversation) groupMod() *openflow.GroupMod {
	m := &openflow.GroupMod{
		Command: map[string]openflow.GroupModCommand{"add": openflow.GroupAdd, "modify": openflow.GroupModify,
			"delete": openflow.GroupDelete}[c.cmd.Args[0]],
		Kind: groupTypes[c.cmd.Arg("type", "all")], Group: uint32(c.num("id", 1)),
	}
	for _, line := range c.input() {
		b := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny}
		for _, word := range strings.Fields(line) {
			key, value, _ := strings.Cut(word, "=")
			n, err := strconv.ParseUint(value, 0, 32)
			switch key {
			case "weight":
				b.Weight = uint16(n)
			case "watch_port":
				b.WatchPort = uint32(n)
			case "watch_group":
				b.WatchGroup = uint32(n)
			default:
				b.Actions, err = c.actions(word), nil
			}
			c.fail(err)
		}
		m.Buckets = append(m.Buckets, b)
	}
	return m
}

func (c *conversation) input() []string {
	if c.cmd.Input == "" {
		return nil
	}
	return strings.Split(c.cmd.Input, "\n")
}

var meterFlags = map[string]openflow.MeterFlags{
	"kbps": openflow.MeterFlagKbps, "pktps": openflow.MeterFlagPktps, "burst": openflow.MeterFlagBurst,
	"stats": openflow.MeterFlagStats,
}

// meterMod reads "meter COMMAND id=1 flags=kbps|burst", and a band a line: "drop rate=100
// burst=10".
func (c *conversation) meterMod() *openflow.MeterMod {
	m := &openflow.MeterMod{
		Command: map[string]openflow.MeterModCommand{"add": openflow.MeterAdd, "modify": openflow.MeterModify,
			"delete": openflow.MeterDelete}[c.cmd.Args[0]],
		Meter: uint32(c.num("id", 1)),
	}
	for _, f := range strings.Split(c.cmd.Arg("flags", ""), "|") {
		m.Flags |= meterFlags[f]
	}
	for _, line := range c.input() {
		b := openflow.Band{Type: openflow.BandDrop}
		for _, word := range strings.Fields(line) {
			key, value, _ := strings.Cut(word, "=")
			n, _ := strconv.ParseUint(value, 0, 32)
			switch key {
			case "dscp_remark":
				b.Type = openflow.BandDSCPRemark
			case "experimenter":
				b.Type = openflow.BandExperimenter
			case "rate":
				b.Rate = uint32(n)
			case "burst":
				b.Burst = uint32(n)
			case "prec_level":
				b.PrecLevel = uint8(n)
			}
		}
		m.Bands = append(m.Bands, b)
	}
	return m
}

// port does "port down 2", "port up 2", "port add 5", "port remove 5", "port mod 2 config=0x1
// mask=0x1", "port queues 2 1 2".
func (c *conversation) port() string {
	no, err := openflow.ParsePort(c.cmd.Args[1])
	c.fail(err)
	switch c.cmd.Args[0] {
	case "up", "down":
		c.SetPortState(no, c.cmd.Args[0] == "up", c.now, &c.out)
	case "add":
		c.AddPort(openflow.Port{Number: no, HWAddr: [6]byte{2, 0, 0, 0, 0, byte(no)}, Name: "p" + c.cmd.Args[1]}, c.now, &c.out)
	case "remove":
		c.RemovePort(no, c.now, &c.out)
	case "queues":
		var ids []uint32
		for _, a := range c.cmd.Args[2:] {
			id, err := strconv.Atoi(a)
			c.fail(err)
			ids = append(ids, uint32(id))
		}
		c.SetQueues(no, ids, c.now)
	case "mod":
		m := &openflow.PortMod{
			Port: no, HWAddr: [6]byte{2, 0, 0, 0, 0, byte(no)}, Config: uint32(c.num("config", 0)),
			Mask:      uint32(c.num("mask", 0)),
			Advertise: uint32(c.num("advertise", 0)),
		}
		m.HWAddr[5] += byte(c.num("wrong_address", 0))
		return c.result(c.PortMod(c.v, m, c.now, &c.out))
	}
	return ""
}

// multipart does "multipart flow table=all match=…" and the other kinds, and prints the items of
// the answer sorted, one a line.
func (c *conversation) multipart() string {
	body, err := c.Multipart(c.v, c.request(), c.now)
	if err != nil {
		return c.result(err)
	}
	text := string((&openflow.MultipartReply{Body: body}).AppendText(nil, c.v))
	text = strings.ReplaceAll(text, "},{table=", "}\n{table=")
	text = strings.ReplaceAll(text, "},{number=", "}\n{number=")
	text = strings.ReplaceAll(text, "},{port=", "}\n{port=")
	text = strings.ReplaceAll(text, "},{group=", "}\n{group=")
	text = strings.ReplaceAll(text, "},{meter=", "}\n{meter=")
	text = strings.Replace(text, "=[{", "=[\n{", 1)
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "]")
	}
	sort.Strings(lines[1:])
	return strings.Join(lines, "\n")
}

func (c *conversation) request() openflow.RequestBody {
	f := openflow.FlowFilter{
		Table: uint8(c.num("table", uint64(openflow.TableAll))), OutPort: c.portArg("out_port", openflow.PortAny),
		OutGroup: uint32(c.num("out_group", uint64(openflow.GroupAny))), Cookie: c.num("cookie", 0),
		CookieMask: c.num("cookie_mask", 0),
		Match:      matchOf(c.t, c.cmd.Arg("match", "")),
	}
	switch kind := c.cmd.Args[0]; kind {
	case "flow":
		return &openflow.FlowRequest{FlowFilter: f}
	case "aggregate":
		return &openflow.AggregateRequest{FlowFilter: f}
	case "table":
		return &openflow.TableRequest{}
	case "port":
		return &openflow.PortStatsRequest{Port: c.portArg("port", openflow.PortAny)}
	case "port_desc":
		return &openflow.PortDescRequest{}
	case "queue":
		return &openflow.QueueRequest{Port: c.portArg("port", openflow.PortAny),
			Queue: uint32(c.num("queue", uint64(openflow.QueueAll)))}
	case "group":
		return &openflow.GroupRequest{Group: uint32(c.num("id", uint64(openflow.GroupAll)))}
	case "group_desc":
		return &openflow.GroupDescRequest{}
	case "group_features":
		return &openflow.GroupFeaturesRequest{}
	case "meter":
		return &openflow.MeterRequest{Meter: uint32(c.num("id", uint64(openflow.MeterAll)))}
	case "meter_config":
		return &openflow.MeterConfigRequest{Meter: uint32(c.num("id", uint64(openflow.MeterAll)))}
	case "meter_features":
		return &openflow.MeterFeaturesRequest{}
	case "table_features":
		l := &openflow.TableFeaturesList{}
		if c.has("set") {
			l.Tables = []openflow.TableFeatures{{Table: f.Table, Name: "x"}}
		}
		return l
	case "desc":
		return &openflow.DescRequest{}
	default:
		panic(fmt.Sprintf("no request %q", kind))
	}
}
